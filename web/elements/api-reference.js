/** The API, address by address. Set `document`, the OpenAPI document. */

import { h } from "../lib/dom.js";
import { fieldsOf, groups, typeOf } from "../lib/openapi.js";

/** @typedef {import("../lib/openapi.js").Operation} Operation */
/** @typedef {import("../lib/openapi.js").Field} Field */

class ApiReference extends HTMLElement {
  /** Names that have a section of their own, to be linked to. @type {Set<string>} */
  #shapes = new Set();

  /** @param {any} told */
  set document(told) {
    const shapes = Object.entries(told.components?.schemas ?? {});
    this.#shapes = new Set(shapes.map(([name]) => name));
    const found = groups(told);
    const names = [...found.keys()].sort();
    this.replaceChildren(
      h(
        "section", { class: "card" },
        h("h2", {}, `${told.info.title} ${told.info.version}`),
        ...paragraphs(told.info.description ?? ""),
        h("p", { class: "quiet" }, "The document itself: ", h("a", { class: "link", href: "/api/v1/openapi.json" }, "/api/v1/openapi.json")),
        h("nav", { class: "tags", "aria-label": "Groups" }, ...[...names, "shapes"].map((name) => h("a", { class: "button", href: `#${name}` }, title(name)))),
      ),
      ...names.map((name) =>
        h("section", { class: "card", id: name }, h("h2", {}, title(name)), ...(found.get(name) ?? []).map((one) => this.#operation(one))),
      ),
      h("section", { class: "card", id: "shapes" }, h("h2", {}, "Shapes"), ...shapes.map(([name, schema]) => this.#shape(name, schema))),
    );
    this.#follow();
    window.addEventListener("hashchange", () => this.#follow());
  }

  /** What the address names is opened, and shown. */
  #follow() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
    target?.scrollIntoView();
  }

  /** @param {Operation} one */
  #operation(one) {
    return h(
      "details", { class: "operation", id: one.id },
      h("summary", {}, h("span", { class: "method", "data-method": one.method }, one.method), h("code", {}, one.path), h("span", { class: "said" }, one.summary)),
      ...paragraphs(one.description),
      one.head ? h("p", { class: "quiet" }, "Answers HEAD as well.") : null,
      one.parameters.length ? this.#fields("Parameters", one.parameters) : null,
      one.body ? h("p", {}, h("b", {}, "Body: "), ...this.#linked(one.body)) : null,
      h(
        "dl", { class: "answers" },
        ...one.answers.flatMap(({ status, description, types, shape }) => [
          h("dt", { class: status < "400" ? "good" : "" }, status),
          h("dd", {}, description || "As asked.", shape && status < "400" ? h("span", { class: "quiet" }, " ", ...this.#linked(shape)) : null, status < "400" && types.length ? h("span", { class: "quiet" }, ` ${types.join(", ")}`) : null),
        ]),
      ),
    );
  }

  /** @param {string} name @param {any} schema */
  #shape(name, schema) {
    const fields = fieldsOf(schema);
    return h(
      "details", { class: "operation", id: name },
      h("summary", {}, h("code", {}, name), h("span", { class: "said" }, first(schema.description ?? ""))),
      fields.length ? this.#fields("Fields", fields) : h("p", {}, ...this.#linked(typeOf(schema))),
    );
  }

  /** @param {string} caption @param {Field[]} fields */
  #fields(caption, fields) {
    return h(
      "div", { class: "fields", role: "group", "aria-label": caption },
      ...fields.map((field) =>
        h(
          "div", { class: "field-row" },
          h("p", {}, h("code", {}, field.name), h("span", { class: "quiet" }, ` ${field.where === "path" || !field.where ? "" : `${field.where}, `}`, ...this.#linked(field.type), field.required ? "" : ", optional")),
          field.description ? h("p", { class: "quiet" }, ...prose(field.description)) : null,
        ),
      ),
    );
  }

  /** A type with links to the shapes in it. @param {string} type @returns {(Node|string)[]} */
  #linked(type) {
    return type.split(/\b/).map((word) => (this.#shapes.has(word) ? h("a", { class: "link", href: `#${word}` }, word) : word));
  }
}

/** @param {string} text */
const paragraphs = (text) => text.split(/\n\s*\n/).filter(Boolean).map((one) => h("p", {}, ...prose(one)));
/** Words between backticks are code. @param {string} text @returns {(Node|string)[]} */
const prose = (text) => text.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));
/** @param {string} text */
const first = (text) => text.split("\n")[0];
/** @param {string} name */
const title = (name) => name.charAt(0).toUpperCase() + name.slice(1);

customElements.define("api-reference", ApiReference);
