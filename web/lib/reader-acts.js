/** What keys and buttons do in the reader, by the names that both use. */

/** Acts that do not call the page back to the voice. @type {ReadonlySet<string>} */
export const QUIET = new Set(["settings", "keys", "bookmark", "wrong", "chapters", "find", "sleep", "menu", "voice"]);

/**
 * @param {import("./playback.js").Playback} playback
 * @param {import("./travel.js").Travel} travel
 * @param {typeof import("./settings.js").settings} settings
 * @param {Record<string, () => unknown>} shows  those that show something
 * @returns {Record<string, () => unknown>}
 */
export function actsOf(playback, travel, settings, shows) {
  return {
    ...shows,
    toggle: () => playback.toggle(),
    back: () => travel.skip(-settings.back_s.value),
    forward: () => travel.skip(settings.forward_s.value),
    previous: () => travel.sentenceStep(-1),
    next: () => travel.sentenceStep(1),
    chapterBefore: () => travel.chapterBack(),
    chapterNext: () => travel.chapterStep(1),
  };
}
