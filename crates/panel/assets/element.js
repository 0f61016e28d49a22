// Finds elements by ID, and makes elements from attributes, text and other elements. Nothing here parses markup.

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

export const press = (button, on) => button.setAttribute("aria-pressed", on);
