/** Sentences of the server as the page shows them. */

import { h } from "./dom.js";

/** Text with what stands between backticks set as code. @param {string} text @returns {(Node|string)[]} */
export const withCode = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
