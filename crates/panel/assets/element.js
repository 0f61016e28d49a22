// Finds elements by ID, and makes elements from attributes, text and other elements. Nothing here parses markup.

/** @returns {any} The element, which can be of any kind. */
export const find = (id) => document.getElementById(id);

/** Makes an element. String children become text, and attributes that are null or false are left out. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Sets an element's text if it differs, so that assistive technology and the layout are not disturbed unnecessarily. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Like `write`, for several pieces, which are text and elements. Leaves out those that are null. */
export function writeAll(element, pieces) {
  const shown = pieces.filter((piece) => piece != null);
  if (element.textContent !== shown.map((piece) => piece.textContent ?? piece).join("")) element.replaceChildren(...shown);
}

/** Puts `separator` between the pieces, and leaves out those that are empty. */
export const joined = (pieces, separator) => pieces.filter(Boolean).flatMap((piece, i) => (i ? [separator, piece] : [piece]));

export const press = (button, on) => button.setAttribute("aria-pressed", on);
