// Draws a difference: removed text is struck out, and new text is underlined.

import { difference } from "./diff.js";
import { make } from "./element.js";
import { count } from "./quantity.js";
import { fillPieces } from "./text.js";

const PIECES = 3000;
const SAME = 20_000;
const TAGS = { gone: "del", new: "ins" };

/** Fills `element` with the difference, and returns a note about it. */
export function fillChanges(element, before, after) {
  const { pieces, coarse } = difference(before, after);
  const sums = { gone: 0, new: 0, same: 0 };
  for (const [kind, text] of pieces) sums[kind] += text.length;
  fillPieces(
    element,
    pieces.slice(0, PIECES).map(([kind, text]) => [TAGS[kind], kind === "same" ? shorten(text) : text]),
  );
  if (pieces.length > PIECES) element.append(make("em", {}, "… further changes are not shown"));
  if (!sums.gone && !sums.new) return "Nothing changed.";
  return `${count(sums.new)} characters added, ${count(sums.gone)} removed${coarse ? "; compared line by line" : ""}.`;
}

function shorten(text) {
  if (text.length <= SAME) return text;
  const half = SAME / 2;
  return `${text.slice(0, half)}\n… ${count(text.length - SAME)} unchanged characters omitted …\n${text.slice(-half)}`;
}
