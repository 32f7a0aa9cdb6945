/** Why nobody answers, as far as a page can tell, and what to do about it. Pure. */

/**
 * @typedef {object} Signs
 * @property {boolean} online  whether this device has a network at all
 * @property {string} host  of the page's address
 * @property {number} status  of what answered instead, 0 where nothing did
 * @property {number} took_ms  until that was known
 * @property {boolean} [kept]  there are books on this device
 *
 * @typedef {{what: string, remedy: string}} Trouble
 */

const QUICK_MS = 2000; // a name that is not known, and a refused connection, are told at once; a sleeper says nothing

/** @param {Signs} signs @returns {Trouble} */
export function diagnose({ online, host, status, took_ms, kept = false }) {
  const meanwhile = kept ? " What is on this device plays meanwhile." : "";
  const told = (/** @type {string} */ what, /** @type {string} */ remedy) => ({ what, remedy: `${remedy}${meanwhile}` });
  if (!online) return told("This device is offline.", "Turn on Wi-Fi or mobile data.");
  if (status >= 500) return told("The computer is awake, but Lectern does not run on it.", "Start Lectern there.");
  const quick = took_ms < QUICK_MS;
  if (isHere(host)) return told("Lectern has stopped on this computer.", "Start it again.");
  if (isTailnet(host) && quick) return told("This device is not in the tailnet just now.", "Turn Tailscale on here. If it is on, see that it is on the computer with Lectern too.");
  if (isTailnet(host)) return told("The computer with Lectern does not answer: it sleeps, is off, or Tailscale is off there.", "Wake it, and see that Tailscale is on.");
  if (quick) return told("The computer with Lectern is there, but Lectern does not answer.", "Start Lectern there, and see that this device is in the same network.");
  return told("The computer with Lectern does not answer: it sleeps, is off, or is in another network.", "Wake it, and see that this device is in the same network.");
}

/** @param {string} host */
const isHere = (host) => host === "localhost" || host === "[::1]" || /^127\./.test(host) || host.endsWith(".localhost");

/** Tailscale's names and addresses (100.64.0.0/10, fd7a:115c:a1e0::/48). @param {string} host */
function isTailnet(host) {
  const [first, second] = host.split(".").map(Number);
  return host.endsWith(".ts.net") || (first === 100 && second >= 64 && second < 128) || host.startsWith("[fd7a:115c:a1e0:");
}

/**
 * Why a passage that is waited for is not there yet.
 * @param {import("./types.js").WorkerState} worker
 * @param {string} book  that is waited for
 */
export function whyWaiting({ state, detail, speed, now }, book) {
  const why = detail ? ` ${detail}` : "";
  if (state === "no-model") return `The voice is not installed on the computer, so nothing is rendered.${why}`;
  if (state === "down") return `Rendering has broken off, and is begun again by itself.${why}`;
  if (state === "waiting") return `Rendering rests just now.${why} This passage comes when it goes on.`;
  if (state === "starting") return "The voice is being started. This passage comes first.";
  if (now && now.book !== book) return "Another sentence is finished first, then comes this passage.";
  if (speed !== null && speed < 1) return "Rendering this passage. This computer takes longer to speak than you to listen: there will be pauses.";
  return "Rendering this passage. It plays as soon as it is ready.";
}

/** Whether an error passes by itself, once the server is back. @param {unknown} error */
export function passes(error) {
  const { status } = /** @type {{status?: number}} */ (error);
  return status === 0 || status === 502 || status === 503 || status === 504;
}
