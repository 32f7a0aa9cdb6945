/** How fast was rendered, in words and as rows of a plot. Pure. */

import { span } from "./format.js";

/** @typedef {{at: string, audio_s: number, work_s: number}} Hour */
/** @typedef {{value: number, words: string}} Row */

const HOUR_MS = 3_600_000;
const FEW = 48; // as long as nothing is older than so many hours, each has a bar of its own

/** `3.2×`. @param {number} speed */
export function times(speed) {
  return `${speed.toFixed(speed < 1 ? 2 : speed < 10 ? 1 : 0)}×`;
}

/** @param {Hour[]} hours */
function sum(hours) {
  const audio_s = hours.reduce((all, hour) => all + hour.audio_s, 0);
  const work_s = hours.reduce((all, hour) => all + hour.work_s, 0);
  return { audio_s, work_s, speed: work_s ? audio_s / work_s : 0 };
}

/** @param {string} when @param {Hour[]} hours @returns {Row} */
function row(when, hours) {
  const { audio_s, work_s, speed } = sum(hours);
  return { value: speed, words: speed ? `${when}: ${times(speed)}, ${span(audio_s)} of audio in ${span(work_s)}` : `${when}: nothing` };
}

/**
 * A row a day, by this device's clock; a row an hour as long as there are only a few.
 * @param {Hour[]} hours @param {number} days  for which it is kept @param {number} now_ms
 * @returns {{rows: Row[], said: string, label: string, ends: [string, string]}|null}  null where nothing was rendered
 */
export function speedRows(hours, days, now_ms) {
  const oldest_ms = Math.min(...hours.map(({ at }) => Date.parse(at)));
  const hourly = oldest_ms > now_ms - (FEW - 1) * HOUR_MS;
  const key = (/** @type {Date} */ at) => (hourly ? Math.floor(at.getTime() / HOUR_MS) : at.toDateString());
  const name = (/** @type {Date} */ at) =>
    hourly ? at.toLocaleString(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" }) : at.toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" });
  const moments = hourly
    ? Array.from({ length: FEW }, (_, at) => new Date((Math.floor(now_ms / HOUR_MS) - FEW + 1 + at) * HOUR_MS))
    : Array.from({ length: days }, (_, at) => dayBefore(now_ms, days - 1 - at));
  const shown = moments.map((at) => hours.filter((hour) => key(new Date(hour.at)) === key(at)));
  const { audio_s, work_s, speed } = sum(shown.flat());
  if (!speed) return null;
  const rows = moments.map((at, i) => row(name(at), shown[i]));
  const made = rows.map(({ value }) => value).filter(Boolean);
  const [least, most] = [Math.min(...made), Math.max(...made)];
  const range = times(least) === times(most) ? times(most) : `${times(least)} to ${times(most)}`;
  const when = hourly ? `the last ${FEW} hours` : `the last ${days} days`;
  return {
    rows,
    said: `${times(speed)} the speed of speech in ${when}: ${span(audio_s)} of audio in ${span(work_s)} of work.`,
    label: `Speed of rendering in each ${hourly ? "hour" : "day"} of ${when}, ${range} the speed of speech`,
    ends: [name(moments[0]), hourly ? "now" : "today"],
  };
}

/** @param {number} now_ms @param {number} days */
function dayBefore(now_ms, days) {
  const date = new Date(now_ms);
  date.setHours(12, 0, 0, 0); // no change of the clocks comes near
  date.setDate(date.getDate() - days);
  return date;
}
