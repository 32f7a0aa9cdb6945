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
  previous: ["M18 6.5 11 12l7 5.5z", "M6.5 6v12"],
  next: ["M6 6.5l7 5.5-7 5.5z", "M17.5 6v12"],
  close: ["M6 6l12 12M18 6 6 18"],
  down: ["M12 5v14M6 13l6 6 6-6"],
  up: ["M12 19V5M6 11l6-6 6 6"],
  add: ["M12 5v14M5 12h14"],
  trash: ["M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 12.5h9l1-12.5M10 10.5v5.5M14 10.5v5.5"],
  good: ["M5 12.5l4.5 4.5L19 7.5"],
  bad: ["M12 7v6M12 16.8h.01", "M12 3.5 2.5 20h19z"],
  unsure: ["M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z", "M12 16.4h.01M9.9 9.6a2.2 2.2 0 1 1 3.1 2.2c-.7.3-1 .8-1 1.6"],
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
