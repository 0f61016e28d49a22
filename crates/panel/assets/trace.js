// What two runs are compared by: hashes of the parts of their turns.

import { get } from "./server.js";

const LIMIT = 1000;
/** The parts of a turn, in the order in which they happen, in words. */
const PARTS = {
  actions: "the actions",
  picture: "the picture",
  settings: "the request's settings",
  told: "the memory or feedback",
  reply: "the reply",
};

/** Fetches facts about a run and the hashes of up to `limit` turns above `after`. `of` is the prefix of its addresses. */
export const trace = (of, after, limit = LIMIT) => get(`/api/trace?after=${after}&limit=${limit}`, undefined, of);

/** Returns the names of the parts in which two turns differ. If one of the turns is missing, there are none. */
export const differing = (one, other) => (one && other ? Object.keys(PARTS).filter((part) => one[part] !== other[part]) : []);

/** Says in which parts two turns differ. */
export const differenceWords = (parts) => parts.map((part) => PARTS[part]).join(", ").replace(/, ([^,]+)$/, " and $1");

/**
 * Finds the first turn above `after` in which both runs differ, or that is missing in the middle of one of them. Returns
 * `{ turn, parts }`. Without a difference, returns `{ after }`, the last turn that both have. Calls `tell` with the last
 * turn that was compared, and ends when that returns false.
 *
 * @param {any[]} turns
 */
export async function firstDifference([one, other], after, tell) {
  let last = after;
  for (;;) {
    const pages = await Promise.all([trace(one, after), trace(other, after)]);
    // A page that is not full is the last one.
    const ends = pages.map(({ turns }) => (turns.length < LIMIT ? Infinity : turns.at(-1).turn));
    const until = Math.min(...ends);
    const [ours, theirs] = pages.map(({ turns }) => new Map(turns.map((turn) => [turn.turn, turn])));
    const both = Math.min(...pages.map(({ run }) => run.last));
    const begin = Math.max(...pages.map(({ run }) => run.first));
    const numbers = [...new Set([...ours.keys(), ...theirs.keys()])].filter((turn) => turn >= begin && turn <= Math.min(until, both));
    for (const turn of numbers.sort((a, b) => a - b)) {
      const parts = differing(ours.get(turn), theirs.get(turn));
      if (parts.length || !ours.has(turn) || !theirs.has(turn)) return { turn, parts };
      last = turn;
    }
    if (until >= both || !tell(last)) return { after: last };
    after = until;
  }
}
