// Elements: found by id, or made of attributes, texts and other elements. Nothing here parses markup.

export const find = (id) => document.getElementById(id);

/** Makes an element; string children become text, and attributes that are null or false are left out. */
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

/** Sets the text of an element if it differs: this leaves assistive technology and layout alone otherwise. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const press = (button, on) => button.setAttribute("aria-pressed", on);
