// Draws a difference: removed text is struck out, and new text is underlined.

import { difference } from "./diff.js";
import { make } from "./element.js";
import { count } from "./quantity.js";
import { fillPieces } from "./text.js";

const PIECES = 3000;
const SAME = 20_000;
/** Longer texts are compared in a worker, so that the page stays quick. */
const LONG = 20_000;
const TAGS = { gone: "del", new: "ins" };

/** Fills `element` with the difference and returns a note about it, unless it is no longer wanted by then. */
export async function fillChanges(element, before, after, isWanted) {
  const { pieces, coarse } = before.length + after.length < LONG ? difference(before, after) : await inWorker(before, after);
  if (!isWanted()) return null;
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

let worker;
/** Ends the comparison before this one, which nobody waits for any more. A file has no worker. */
function inWorker(before, after) {
  worker?.terminate();
  return new Promise((done) => {
    const here = () => done(difference(before, after));
    try {
      worker = new Worker("/assets/diff.js", { type: "module" });
    } catch {
      return here();
    }
    const mine = worker;
    mine.onerror = here;
    mine.onmessage = ({ data }) => {
      mine.terminate();
      done(data);
    };
    mine.postMessage([before, after]);
  });
}

function shorten(text) {
  if (text.length <= SAME) return text;
  const half = SAME / 2;
  return `${text.slice(0, half)}\n… ${count(text.length - SAME)} unchanged characters omitted …\n${text.slice(-half)}`;
}
