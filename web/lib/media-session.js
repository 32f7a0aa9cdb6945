/** The lock screen, the car and the keyboard's media keys. */

/** @typedef {typeof import("./settings.js").settings} Settings */
/**
 * @typedef {object} About
 * @property {() => {title: string, authors: string[], cover: string|null}} book  as it is called now
 * @property {(chapter: number) => string} chapterTitle
 */

/**
 * Which actions are offered: iOS has room for one pair beside play, and takes that of which it is told.
 * @param {"skip"|"chapter"} lock
 * @param {boolean} scarce  whether the system shows one pair only
 */
export function offered(lock, scarce) {
  const skip = /** @type {const} */ (["seekbackward", "seekforward"]);
  const chapter = /** @type {const} */ (["previoustrack", "nexttrack"]);
  if (!scarce) return [...skip, ...chapter];
  return [...(lock === "chapter" ? chapter : skip)];
}

/**
 * Tell the system what is playing and let it steer. Returns the undo.
 * @param {import("./playback.js").Playback} playback
 * @param {import("./travel.js").Travel} travel
 * @param {Settings} settings
 * @param {About} about
 * @returns {() => void}
 */
export function attachMediaSession(playback, travel, settings, about) {
  const session = navigator.mediaSession;
  if (!session) return () => undefined;
  const scarce = navigator.vendor.startsWith("Apple");
  const handlers = handlersOf(playback, travel, settings);
  const apply = () => {
    const wanted = new Set(/** @type {string[]} */ ([...offered(settings.lock.value, scarce), "play", "pause", "stop", "seekto"]));
    for (const [action, handler] of handlers) setHandler(session, action, wanted.has(action) ? handler : null);
  };
  let shown = "";
  const show = () => {
    const cue = playback.cue.value;
    const now = cue && metadata(about, cue.chapter);
    const face = JSON.stringify(now);
    if (now && face !== shown) {
      shown = face;
      session.metadata = new MediaMetadata(now);
    }
    const duration = travel.total_s;
    if (duration > 0) {
      session.setPositionState({ duration, position: Math.min(travel.chapter_s, duration), playbackRate: playback.speed });
    }
  };
  const undo = [
    playback.state.subscribe((state) => {
      if (state === "idle") return;
      session.playbackState = state === "paused" || state === "ended" ? "paused" : "playing";
      // iOS forgets handlers after a call or another interruption: they are set again whenever sound starts or stops.
      if (state === "playing" || state === "paused") apply();
      show();
    }),
    playback.cue.subscribe(throttle(show, 1000)),
    settings.lock.subscribe(apply),
    settings.speed.subscribe(show),
  ];
  return () => {
    undo.forEach((run) => run());
    for (const [action] of handlers) setHandler(session, action, null);
    session.metadata = null;
    session.playbackState = "none";
  };
}

/**
 * @param {import("./playback.js").Playback} playback
 * @param {import("./travel.js").Travel} travel
 * @param {Settings} settings
 * @returns {[MediaSessionAction, MediaSessionActionHandler][]}
 */
function handlersOf(playback, travel, settings) {
  return [
    ["play", () => playback.play()],
    ["pause", () => playback.pause()],
    ["stop", () => playback.pause()],
    ["seekbackward", (detail) => travel.skip(-(detail.seekOffset || settings.back_s.value))],
    ["seekforward", (detail) => travel.skip(detail.seekOffset || settings.forward_s.value)],
    ["seekto", (detail) => travel.seek(detail.seekTime ?? 0)],
    ["previoustrack", () => travel.chapterBack()],
    ["nexttrack", () => travel.chapterStep(1)],
  ];
}

/** @param {About} about @param {number} chapter */
function metadata(about, chapter) {
  const { title, authors, cover } = about.book();
  return {
    title: about.chapterTitle(chapter),
    artist: authors.join(", "),
    album: title,
    artwork: cover ? [{ src: cover }] : [{ src: "/web/icons/icon-512.png", sizes: "512x512" }],
  };
}

/** @param {MediaSession} session @param {MediaSessionAction} action @param {MediaSessionActionHandler|null} handler */
function setHandler(session, action, handler) {
  try {
    session.setActionHandler(action, handler);
  } catch {
    // An action this browser does not know: the others still work.
  }
}

/** @param {() => void} run @param {number} every_ms */
function throttle(run, every_ms) {
  let last = 0;
  return () => {
    if (Date.now() - last < every_ms) return;
    last = Date.now();
    run();
  };
}
