/** Elements in one call. No inline style: the content policy forbids it, and custom properties do the same. */

/**
 * @typedef {Record<string, string|number|boolean|null|undefined|EventListener|((event: any) => void)>} Props
 *   `class`, attributes by name (false and null leave them out), `onclick`-style listeners, `--custom` properties
 */

/**
 * @template {string} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Node|string|null|undefined)} children
 * @returns {K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) set(element, name, value);
  element.append(.../** @type {(Node|string)[]} */ (children.filter((child) => child !== null && child !== undefined)));
  return /** @type {any} */ (element);
}

/**
 * @param {HTMLElement} element
 * @param {string} name
 * @param {Props[string]} value
 */
function set(element, name, value) {
  if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
  else if (name.startsWith("--")) element.style.setProperty(name, String(value));
  else if (value === true) element.setAttribute(name, "");
  else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
}

/** Undo functions gathered while an element is connected, run when it leaves. */
export class Cleanup {
  /** @type {(() => void)[]} */
  #undo = [];

  /** @param {...(() => void)} undo */
  add(...undo) {
    this.#undo.push(...undo);
  }

  /**
   * @param {EventTarget} target
   * @param {string} name
   * @param {(event: any) => void} listener
   * @param {AddEventListenerOptions} [options]
   */
  listen(target, name, listener, options) {
    target.addEventListener(name, listener, options);
    this.#undo.push(() => target.removeEventListener(name, listener, options));
  }

  /** @param {number} pause_ms @param {() => unknown} run */
  every(pause_ms, run) {
    const timer = setInterval(run, pause_ms);
    this.#undo.push(() => clearInterval(timer));
  }

  run() {
    for (const undo of this.#undo.splice(0)) undo();
  }
}

/**
 * Do something with these buttons off; what went wrong is said.
 * @param {HTMLButtonElement[]} buttons
 * @param {HTMLElement} said
 * @param {() => Promise<unknown>} work
 */
export async function attempt(buttons, said, work) {
  buttons.forEach((button) => (button.disabled = true));
  try {
    await work();
  } catch (error) {
    said.textContent = /** @type {Error} */ (error).message;
  } finally {
    buttons.forEach((button) => (button.disabled = false));
  }
}
