/** Keeps a view up to date: loads now, and again when the server tells of a change, never twice at once. */

/**
 * @param {() => Promise<void>} load
 * @param {import("./live.js").Live} live
 * @param {string[]} names  events that make the view stale; `resync` is always one
 * @param {(error: Error) => void} onError
 * @param {number} [pause_ms]  least time between two loads
 * @returns {{refresh: () => void, stop: () => void}}
 */
export function keepFresh(load, live, names, onError, pause_ms = 1000) {
  let running = false;
  let stale = false;
  let stopped = false;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  const run = async () => {
    if (running || stopped) return void (stale = true);
    running = true;
    stale = false;
    await load().catch(onError);
    timer = setTimeout(() => {
      running = false;
      if (stale) run();
    }, pause_ms);
  };
  const off = live.on([...names, "resync"], run);
  run();
  return {
    refresh: run,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      off();
    },
  };
}
