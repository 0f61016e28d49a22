// A difference, drawn: struck out what is gone, underlined what is new.

import { difference } from "./diff.js";
import { make } from "./element.js";
import { count } from "./quantity.js";
import { visible } from "./text.js";

const PIECES = 3000;
const SAME = 20_000;
const TAGS = { gone: "del", new: "ins" };

/** Fills `element` and gives a note for the reader. */
export function fillChanges(element, before, after) {
  const { pieces, coarse } = difference(before, after);
  const sums = { gone: 0, new: 0, same: 0 };
  for (const [kind, text] of pieces) sums[kind] += text.length;
  const shown = pieces.slice(0, PIECES).map(([kind, text]) => (kind === "same" ? shorten(text) : make(TAGS[kind], {}, visible(text))));
  const block = make("div", {}, ...shown);
  if (pieces.length > PIECES) block.append(make("em", {}, "… further changes are not shown"));
  element.classList.remove("long");
  element.replaceChildren(block);
  if (!sums.gone && !sums.new) return "Nothing changed.";
  return `${count(sums.new)} characters new, ${count(sums.gone)} gone${coarse ? "; long texts are compared by lines" : ""}.`;
}

function shorten(text) {
  if (text.length <= SAME) return visible(text);
  const half = SAME / 2;
  return `${visible(text.slice(0, half))}\n… ${count(text.length - SAME)} equal characters left out …\n${visible(text.slice(-half))}`;
}
