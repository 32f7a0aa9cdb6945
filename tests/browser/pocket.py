"""A page as it is in a locked phone: hidden, no frame to paint, its timers standing still, its media events rare."""

from typing import Any

from playwright.sync_api import BrowserContext, Page

EVERY_MS = 5_000  # one time update in this time is let through; a hidden Chromium gives four a second
SCRIPT = """(() => {
  let locked = false;
  let held = [];
  const [timer, interval, frame] = [setTimeout, setInterval, requestAnimationFrame].map((one) => one.bind(window));
  const guard = (run, again) => (...given) => {
    if (!locked) return run(...given);
    if (!again) held.push(() => run(...given));
  };
  window.setTimeout = (run, ms, ...given) => timer(guard(run, false), ms, ...given);
  window.setInterval = (run, ms, ...given) => interval(guard(run, true), ms, ...given);
  window.requestAnimationFrame = (run) => frame(guard(run, false));
  Object.defineProperty(document, "hidden", { get: () => locked });
  Object.defineProperty(document, "visibilityState", { get: () => (locked ? "hidden" : "visible") });
  window.pocket = { events: [] };
  let [last, every_ms] = [0, 0];
  const note = (event) => {
    const { currentTime, playbackRate } = event.target;
    window.pocket.events.push([event.type, Math.round(performance.now()), currentTime, playbackRate]);
  };
  for (const name of ["waiting", "stalled", "pause", "playing", "ended", "error", "emptied", "seeking"]) {
    window.addEventListener(name, (event) => event.target instanceof HTMLMediaElement && note(event), true);
  }
  window.addEventListener("timeupdate", (event) => {
    if (!locked) return;
    if (performance.now() - last < every_ms) event.stopImmediatePropagation();
    else last = performance.now();
  }, true);
  const tell = () => document.dispatchEvent(new Event("visibilitychange"));
  window.pocket.lock = (ms) => ([locked, every_ms] = [true, ms], tell());
  window.pocket.unlock = () => {
    locked = false;
    tell();
    const waited = held;
    held = [];
    waited.forEach((run) => run());
  };
})()"""


def prepare(context: BrowserContext) -> None:
    """Pages that this context opens from now on can be locked."""
    context.add_init_script(SCRIPT)


def lock(page: Page, every_ms: int = EVERY_MS) -> None:
    page.evaluate("window.pocket.lock", every_ms)


def unlock(page: Page) -> None:
    page.evaluate("window.pocket.unlock()")


def events(page: Page) -> list[list[Any]]:
    """What the audio element has told: name, milliseconds since the page began, seconds of its own time, speed."""
    found: list[list[Any]] = page.evaluate("window.pocket.events")
    return found
