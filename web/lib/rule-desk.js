/** One rule of pronunciation on its way: tried, written, moved to the household, taken back. */

import { bookApi } from "./book-api.js";
import { lastLine, withLine, withRule } from "./rule-text.js";

/** @typedef {import("./book-api.js").Change} Change */
/** @typedef {import("./book-api.js").Rule} Rule */

export class RuleDesk {
  #book;
  #layer;
  #line;
  #first;
  /** What to go back to. @type {{layer: string, text: string, tag: string}[]} */
  #undo = [];

  /** @param {string} book @param {string} [layer]  "" for the book's own @param {number} [line]  that is edited, in this layer */
  constructor(book, layer = "", line = 0) {
    this.#book = book;
    this.#layer = layer;
    this.#line = line;
    this.#first = { layer, line };
  }

  /** The rules of a layer as they are, and as they should be. @param {string} layer @param {string} rule */
  async #wanted(layer, rule) {
    const before = await bookApi.rules(this.#book, layer);
    if (this.#line && layer === this.#layer) return { before, text: withLine(before.text, this.#line, rule), line: this.#line };
    const text = withRule(before.text, rule);
    return { before, text, line: lastLine(text) };
  }

  /**
   * What a rule would change, and how it is understood; `complaint` where it is no rule. Nothing is written.
   * @param {string} layer
   * @param {string} rule
   * @returns {Promise<{change: Change, rule: Rule|null, complaint: string|null}>}
   */
  async tried(layer, rule) {
    const { before, text, line } = await this.#wanted(layer, rule);
    const change = await bookApi.saveRules(this.#book, layer, { text, tag: before.tag }, true);
    // A layer that has no file yet gets a first line that says whose it is.
    const shift = lastLine(change.file.text) - lastLine(text);
    const at = line + Math.max(0, shift);
    const complaint = change.file.complaints.find((one) => one.line === at)?.message ?? null;
    return { change, rule: change.file.lines.find((one) => one.line === at) ?? null, complaint };
  }

  /** @param {string} layer @param {string} rule @returns {Promise<Change>} */
  async use(layer, rule) {
    const { before, text, line } = await this.#wanted(layer, rule);
    const change = await bookApi.saveRules(this.#book, layer, { text, tag: before.tag });
    // Used once more, it is written anew in its line, and taken back to what was there before the first time.
    const others = this.#undo.filter((one) => one.layer !== layer);
    const first = this.#undo.find((one) => one.layer === layer)?.text ?? before.text;
    this.#undo = [{ layer, text: first, tag: change.tag }, ...others];
    [this.#layer, this.#line] = [layer, line + Math.max(0, lastLine(change.file.text) - lastLine(text))];
    return change;
  }

  /** The rule that was used as the household's own, and the layer it stood in as it was. @param {string} rule @returns {Promise<Change>} */
  async forAll(rule) {
    const household = await bookApi.rules(this.#book, "household");
    const change = await bookApi.saveRules(this.#book, "household", { text: withRule(household.text, rule), tag: household.tag });
    // The household has it from here on: what fails now leaves the rule in two places, and nothing said otherwise.
    const own = this.#undo;
    const first = own.find((one) => one.layer === "household")?.text ?? household.text;
    this.#undo = [{ layer: "household", text: first, tag: change.tag }];
    for (const { layer, text, tag } of own.filter((one) => one.layer !== "household")) await bookApi.saveRules(this.#book, layer, { text, tag });
    [this.#layer, this.#line] = ["household", lastLine(change.file.text)];
    return change;
  }

  /** Gives how many sentences are rendered again. */
  async takeBack() {
    let applied = 0;
    [this.#layer, this.#line] = [this.#first.layer, this.#first.line];
    for (const { layer, text, tag } of this.#undo.splice(0)) applied += (await bookApi.saveRules(this.#book, layer, { text, tag })).applied;
    return applied;
  }
}
