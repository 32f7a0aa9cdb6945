/** The door of the home network: takes the token from the address or from the form, and goes on to the shelf. */

const form = /** @type {HTMLFormElement} */ (document.querySelector("form"));
const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("token"));
const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
const said = /** @type {HTMLElement} */ (document.querySelector(".said-here"));

/** @param {string} token */
async function enter(token) {
  button.disabled = true;
  said.textContent = "";
  try {
    const answer = await fetch("/api/v1/enter", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) });
    if (answer.ok) {
      location.replace("/");
      return;
    }
    said.textContent = (await answer.json()).detail;
  } catch {
    said.textContent = "Lectern does not answer. Try again in a moment.";
  }
  button.disabled = false;
  field.select();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  enter(field.value.trim());
});

function fromAddress() {
  const given = location.hash.slice(1);
  if (!given) return;
  history.replaceState(null, "", location.pathname); // so that it stays in no history and no bookmark
  enter(given);
}

addEventListener("hashchange", fromAddress); // this page was open already
fromAddress();
