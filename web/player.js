/** The player: defines its elements and shows the page that the address asks for. */

import "./elements/book-cover.js";
import "./elements/book-marks.js";
import "./elements/book-search.js";
import "./elements/book-shelf.js";
import "./elements/chapter-list.js";
import "./elements/chapter-onward.js";
import "./elements/chapter-text.js";
import "./elements/download-list.js";
import "./elements/download-sheet.js";
import "./elements/jump-list.js";
import "./elements/key-list.js";
import "./elements/other-place.js";
import "./elements/reader-settings.js";
import "./elements/search-hits.js";
import "./elements/say-otherwise.js";
import "./elements/shell-update.js";
import "./elements/sleep-sheet.js";
import "./elements/sounds-wrong.js";
import "./elements/text-menu.js";
import "./elements/transport-bar.js";
import "./elements/trouble-line.js";
import "./elements/book-reader.js";
import { api } from "./lib/api.js";
import { dress } from "./lib/dress.js";
import { Device } from "./lib/device.js";
import { Downloads } from "./lib/downloads.js";
import { Kept } from "./lib/kept.js";
import { Live } from "./lib/live.js";
import { withKept } from "./lib/offline-api.js";
import { keepShell, lookForUpdate } from "./lib/offline-shell.js";
import { Outbox } from "./lib/outbox.js";
import { parseRoute } from "./lib/router.js";
import { settings } from "./lib/settings.js";
import { Watch } from "./lib/watch.js";

/** @typedef {{api: typeof api, live: Live, settings: typeof settings, outbox: Outbox, downloads: Downloads}} App  what a page needs; passed as `app` */

const kept = new Kept();
const live = new Live();
const downloads = new Downloads(api, live);
const ours = withKept(api, downloads, kept);
/** @type {App} */
const app = { api: ours, live, settings, outbox: new Outbox(kept, new Device(kept), ours.savePosition), downloads };
const main = /** @type {HTMLElement} */ (document.querySelector("main"));

function show() {
  const route = parseRoute(location.hash);
  const page = /** @type {any} */ (document.createElement(route.page === "book" ? "book-reader" : "book-shelf"));
  page.app = app;
  if (route.page === "shelf") page.asked = route.asked;
  else Object.assign(page, { bookId: route.id, spot: route.spot });
  main.replaceChildren(page);
  scrollTo(0, 0);
}

/** Who asks, then what the server has not been told yet: as somebody else it is not sent. */
async function meet() {
  try {
    const { role, person } = await api.me();
    // What is the owner's alone is not shown to a listener; where that cannot be told, the server says so when it is asked.
    document.documentElement.dataset.role = role;
    lookForUpdate(); // a server that was away may have come back as another version
    app.outbox.person = person;
    await app.outbox.deliver();
  } catch (error) {
    // The page opens from this device, whoever asks: what it may have is for the server to say.
    if (/** @type {{status?: number}} */ (error).status === 401) location.assign("/enter");
    // Nobody answers: asked again when the line is back.
  }
}

dress(settings);
app.live.connected.subscribe((up) => up !== false && meet());
app.live.start();
addEventListener("online", meet);
addEventListener("hashchange", show);
main.addEventListener("again", show);
main.before(Object.assign(document.createElement("trouble-line"), { watch: new Watch(live, () => downloads.records.length > 0) }));
document.body.append(document.createElement("shell-update"));
// Not before the page has all of its files: so none of them can come from another version.
if (document.readyState === "complete") keepShell();
else addEventListener("load", keepShell, { once: true });
show();
