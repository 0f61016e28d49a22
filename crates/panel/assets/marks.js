// What happened in which turn, for the timeline and the filter.

import { repeated } from "./pace.js";
import { get } from "./server.js";

const AGAIN_MS = 2000;

/** The sign, tone and words of each kind. If several kinds share a position, the last one is shown. */
export const KINDS = {
  __proto__: null,
  mode: ["◐", "busy", "new mode"],
  goal: ["⚑", "busy", "new goal"],
  message: ["✉", "busy", "a message"],
  retry: ["↻", "warn", "asked again"],
  held: ["‖", "warn", "held"],
  refused: ["⊘", "warn", "refused or blocked"],
  error: ["✗", "bad", "an error"],
  failed: ["✗", "bad", "failed"],
  violation: ["≠", "bad", "story changed"],
};
/** The filters, each with the kinds of turns that it shows. */
export const FILTERS = { __proto__: null, failed: ["failed", "error"], acted: ["acted"], held: ["held", "refused"] };

/** Fires `change`. */
export class Marks extends EventTarget {
  /** The marked turns, as one set for each kind. */
  #kinds = new Map();
  #after = null;
  #again;

  constructor(run, view) {
    super();
    this.run = run;
    this.view = view;
    run.addEventListener("change", ({ detail: { type, turns } }) => {
      if (type === "snapshot") this.#fetch(0);
      else if (turns.length) this.#fetch(Math.min(...turns) - 1);
    });
  }

  /** Returns the turns of a kind, in ascending order. */
  turns(kind) {
    return kind === "violation" ? this.view.violations() : [...(this.#kinds.get(kind) ?? [])];
  }

  /** Returns the kinds of a turn's marks. */
  of(turn) {
    return Object.keys(KINDS).filter((kind) => (kind === "violation" ? this.view.violations().includes(turn) : this.#kinds.get(kind)?.has(turn)));
  }

  /** Returns the turns that a filter shows, in ascending order; null for all turns. */
  passing(filter) {
    const kinds = FILTERS[filter];
    return kinds ? [...new Set(kinds.flatMap((kind) => this.turns(kind)))].sort((one, other) => one - other) : null;
  }

  /** Fetches the marks of all later turns. */
  #fetch(after) {
    this.#after = Math.min(after, this.#after ?? after);
    this.#update();
  }

  #update = repeated(async () => {
    const after = this.#after;
    if (after == null) return;
    this.#after = null;
    const found = await get(`/api/marks?after=${after}`).catch(() => null);
    if (found) return this.#take(after, found.marks);
    this.#after = Math.min(after, this.#after ?? after);
    // After a lost connection, a snapshot asks for everything.
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.run.reachable && this.#update(), AGAIN_MS);
  });

  #take(after, marks) {
    for (const turns of this.#kinds.values()) for (const turn of turns) if (turn > after) turns.delete(turn);
    for (const [kind, ranges] of Object.entries(marks)) {
      const turns = this.#kinds.get(kind) ?? new Set();
      for (const [first, last] of ranges) for (let turn = first; turn <= last; turn += 1) turns.add(turn);
      this.#kinds.set(kind, turns);
    }
    this.dispatchEvent(new Event("change"));
  }
}
