/** Plots as plain SVG. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, string|number>} [attributes]
 * @param {...(Node|string)} children
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * A picture that is stretched to its place; `label` says in words what it shows.
 * @param {number} width @param {number} height @param {string} label @param {...Node} children
 */
export const plot = (width, height, label, ...children) =>
  s("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...children);

/**
 * Upright bars, each with words that show under the pointer.
 * @param {{value: number, words: string}[]} rows @param {string} label @param {number} [line]  a value to compare them with
 */
export function bars(rows, label, line = 0) {
  const most = Math.max(...rows.map(({ value }) => value), line, 1e-9);
  const made = rows.map(({ value, words }, at) => {
    const height = value ? Math.max(1.5, (value / most) * 98) : 0.6;
    return s("rect", { class: value ? "upright" : "upright none", x: at * 10 + 1.2, y: 100 - height, width: 7.6, height }, s("title", {}, words));
  });
  const y = 100 - (line / most) * 98;
  const across = line ? [s("line", { class: "even", x1: 0, x2: rows.length * 10, y1: y, y2: y, "vector-effect": "non-scaling-stroke" })] : [];
  return plot(rows.length * 10, 100, label, ...made, ...across);
}

/** @param {[number, number][]} parts  least and greatest of each column, -1 to 1 @param {string} label @param {...Node} over */
export function wave(parts, label, ...over) {
  const most = Math.max(...parts.map(([low, high]) => Math.max(-low, high)), 1e-9);
  const up = parts.map(([, high], at) => `${at} ${(50 - (high / most) * 48).toFixed(1)}`);
  const down = parts.map(([low], at) => `${at} ${(50 - (low / most) * 48).toFixed(1)}`).reverse();
  return plot(parts.length, 100, label, ...over, s("path", { class: "wave", d: `M${up.join("L")}L${down.join("L")}Z` }));
}

/** @param {(number|null)[]} values @param {number} low @param {number} high @param {string} label @param {number} width  of all of it, in values */
export function curve(values, low, high, label, width) {
  let path = "";
  let pen = "M";
  values.forEach((value, at) => {
    if (value !== null) path += `${pen}${at} ${(100 - ((value - low) / (high - low)) * 100).toFixed(1)}`;
    pen = value === null ? "M" : "L";
  });
  return plot(width, 100, label, s("path", { class: "curve", d: path || "M0 0", "vector-effect": "non-scaling-stroke" }));
}

/**
 * Loudness over time and frequency as a picture in an SVG, low sounds at the bottom.
 * @param {Float32Array[]} rows  decibels, 0 to -80 @param {number} bands  of each row that are shown @param {[number, number, number]} ink @param {string} label
 */
export function heat(rows, bands, [red, green, blue], label) {
  const canvas = Object.assign(document.createElement("canvas"), { width: rows.length, height: bands });
  const paint = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = paint.createImageData(rows.length, bands);
  rows.forEach((row, x) => {
    for (let band = 0; band < bands; band += 1) {
      image.data.set([red, green, blue, Math.round(255 * (1 + Math.max(-70, row[band]) / 70) ** 1.5)], ((bands - 1 - band) * rows.length + x) * 4);
    }
  });
  paint.putImageData(image, 0, 0);
  return plot(rows.length, bands, label, s("image", { href: canvas.toDataURL(), width: rows.length, height: bands, preserveAspectRatio: "none" }));
}
