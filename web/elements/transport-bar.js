/** The controls under the text. In: `state`, `showTime`, `settings`. Out: `transport` {act}, `seek` {seconds}. */

import { Cleanup, h } from "../lib/dom.js";
import { clock } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { SPEED_MAX, SPEED_MIN } from "../lib/settings.js";

const PRESETS = [0.8, 1, 1.25, 1.5, 2];

class TransportBar extends HTMLElement {
  /** Set before it is connected. @type {typeof import("../lib/settings.js").settings} */
  settings = /** @type {any} */ (null);
  /** What stands before and behind the bar; set before it is connected. @type {[Node|null, Node|null]} */
  ends = [null, null];
  #cleanup = new Cleanup();
  #play = h("button", { class: "round play", type: "button", onclick: () => this.#act("toggle") });
  #bar = h("input", { type: "range", min: 0, max: 1, step: 1, class: "scrubber", "aria-label": "Place in the chapter" });
  #now = h("span", { class: "time" });
  #left = h("span", { class: "time" });
  #dragging = false;

  connectedCallback() {
    const { back_s, forward_s, step } = this.settings;
    const back = this.#button("rewind", "", "back");
    const forward = this.#button("forward", "", "forward");
    const speed = h("button", { class: "round speed", type: "button", popovertarget: "speed-sheet" });
    this.replaceChildren(
      h("div", { class: "line" }, this.ends[0], h("div", { class: "track" }, this.#bar, this.#now, this.#left), this.ends[1]),
      h(
        "div", { class: "controls", role: "group", "aria-label": "Playback" },
        speed,
        this.#button("chapter-before", "Previous chapter", "chapterBefore"),
        this.#button("previous", "Previous sentence", "previous"),
        back, this.#play, forward,
        this.#button("next", "Next sentence", "next"),
        this.#button("chapter-next", "Next chapter", "chapterNext"),
        h("button", { class: "round", type: "button", "aria-label": "Text and sound settings", onclick: () => this.#act("settings") }, h("span", { class: "letters", "aria-hidden": "true" }, "Aa")),
      ),
      this.#speedSheet(),
    );
    this.#cleanup.add(
      back_s.subscribe((seconds) => this.#skips(back, "Back", seconds)),
      forward_s.subscribe((seconds) => this.#skips(forward, "Forward", seconds)),
      step.subscribe((what) => (this.dataset.step = what)),
      this.settings.speed.subscribe((value) => {
        speed.textContent = `${value}×`;
        speed.setAttribute("aria-label", `Speed, ${value} times`);
      }),
    );
    this.#cleanup.listen(this.#bar, "input", () => {
      this.#dragging = true;
      this.#showTimes(Number(this.#bar.value));
    });
    this.#cleanup.listen(this.#bar, "change", () => {
      this.#dragging = false;
      this.dispatchEvent(new CustomEvent("seek", { detail: { seconds: Number(this.#bar.value) }, bubbles: true }));
    });
  }

  disconnectedCallback() {
    this.#cleanup.run();
  }

  /** @param {import("../lib/playback.js").State} state */
  set state(state) {
    const on = state === "playing" || state === "loading" || state === "waiting";
    this.#play.replaceChildren(icon(on ? "pause" : "play"));
    this.#play.setAttribute("aria-label", on ? "Pause" : "Play");
    this.#play.classList.toggle("busy", state === "loading" || state === "waiting");
  }

  /** @param {number} now_s @param {number} total_s  both of the chapter */
  showTime(now_s, total_s) {
    this.#bar.max = String(Math.max(1, Math.round(total_s)));
    if (this.#dragging) return;
    this.#bar.value = String(Math.round(now_s));
    this.#showTimes(now_s);
  }

  /** @param {number} now_s */
  #showTimes(now_s) {
    const total_s = Number(this.#bar.max);
    this.#now.textContent = clock(now_s);
    this.#left.textContent = `−${clock(Math.max(0, total_s - now_s))}`;
    this.#bar.style.setProperty("--share", String(Math.min(1, now_s / total_s)));
    this.#bar.setAttribute("aria-valuetext", `${clock(now_s)} of ${clock(total_s)}`);
  }

  /** @param {HTMLElement} button @param {string} way @param {number} seconds */
  #skips(button, way, seconds) {
    button.setAttribute("aria-label", `${way} ${seconds} seconds`);
    button.dataset.seconds = String(seconds);
  }

  /** @param {string} act */
  #act(act) {
    this.dispatchEvent(new CustomEvent("transport", { detail: { act }, bubbles: true }));
  }

  /** @param {string} shape @param {string} label @param {string} act */
  #button(shape, label, act) {
    return h("button", { class: `round ${act}`, type: "button", "aria-label": label, onclick: () => this.#act(act) }, icon(shape));
  }

  #speedSheet() {
    const { speed } = this.settings;
    const shown = h("output", { class: "speed-now" });
    const slider = h("input", { type: "range", min: SPEED_MIN, max: SPEED_MAX, step: 0.05, "aria-label": "Speed" });
    slider.addEventListener("input", () => (speed.value = Number(slider.value)));
    this.#cleanup.add(
      speed.subscribe((value) => {
        shown.textContent = `${value}×`;
        slider.value = String(value);
        slider.style.setProperty("--share", String((value - SPEED_MIN) / (SPEED_MAX - SPEED_MIN)));
      }),
    );
    const presets = PRESETS.map((value) => h("button", { class: "chip", type: "button", onclick: () => (speed.value = value) }, `${value}×`));
    return h("div", { id: "speed-sheet", class: "sheet small", popover: "auto", role: "dialog", "aria-label": "Speed" }, shown, slider, h("div", { class: "chips" }, ...presets));
  }
}

customElements.define("transport-bar", TransportBar);
