/** The dashboard: places its parts, hands each what it needs, and passes "delete" on to the dialog that asks. */

import "./elements/book-adder.js";
import "./elements/book-cover.js";
import "./elements/book-details.js";
import "./elements/delete-dialog.js";
import "./elements/health-list.js";
import "./elements/library-list.js";
import "./elements/queue-list.js";
import "./elements/refusal-list.js";
import "./elements/worker-now.js";
import { api } from "./lib/api.js";
import { Live } from "./lib/live.js";

/** @typedef {{api: typeof api, live: Live, fail: (error: Error) => void, works: () => void}} App */

const trouble = /** @type {HTMLElement} */ (document.querySelector("#trouble"));
const live = new Live();

/** @type {App} */
const app = {
  api,
  live,
  fail: (error) => {
    trouble.textContent = error.message;
    trouble.hidden = false;
  },
  works: () => (trouble.hidden = true),
};

/** @param {string} name */
function part(name) {
  return /** @type {any} */ (Object.assign(document.createElement(name), { app }));
}

const dialog = part("delete-dialog");
const pair = /** @type {HTMLElement} */ (document.querySelector(".pair"));
pair.before(...["worker-now", "book-adder", "refusal-list", "library-list"].map(part));
pair.append(...["queue-list", "health-list"].map(part));
const details = part("book-details");
document.body.append(dialog, details);

live.start();
live.connected.subscribe((connected) => {
  if (connected === false) app.fail(new Error("Lectern does not answer. This page goes on by itself when it is back."));
  else if (connected) app.works();
});
document.addEventListener("details", (event) => details.show(/** @type {CustomEvent} */ (event).detail.book));
document.addEventListener("delete", (event) => dialog.ask(/** @type {CustomEvent} */ (event).detail.book));
