/** The page that shows the API: fetches its document and hands it to the element. */

import "./elements/api-reference.js";
import { BASE } from "./lib/api.js";

const trouble = /** @type {HTMLElement} */ (document.querySelector("#trouble"));

try {
  const response = await fetch(`${BASE}/openapi.json`);
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  /** @type {any} */ (document.querySelector("api-reference")).document = await response.json();
} catch {
  trouble.textContent = "Lectern does not answer. Is the computer it runs on awake?";
  trouble.hidden = false;
}
