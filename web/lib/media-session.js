/** The lock screen, the car and the keyboard's media keys. */

/**
 * Tell the system what is playing and let it steer. Returns the undo.
 * @param {import("./playback.js").Playback} playback
 * @param {import("./travel.js").Travel} travel
 * @param {{title: string, author: string, cover: string|null, chapterTitle: (chapter: number) => string, skip_s: () => number}} about
 * @returns {() => void}
 */
export function attachMediaSession(playback, travel, about) {
  const session = navigator.mediaSession;
  if (!session) return () => undefined;
  /** @type {[MediaSessionAction, MediaSessionActionHandler][]} */
  const handlers = [
    ["play", () => playback.play()],
    ["pause", () => playback.pause()],
    ["stop", () => playback.pause()],
    ["seekbackward", (detail) => travel.skip(-(detail.seekOffset ?? about.skip_s()))],
    ["seekforward", (detail) => travel.skip(detail.seekOffset ?? about.skip_s())],
    ["seekto", (detail) => travel.seek(detail.seekTime ?? 0)],
  ];
  const apply = () => {
    // iOS forgets handlers after an interruption, so they are set again whenever sound starts.
    for (const [action, handler] of handlers) setHandler(session, action, handler);
  };
  let shown = -1;
  const show = () => {
    const cue = playback.cue.value;
    if (cue && cue.chapter !== shown) {
      shown = cue.chapter;
      session.metadata = new MediaMetadata({
        title: about.chapterTitle(cue.chapter),
        artist: about.author,
        album: about.title,
        artwork: about.cover ? [{ src: about.cover }] : [{ src: "/web/icons/icon-512.png", sizes: "512x512" }],
      });
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
      if (state === "playing") apply();
      show();
    }),
    playback.cue.subscribe(throttle(show, 1000)),
  ];
  return () => {
    undo.forEach((run) => run());
    for (const [action] of handlers) setHandler(session, action, null);
    session.metadata = null;
    session.playbackState = "none";
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
