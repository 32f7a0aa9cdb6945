/** The address to open on a phone, with a code for its camera. In: `app`. */

import { h } from "../lib/dom.js";
import { TAILSCALE } from "../lib/elsewhere.js";
import { keepFresh } from "../lib/fresh.js";
import { withCode } from "../lib/words.js";

const WHERE = {
  serve: "Through Tailscale, with a certificate.",
  tailnet: "Through Tailscale, on devices that are signed in there.",
  lan: "In your home network. The code holds the token; show it to nobody else.",
  none: "",
};

class PhoneAddress extends HTMLElement {
  /** Set before it is connected. @type {import("../dashboard.js").App} */
  app = /** @type {any} */ (null);
  /** @type {ReturnType<typeof keepFresh>|null} */
  #fresh = null;
  #shown = "";
  #body = h("div", { class: "phone" });

  connectedCallback() {
    this.replaceChildren(h("section", { class: "card" }, h("h2", {}, "On your phone"), this.#body));
    this.#fresh = keepFresh(() => this.#load(), this.app.live, ["tailnet.changed"], this.app.fail, 2000);
  }

  disconnectedCallback() {
    this.#fresh?.stop();
  }

  async #load() {
    const { url, kind, advice } = await this.app.api.address();
    const shown = JSON.stringify([url, advice]);
    if (shown === this.#shown) return; // the picture is not fetched for nothing
    this.#shown = shown;
    const words = [];
    if (url) {
      const [address] = url.split("#"); // a token is for the camera
      words.push(h("p", {}, "Point its camera at the code, or open"), h("p", { class: "address" }, h("a", { href: url, rel: "noreferrer" }, address.replace(/\/(enter)?$/, ""))));
      words.push(h("p", { class: "quiet" }, WHERE[kind]));
      if (advice) words.push(h("p", { class: "quiet" }, ...withCode(advice)));
    } else {
      words.push(h("p", {}, "Only this computer can listen so far. For a phone:"));
      const then = ["Leave this page open: a code appears here by itself.", "Point the phone’s camera at the code, and open what it shows."];
      words.push(h("ol", { class: "steps" }, ...(advice ? [h("li", {}, ...linked(advice))] : []), ...then.map((step) => h("li", {}, step))));
      words.push(h("p", { class: "quiet" }, "Tailscale joins your own devices, at home and on the way, and opens nothing to the internet. Without it, a phone at home can come in too: ", h("a", { class: "quiet-link inline", href: "#/settings" }, "Settings"), ", “From the home network”."));
    }
    const code = url ? h("img", { class: "code", src: `/api/v1/address/qr.svg?for=${shown.length}`, alt: "The address as a QR code", width: 160, height: 160 }) : null;
    this.#body.replaceChildren(...(code ? [code] : []), h("div", { class: "words" }, ...words));
  }
}

/** What is to be done, with the page to get it from as a link. @param {string} advice @returns {(Node|string)[]} */
function linked(advice) {
  const [before = "", after] = advice.split(TAILSCALE.name);
  if (after === undefined) return withCode(advice);
  return [...withCode(before), h("a", { class: "quiet-link inline", href: TAILSCALE.href, target: "_blank", rel: "noreferrer" }, TAILSCALE.name), ...withCode(after)];
}

customElements.define("phone-address", PhoneAddress);
