/** Who may listen through Tailscale, and as what: the list, whoever waits to be let in, and a line to add somebody. In: `app`. */

import { h } from "../lib/dom.js";
import { ago } from "../lib/format.js";
import { keepFresh } from "../lib/fresh.js";

/** @typedef {import("../lib/types.js").Person} Person */
/** @typedef {import("../lib/types.js").Device} Device */

const ROLES = [["listener", "listens"], ["owner", "may do everything"]];
const WHY = /** @type {Record<string, string>} */ ({
  "not-on-the-list": "is not on the list",
  "device-tagged": "has a tag in Tailscale and is nobody’s",
  "device-unknown": "is not known to Tailscale",
});

class PeopleList extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  #how = h("p", { class: "quiet pad" });
  #warning = h("p", { class: "said-here", role: "status" });
  #list = h("ul", { class: "rows", role: "list" });
  #visitors = h("div", { class: "visitors" });
  #login = h("input", { class: "field", type: "email", required: true, maxlength: 254, autocomplete: "off", placeholder: "anna@example.com", "aria-label": "What they sign in to Tailscale with" });
  #name = h("input", { class: "field", type: "text", maxlength: 100, autocomplete: "off", placeholder: "Name (if you like)", "aria-label": "Name" });
  #said = h("p", { class: "said-here", role: "alert" });

  connectedCallback() {
    const form = h(
      "form", { class: "voice-line", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), this.#add(this.#login.value, this.#name.value)) },
      this.#login, this.#name, h("button", { class: "button", type: "submit" }, "Let them listen"),
    );
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "People"), this.#how, this.#warning, this.#list, this.#visitors, h("details", {}, h("summary", {}, "Add somebody"), form, this.#said)));
    this.#fresh = keepFresh(() => this.#load(), this.app.live, ["people.changed"], this.app.fail, 2000);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    const { people, owner, devices, visitors, tailscale, warning } = await this.app.api.people();
    this.#how.textContent = owner ? `Your own devices (${owner}) are let in. So is everybody here.` : `${tailscale} Others come in through Tailscale: “On your phone” says how.`;
    this.#warning.textContent = warning ?? "";
    const you = devices.length ? [h("li", { class: "row kept-row" }, h("div", { class: "words" }, h("p", { class: "name" }, "You"), seen(devices)))] : [];
    this.#list.replaceChildren(...you, ...people.map((person) => this.#row(person)));
    this.#visitors.replaceChildren(
      ...(visitors.length ? [h("h3", {}, "Were not let in"), h("ul", { class: "rows", role: "list" }, ...visitors.slice(0, 5).map((device) => this.#visitor(device)))] : []),
    );
  }

  /** @param {Person} person */
  #row(person) {
    const who = person.name || person.login;
    const role = h("select", { class: "field", "aria-label": `What ${who} may do` }, ...ROLES.map(([value, label]) => h("option", { value, selected: value === person.role }, label)));
    role.addEventListener("change", () => this.#do(this.app.api.changePerson(person.id, { role: role.value })));
    const remove = h("button", { class: "button danger", type: "button", "aria-label": `Remove ${who} …` }, "Remove");
    const doors = h("div", { class: "doors" }, role, remove);
    remove.addEventListener("click", () => {
      const keep = h("button", { class: "button", type: "button", onclick: () => (doors.replaceChildren(role, remove), remove.focus()) }, "Keep");
      doors.replaceChildren(h("button", { class: "button danger", type: "button", onclick: () => this.#do(this.app.api.removePerson(person.id)) }, `Let ${who} listen no longer`), keep);
      keep.focus();
    });
    const words = [h("p", { class: "name" }, who), person.name ? h("p", { class: "quiet" }, person.login) : null, seen(person.devices)];
    return h("li", { class: "row kept-row" }, h("div", { class: "words" }, ...words), doors);
  }

  /** @param {Device} device */
  #visitor(device) {
    const who = device.login ?? device.name;
    const why = `${who} ${WHY[device.refused ?? ""] ?? "was refused"}`;
    const words = h("div", { class: "words" }, h("p", { class: "name" }, (device.login && device.who) || who), h("p", { class: "quiet" }, [why, device.login ? device.name : "", ago(device.seen)].filter(Boolean).join(" · ")));
    const add = device.refused === "not-on-the-list" && device.login
      ? h("div", { class: "doors" }, h("button", { class: "button", type: "button", "aria-label": `Let ${who} listen`, onclick: () => this.#add(String(device.login), device.who) }, "Let them listen"))
      : null;
    return h("li", { class: "row kept-row" }, words, add);
  }

  /** @param {string} login @param {string} name */
  async #add(login, name) {
    if (!(await this.#do(this.app.api.addPerson({ login: login.trim(), name: name.trim() })))) return;
    this.#login.value = this.#name.value = "";
  }

  /** @param {Promise<unknown>} asked */
  async #do(asked) {
    this.#said.textContent = "";
    try {
      await asked;
      return true;
    } catch (error) {
      this.#said.textContent = /** @type {Error} */ (error).message;
      this.querySelector("details")?.setAttribute("open", "");
      return false;
    } finally {
      this.#fresh?.refresh();
    }
  }
}

/** @param {Device[]} devices */
function seen(devices) {
  return devices.length ? h("p", { class: "quiet" }, devices.slice(0, 3).map(({ name, seen: at }) => `${name}, ${ago(at)}`).join(" · ")) : null;
}

customElements.define("people-list", PeopleList);
