/** The dashboard: places its parts, hands each what it needs, and passes "delete" on to the dialog that asks. */

import "./elements/book-adder.js";
import "./elements/book-cover.js";
import "./elements/book-details.js";
import "./elements/book-policy.js";
import "./elements/book-voice.js";
import "./elements/delete-dialog.js";
import "./elements/ears-list.js";
import "./elements/health-list.js";
import "./elements/library-list.js";
import "./elements/people-list.js";
import "./elements/phone-address.js";
import "./elements/queue-list.js";
import "./elements/refusal-list.js";
import "./elements/rendering-rules.js";
import "./elements/voice-blends.js";
import "./elements/say-otherwise.js";
import "./elements/worker-now.js";
import { api } from "./lib/api.js";
import { areaOf } from "./lib/areas.js";
import { Live } from "./lib/live.js";

/** @typedef {{api: typeof api, live: Live, fail: (error: Error) => void, works: () => void}} App */

/** Pages of their own, by the beginning of the hash: an element with `app` and `path`, whose modules come when it is opened. */
const AREAS = /** @type {Record<string, {tag: string, load: () => Promise<unknown>}>} */ ({
  book: { tag: "book-page", load: () => import("./dashboard-book.js") },
  listen: { tag: "ears-page", load: () => import("./dashboard-book.js") },
  voices: { tag: "voice-gallery", load: () => import("./dashboard-audition.js") },
  audition: { tag: "audition-page", load: () => import("./dashboard-audition.js") },
  pairs: { tag: "minimal-pairs", load: () => import("./dashboard-audition.js") },
  insight: { tag: "insight-page", load: () => import("./dashboard-insight.js") },
  settings: { tag: "settings-page", load: () => import("./dashboard-settings.js") },
});

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
pair.before(...["worker-now", "book-adder", "refusal-list", "library-list", "ears-list"].map(part));
pair.append(...["queue-list", "rendering-rules", "phone-address", "people-list", "voice-blends", "health-list"].map(part));
const details = part("book-details");
document.body.append(dialog, details);

live.start();
live.connected.subscribe((connected) => {
  if (connected === false) app.fail(new Error("Lectern does not answer. This page goes on by itself when it is back."));
  else if (connected) app.works();
});
document.addEventListener("details", (event) => details.show(/** @type {CustomEvent} */ (event).detail.book));
document.addEventListener("delete", (event) => dialog.ask(/** @type {CustomEvent} */ (event).detail.book));

const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const title = document.title;
/** @type {any} the area that is open */
let open = null;
let left_px = 0; // how far the dashboard was scrolled when somebody went to an area

async function goToArea() {
  const area = areaOf(location.hash, Object.keys(AREAS));
  const tag = area ? AREAS[area.name].tag : "";
  for (const link of document.querySelectorAll(".rooms a")) {
    if (link.getAttribute("data-area")?.split(" ").includes(area?.name ?? "")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (area && open?.localName === tag) return void (open.path = area.path);
  if (area && !open) {
    left_px = scrollY;
    open = Object.assign(document.createElement("p"), { className: "quiet pad", textContent: "One moment …" });
    main.append(open);
    main.toggleAttribute("data-area", true);
  }
  if (area) await AREAS[area.name].load().catch((cause) => app.fail(new Error("This page could not be fetched. Load it again.", { cause })));
  if (area?.name !== areaOf(location.hash, Object.keys(AREAS))?.name) return; // somebody went on meanwhile
  open?.remove();
  open = area && Object.assign(part(tag), { path: area.path });
  main.toggleAttribute("data-area", Boolean(open));
  if (open) main.append(open);
  else document.title = title;
  scrollTo(0, open ? 0 : left_px);
}

addEventListener("hashchange", goToArea);
goToArea();
