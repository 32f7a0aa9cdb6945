/** The pages on which voices are heard and compared: fetched when somebody opens one. */

import "./elements/audition-page.js";
import "./elements/minimal-pairs.js";
import "./elements/passage-picker.js";
import "./elements/passage-text.js";
import "./elements/voice-cast.js";
import "./elements/voice-gallery.js";
