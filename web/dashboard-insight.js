/** The page of the dashboard that shows what is measured, whose modules come when it is opened. */

import "./elements/insight-page.js";
import "./elements/render-speed.js";
import "./elements/sentence-plots.js";
