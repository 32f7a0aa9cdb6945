/** The pages about a single book, and the one with all that waits to be listened to: fetched when somebody opens one. */

import "./elements/book-about.js";
import "./elements/book-page.js";
import "./elements/book-text.js";
import "./elements/chapter-text.js";
import "./elements/coverage-bars.js";
import "./elements/ears-page.js";
import "./elements/ears-queue.js";
import "./elements/guess-list.js";
import "./elements/phoneme-keys.js";
import "./elements/rule-list.js";
import "./elements/say-editor.js";
import "./elements/sentence-card.js";
