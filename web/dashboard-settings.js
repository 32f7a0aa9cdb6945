/** The settings page of the dashboard, whose modules come when it is opened. */

import "./elements/about-card.js";
import "./elements/backup-card.js";
import "./elements/restore-dialog.js";
import "./elements/log-view.js";
import "./elements/setting-row.js";
import "./elements/settings-page.js";
