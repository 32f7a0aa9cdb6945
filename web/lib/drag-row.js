/** A row of a list that is dragged by a grip, with a mouse, a pen or a finger. */

const BEGINS_PX = 5; // what moves less is a click
const EDGE_PX = 70; // so near the edge of the window the page scrolls along

/**
 * The other rows make room while it is dragged: it stays where it is in the document, so that the pointer keeps it.
 * @param {HTMLElement} grip
 * @param {HTMLElement} row  among its siblings
 * @param {{begun: () => void, ended: (dropped: boolean) => void}} tell  `dropped` false: it was let go of by Escape
 */
export function dragRow(grip, row, { begun, ended }) {
  grip.addEventListener("pointerdown", (down) => {
    if (down.button !== 0 || !down.isPrimary) return;
    const from_px = down.clientY - row.getBoundingClientRect().top;
    let shift_px = 0;
    let dragging = false;
    grip.setPointerCapture(down.pointerId);

    const move = (/** @type {PointerEvent} */ event) => {
      if (!dragging && Math.abs(event.clientY - down.clientY) < BEGINS_PX) return;
      if (!dragging) begun();
      dragging = true;
      row.toggleAttribute("data-held", true);
      if (event.clientY < EDGE_PX) scrollBy(0, -12);
      else if (event.clientY > innerHeight - EDGE_PX) scrollBy(0, 12);
      makeRoom(row, event.clientY);
      shift_px = event.clientY - from_px - (row.getBoundingClientRect().top - shift_px);
      row.style.setProperty("--drag", `${shift_px}px`);
    };
    const end = (/** @type {boolean} */ dropped) => {
      grip.removeEventListener("pointermove", move);
      grip.removeEventListener("pointerup", up);
      grip.removeEventListener("pointercancel", cancel);
      document.removeEventListener("keydown", escape, true);
      row.removeAttribute("data-held");
      row.style.removeProperty("--drag");
      if (!dragging) return;
      grip.addEventListener("click", swallow, { once: true, capture: true }); // a drag that ends on the grip is no click
      setTimeout(() => grip.removeEventListener("click", swallow, { capture: true }));
      ended(dropped);
    };
    const up = () => end(true);
    const cancel = () => end(false);
    const escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !dragging) return;
      event.preventDefault();
      end(false);
    };
    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", up);
    grip.addEventListener("pointercancel", cancel);
    document.addEventListener("keydown", escape, true);
  });
}

/** Put the neighbours on the other side of `row` whose middle the pointer has passed. @param {HTMLElement} row @param {number} y */
function makeRoom(row, y) {
  const middle = (/** @type {Element} */ one) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2;
  let next;
  while ((next = row.previousElementSibling) && y < middle(next)) row.after(next);
  while ((next = row.nextElementSibling) && y > middle(next)) row.before(next);
}

/** @param {Event} event */
function swallow(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
