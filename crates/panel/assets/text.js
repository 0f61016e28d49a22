// Shows text from the model and the server. It is always treated as data, never as markup.

import { make } from "./element.js";

const PART = 8192;
const LONGEST = 65_536;
// Control characters (C0 and C1) except tab and line feed, marks that change the direction of text, and lone
// surrogates.
const ODD =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Returns the nearest place at or before `at` that is not within a character. */
export const whole = (text, at) => (text.codePointAt(at - 1) > 0xffff ? at - 1 : at);

/** Shows invisible characters as their code numbers. Leaves out what is longer than `most` UTF-16 units. */
export const visible = (text, most = Infinity) =>
  text.slice(0, whole(text, most)).replace(ODD, (odd) => `‹${odd.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}›`);

/** Turns a remark into a sentence. */
export const sentence = (text = "") =>
  visible(text.replace(/^[a-z]+(?= )/, (word) => word[0].toUpperCase() + word.slice(1)).replace(/[^.!?…]$/, "$&."));

/** Fills `element` with `text`, and highlights the characters from the UTF-16 unit `mark.from` to `mark.to`. */
export function fill(element, text, mark) {
  const [from, to] = [mark?.from, mark?.to].map((at = text.length) => whole(text, at));
  fillPieces(element, [
    [null, text.slice(0, from)],
    ["mark", text.slice(from, to)],
    [null, text.slice(to)],
  ]);
}

/** Adds `text` after what `fill` wrote. */
export function extend(element, text) {
  const last = element.lastElementChild;
  if (last.textContent.length > PART && last.textContent.endsWith("\n")) element.append(make("div", {}, visible(text)));
  else last.append(visible(text));
}

/**
 * Fills `element` with pieces `[tag, text]`. They are grouped into blocks, so that the browser lays out only visible
 * ones.
 */
export function fillPieces(element, pieces) {
  let block = make("div");
  let units = 0;
  const blocks = [block];
  for (const [tag, text] of pieces)
    for (const [from, to] of cut(text)) {
      const part = text.slice(from, to);
      block.append(tag ? make(tag, {}, visible(part)) : visible(part));
      units += part.length;
      if (units < PART || (!part.endsWith("\n") && units < LONGEST)) continue;
      blocks.push((block = make("div")));
      units = 0;
    }
  element.classList.toggle("long", blocks.length > 4);
  element.replaceChildren(...blocks);
}

/** Returns where to cut text into blocks, at ends of lines if there are any. */
function cut(text) {
  const places = [];
  for (let from = 0; from < text.length;) {
    let to = text.length;
    if (to - from > PART) {
      const before = text.lastIndexOf("\n", from + PART);
      const after = before > from ? before : text.indexOf("\n", from + PART);
      to = after < 0 ? text.length : after + 1;
      if (to - from > LONGEST) to = whole(text, from + LONGEST);
    }
    places.push([from, to]);
    from = to;
  }
  return places;
}

/** Returns the beginning of some text, and how much is left out. */
export function beginning(text, units) {
  const shown = text.slice(0, whole(text, units));
  return [shown, text.length - shown.length];
}
