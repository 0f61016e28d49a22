// What happened in which turn, for the timeline and the filter.

import { repeated } from "./pace.js";
import { get } from "./server.js";

/** Signs, tones and words of the kinds; of several in one place, the last counts. */
export const KINDS = {
  __proto__: null,
  mode: ["◐", "busy", "another mode"],
  goal: ["⚑", "busy", "another goal"],
  message: ["✉", "busy", "a message"],
  retry: ["↻", "warn", "asked again"],
  held: ["‖", "warn", "held"],
  refused: ["⊘", "warn", "refused or blocked"],
  error: ["✗", "bad", "an error"],
  failed: ["✗", "bad", "failed"],
  violation: ["≠", "bad", "story changed"],
};
/** The filters, each with the kinds that it lets through. */
export const FILTERS = { __proto__: null, failed: ["failed", "error"], acted: ["acted"], held: ["held", "refused"] };

/** Fires `change`. */
export class Marks extends EventTarget {
  /** Sets of turns by kind. */
  #kinds = new Map();
  #after = null;

  constructor(run, view) {
    super();
    this.run = run;
    this.view = view;
    run.addEventListener("change", ({ detail: { type, turns } }) => {
      if (type === "snapshot") this.#fetch(0);
      else if (turns.length) this.#fetch(Math.min(...turns) - 1);
    });
  }

  /** The turns of a kind, in ascending order. */
  turns(kind) {
    return kind === "violation" ? this.view.violations() : [...(this.#kinds.get(kind) ?? [])];
  }

  /** The kinds that mark a turn. */
  of(turn) {
    return Object.keys(KINDS).filter((kind) => (kind === "violation" ? this.view.violations().includes(turn) : this.#kinds.get(kind)?.has(turn)));
  }

  /** The turns that a filter lets through, in ascending order; null for all. */
  passing(filter) {
    const kinds = FILTERS[filter];
    return kinds ? [...new Set(kinds.flatMap((kind) => this.turns(kind)))].sort((one, other) => one - other) : null;
  }

  /** Fetches the marks after a turn. */
  #fetch(after) {
    this.#after = Math.min(after, this.#after ?? after);
    this.#update();
  }

  #update = repeated(async () => {
    const after = this.#after;
    this.#after = null;
    const found = await get(`/api/marks?after=${after}`).catch(() => null);
    if (found) this.#take(after, found.marks);
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
