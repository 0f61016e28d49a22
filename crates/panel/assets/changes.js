// Draws a difference: removed text is struck out, and new text is underlined.

import { difference } from "./diff.js";
import { make } from "./element.js";
import { count } from "./quantity.js";
import { fillPieces, whole } from "./text.js";

const PIECES = 3000;
const SAME = 20_000;
/** Longer texts are compared in a worker, so that the page stays quick. */
const LONG = 20_000;
const TAGS = { gone: "del", new: "ins" };

/** Fills `element` with the difference and returns a note about it, unless it is no longer wanted by then. */
export async function fillChanges(element, before, after, isWanted) {
  // Nobody waits any more for the comparison before this one.
  const { pieces, coarse } = await compared(before, after, (begun) => {
    worker?.terminate();
    worker = begun;
  });
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

/** Compares two texts. If it needs a worker, `begins` gets it. A file has no worker. */
export async function compared(before, after, begins = (_) => {}) {
  if (before.length + after.length < LONG) return difference(before, after);
  return new Promise((done) => {
    const here = () => done(difference(before, after));
    let worker;
    try {
      worker = new Worker("/assets/diff.js", { type: "module" });
    } catch {
      return here();
    }
    begins(worker);
    worker.onerror = here;
    worker.onmessage = ({ data }) => {
      worker.terminate();
      done(data);
    };
    worker.postMessage([before, after]);
  });
}

function shorten(text) {
  if (text.length <= SAME) return text;
  const half = SAME / 2;
  return `${text.slice(0, whole(text, half))}\n… ${count(text.length - SAME)} unchanged characters omitted …\n${text.slice(whole(text, text.length - half))}`;
}
