/**
 * The player's own files on this device: the service worker is set up, and another version of the player is taken up
 * when nothing is lost by it, never under a page that runs.
 */

import { Signal } from "./signal.js";

const ANSWER_MS = 5000;
const LOOK_MS = 3_600_000; // how often a page that stays open looks for another version

/** @typedef {"unknown"|"insecure"|"unsupported"|"ready"|"failed"} Shell  whether pages and downloads can be kept here */

/** @type {Signal<Shell>} */
export const shell = new Signal(/** @type {Shell} */ ("unknown"));
/** Another version waits. @type {Signal<boolean>} */
export const update = new Signal(false);

/** Why nothing can be kept in this browser, or null where it can. @param {Shell} state */
export function whyNotOffline(state) {
  if (state === "insecure") {
    return "Downloads need a secure address. Ask whoever runs this Lectern for the one that begins with https:// – it stands on the dashboard under “On your phone”.";
  }
  if (state === "unsupported") return "This browser keeps no downloads. A private window may be the reason.";
  if (state === "failed") return "Downloads could not be set up just now. Open this page again when Lectern answers.";
  return null;
}

/** @type {ServiceWorkerRegistration|null} */
let registration = null;

/** Set it up, once the page has all its files. @returns {Promise<void>} */
export async function keepShell() {
  if (!isSecureContext) return void (shell.value = "insecure");
  if (!("serviceWorker" in navigator) || !("caches" in globalThis)) return void (shell.value = "unsupported");
  try {
    registration = (await navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" })) ?? null;
  } catch {
    // Nobody answers: the worker that is here already goes on working.
    registration = (await navigator.serviceWorker.getRegistration("/").catch(() => null)) ?? null;
  }
  if (!registration) return void (shell.value = "failed");
  follow(registration);
  // This page has just begun and nothing plays yet: the best moment for what came while no page was open.
  if (registration.waiting && navigator.serviceWorker.controller) await takeUpdate();
  await settled(registration);
}

/** @param {ServiceWorkerRegistration} here */
async function settled(here) {
  const installing = here.active ? null : (here.installing ?? here.waiting);
  if (installing) {
    await new Promise((resolve) => {
      const look = () => ["activated", "redundant"].includes(installing.state) && resolve(undefined);
      installing.addEventListener("statechange", look);
      look();
    });
  }
  shell.value = here.active ? "ready" : "failed";
}

/** @param {ServiceWorkerRegistration} here */
function follow(here) {
  const look = () => (update.value = Boolean(here.waiting && here.active));
  here.addEventListener("updatefound", () => here.installing?.addEventListener("statechange", look));
  look();
  const ask = () => document.visibilityState === "visible" && here.update().catch(() => undefined);
  setInterval(ask, LOOK_MS);
}

/** Look for another version now. */
export function lookForUpdate() {
  registration?.update().catch(() => undefined);
}

/** Begin anew with the version that waits. @returns {Promise<boolean>} false: another page of this browser is still open */
export async function takeUpdate() {
  const waiting = registration?.waiting;
  if (!waiting) return false;
  const channel = new MessageChannel();
  const answer = new Promise((resolve) => {
    channel.port1.onmessage = (event) => resolve(event.data.alone);
    setTimeout(() => resolve(false), ANSWER_MS); // a worker that another one has replaced says nothing
  });
  const anew = () => location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", anew, { once: true });
  waiting.postMessage({ type: "take-over" }, [channel.port2]);
  const alone = Boolean(await answer);
  if (!alone) navigator.serviceWorker.removeEventListener("controllerchange", anew);
  return alone;
}
