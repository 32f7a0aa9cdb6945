/** How long was listened, what takes the space, how fast was rendered, how a sentence sounds: a page of the dashboard. */

import { h } from "../lib/dom.js";
import { counted, size, span } from "../lib/format.js";
import { house } from "../lib/house-api.js";
import { bars } from "../lib/plots.js";

const DAYS = 30;
const BOOKS = 200; // asked for; of these the largest are shown
const SHOWN = 12;

class InsightPage extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {string[]} */
  path = [];
  #days = h("div", {}, h("p", { class: "quiet pad" }, "Looking …"));
  #books = h("div", {}, h("p", { class: "quiet pad" }, "Looking …"));

  connectedCallback() {
    document.title = "Insight · Lectern";
    const [speed, sentence] = ["render-speed", "sentence-plots"].map((tag) => Object.assign(document.createElement(tag), { app: this.app }));
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Listening"), this.#days), h("section", { class: "card" }, h("h2", {}, "Space"), this.#books), speed, sentence);
    Promise.all([this.#listened(), this.#space()]).catch(this.app.fail);
  }

  async #listened() {
    const { days, heard_s } = await house.listening();
    const heard = new Map(days.map((day) => [day.day, day]));
    const dates = Array.from({ length: DAYS }, (_, at) => dayBefore(DAYS - 1 - at));
    const rows = dates.map((date) => {
      const day = heard.get(date);
      const books = day?.books.map(({ title, heard_s: part_s }) => `${title}, ${span(part_s)}`).join("; ");
      return { value: day?.heard_s ?? 0, words: `${named(date)}: ${day ? `${span(day.heard_s)} (${books})` : "nothing"}` };
    });
    this.#days.replaceChildren(
      h("p", { class: "quiet pad" }, heard_s ? `You heard ${span(heard_s)} in the last ${DAYS} days, on ${counted(days.length, "day")}.` : `You heard nothing in the last ${DAYS} days.`),
      ...(heard_s ? [h("div", { class: "days" }, bars(rows, `Hours heard on each of the last ${DAYS} days`)), h("p", { class: "ends quiet" }, h("span", {}, named(dates[0])), h("span", {}, "today"))] : []),
      ...(heard_s ? [h("details", {}, h("summary", {}, "Day by day"), h("ul", { role: "list", class: "rows" }, ...rows.filter(({ value }) => value).reverse().map(({ words }) => h("li", { class: "day" }, words))))] : []),
    );
  }

  async #space() {
    const { books, total } = await this.app.api.page({ sort: "added", limit: BOOKS });
    const rows = books.map((book) => ({ title: book.title, id: book.id, now: book.audio_bytes, more: book.other_bytes ?? 0 })).filter(({ now, more }) => now + more);
    rows.sort((a, b) => b.now + b.more - a.now - a.more);
    const all = rows.reduce((sum, { now, more }) => sum + now + more, 0);
    const most = Math.max(...rows.map(({ now, more }) => now + more), 1);
    const rest = rows.length - SHOWN;
    this.#books.replaceChildren(
      h("p", { class: "quiet pad" }, all ? `The audio of ${counted(rows.length, "book")} takes ${size(all)}.${total > BOOKS ? ` Of the newest ${BOOKS} books.` : ""}` : "There is no audio yet."),
      h("ul", { role: "list", class: "space" }, ...rows.slice(0, SHOWN).map(({ title, now, more }) =>
        h("li", {}, h("p", { class: "line" }, h("span", {}, title), h("span", { class: "quiet" }, `${size(now + more)}${more ? `, ${size(more)} of it in other voices and of earlier editions` : ""}`)), h("span", { class: "meter", "--share": (now + more) / most })))),
      ...(rest > 0 ? [h("p", { class: "quiet pad" }, `and ${counted(rest, "smaller one")}`)] : []),
    );
  }
}

/** @param {number} days  ago; the day by this device's clock, as the server writes days */
function dayBefore(days) {
  const date = new Date();
  date.setDate(date.getDate() - days);
  return [date.getFullYear(), String(date.getMonth() + 1).padStart(2, "0"), String(date.getDate()).padStart(2, "0")].join("-");
}

/** @param {string} date */
const named = (date) => new Date(`${date}T12:00`).toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" });

customElements.define("insight-page", InsightPage);
