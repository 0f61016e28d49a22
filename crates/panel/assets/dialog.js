// Dialogs, which are shown one at a time. Each gets an `open` event when it is shown.

import { find } from "./element.js";

/** Sets up a dialog and returns its element. The button with the ID `opener`, if any, opens it. */
export function dialog(id, opener) {
  const element = find(id);
  element.querySelector("[data-close]").onclick = () => element.close();
  // A press beside the dialog closes it, unless something long could have been typed there.
  element.addEventListener("pointerdown", ({ target }) => target === element && !element.querySelector("textarea") && element.close());
  // In a search field, Esc would only clear the field.
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    element.close();
  });
  if (opener) find(opener).onclick = () => show(element);
  return element;
}

export function show(element) {
  find("menu").hidePopover();
  if (document.querySelector("dialog[open]")) return;
  element.showModal();
  element.dispatchEvent(new Event("open"));
}
