/** Our own line icons, 24 × 24, drawn in the colour of the text around them. */

const NS = "http://www.w3.org/2000/svg";

/** Path data; a leading `!` fills the shape instead of stroking it. @type {Record<string, string[]>} */
const SHAPES = {
  play: ["!M8 4.8v14.4a.8.8 0 0 0 1.2.7l11-7.2a.8.8 0 0 0 0-1.4l-11-7.2A.8.8 0 0 0 8 4.8z"],
  pause: ["!M7.5 4.5h2a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1zM14.5 4.5h2a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1z"],
  back: ["M15 5l-7 7 7 7"],
  list: ["M9 6.5h11M9 12h11M9 17.5h11", "M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01"],
  rewind: ["M4.5 12a7.5 7.5 0 1 0 2.6-5.7", "M7.6 2.6 6.8 6.6l4 .9"],
  forward: ["M19.5 12a7.5 7.5 0 1 1-2.6-5.7", "M16.4 2.6l.8 4-4 .9"],
  previous: ["M14.5 6.5 9 12l5.5 5.5"],
  next: ["M9.5 6.5 15 12l-5.5 5.5"],
  "chapter-before": ["M18 6.5 11 12l7 5.5z", "M6.5 6v12"],
  "chapter-next": ["M6 6.5l7 5.5-7 5.5z", "M17.5 6v12"],
  close: ["M6 6l12 12M18 6 6 18"],
  grip: ["M9 6.5h.01M15 6.5h.01M9 12h.01M15 12h.01M9 17.5h.01M15 17.5h.01"],
  down: ["M12 5v14M6 13l6 6 6-6"],
  up: ["M12 19V5M6 11l6-6 6 6"],
  add: ["M12 5v14M5 12h14"],
  download: ["M12 4v10.5M7.5 10.5l4.5 4.5 4.5-4.5", "M4.5 19.5h15"],
  trash: ["M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 12.5h9l1-12.5M10 10.5v5.5M14 10.5v5.5"],
  good: ["M5 12.5l4.5 4.5L19 7.5"],
  bad: ["M12 7v6M12 16.8h.01", "M12 3.5 2.5 20h19z"],
  unsure: ["M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z", "M12 16.4h.01M9.9 9.6a2.2 2.2 0 1 1 3.1 2.2c-.7.3-1 .8-1 1.6"],
  flag: ["M6 21V4.5", "M6 5c4-2 7 2 12 0v8.5c-5 2-8-2-12 0"],
  ribbon: ["M7 4h10a.8.8 0 0 1 .8.8V20L12 15.8 6.2 20V4.8A.8.8 0 0 1 7 4z"],
  undo: ["M8.5 14 4 9.5 8.5 5", "M4.5 9.5h9a5.5 5.5 0 0 1 0 11H11"],
  pencil: ["M4.5 19.5l1-4.2L16 4.8a1.6 1.6 0 0 1 2.3 0l.9.9a1.6 1.6 0 0 1 0 2.3L8.7 18.5z", "M14 7l3 3"],
  sound: ["M4.5 10v4h3.2l4.3 3.6V6.4L7.7 10z", "M15.2 9.2a4 4 0 0 1 0 5.6M17.8 6.8a7.4 7.4 0 0 1 0 10.4"],
  find: ["M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12z", "M15 15l5 5"],
  moon: ["M19.5 14.2A8 8 0 1 1 10 4.5a6.3 6.3 0 0 0 9.5 9.7z"],
  book: ["M12 6.5C10 5 7 4.5 4 5v13c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.5V5c-3-.5-6 0-8 1.5zM12 6.5v13"],
};

/**
 * @param {keyof typeof SHAPES} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  for (const shape of SHAPES[name]) {
    const path = document.createElementNS(NS, "path");
    const filled = shape.startsWith("!");
    path.setAttribute("d", filled ? shape.slice(1) : shape);
    path.setAttribute("class", filled ? "filled" : "line");
    svg.append(path);
  }
  return svg;
}
