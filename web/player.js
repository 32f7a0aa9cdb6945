/** The player: defines its elements and shows the page that the address asks for. */

import "./elements/book-cover.js";
import "./elements/book-shelf.js";
import "./elements/chapter-list.js";
import "./elements/chapter-text.js";
import "./elements/reader-settings.js";
import "./elements/transport-bar.js";
import "./elements/book-reader.js";
import { api } from "./lib/api.js";
import { Live } from "./lib/live.js";
import { parseRoute } from "./lib/router.js";
import { settings } from "./lib/settings.js";

/** @typedef {{api: typeof api, live: Live, settings: typeof settings}} App  what a page needs; passed as `app` */

/** @type {App} */
const app = { api, live: new Live(), settings };
const main = /** @type {HTMLElement} */ (document.querySelector("main"));

function show() {
  const route = parseRoute(location.hash);
  const page = /** @type {any} */ (document.createElement(route.page === "book" ? "book-reader" : "book-shelf"));
  page.app = app;
  if (route.page === "book") page.bookId = route.id;
  main.replaceChildren(page);
  scrollTo(0, 0);
}

app.live.start();
addEventListener("hashchange", show);
show();
