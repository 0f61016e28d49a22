// Turns in full, fetched once and kept while there is room.

import { paint } from "./pictures.js";
import { base } from "./place.js";
import { Refusal, get } from "./server.js";

const ENTRIES = 100;
const UNITS = 20_000_000;
const GAP = 1000;
/** How long to wait for a turn. On a dead connection, a request would never end. */
const PATIENCE_MS = 30_000;
/** Defaults for what a line might lack. */
const EMPTY = { ms: {}, acted: [], feedback: "", errors: [], attempts: 0 };

export class Turns {
  /** The prefix of the run's addresses. */
  #run;
  /** Promises of turns by number, least recently used first. */
  #kept = new Map();

  constructor(run = base) {
    this.#run = run;
  }

  get(number) {
    let entry = this.#kept.get(number);
    this.#kept.delete(number);
    entry ??= this.#fetch(number);
    this.#kept.set(number, entry);
    return entry.promise;
  }

  /** Fetches a turn that will probably be viewed next, and its picture if that is wanted then. Reports no failures. */
  async expect(number, isWanted = () => true) {
    const turn = await this.get(number).catch(() => null);
    if (turn?.line.image?.sha256 && isWanted()) paint(new Image(), turn.line.image.sha256, false, this.#run).catch(() => {});
  }

  forget(number) {
    this.#kept.delete(number);
  }

  forgetAll() {
    this.#kept.clear();
  }

  /** Returns the existing turn nearest to `number`, searching forwards or backwards; null if there is none. */
  async nearest(number, forwards) {
    // The panel leaves out turns that it cannot read, but counts them.
    const { turns } = await get(`/api/turns?before=${number + (forwards ? GAP : 1)}&limit=${GAP}`);
    return (forwards ? turns.findLast(({ turn }) => turn >= number) : turns[0])?.turn ?? null;
  }

  #fetch(number) {
    const entry = { size: 0 };
    entry.promise = get(`/api/turns/${number}`, AbortSignal.timeout(PATIENCE_MS), this.#run).then(
      (turn) => {
        for (const name of Object.keys(EMPTY)) turn.line[name] ??= EMPTY[name];
        entry.size = (turn.story?.length ?? 0) + (turn.line.reply?.length ?? 0) + 2000;
        this.#trim();
        return turn;
      },
      (error) => {
        if (this.#kept.get(number) === entry) this.#kept.delete(number);
        throw error;
      },
    );
    return entry;
  }

  #trim() {
    let units = 0;
    for (const { size } of this.#kept.values()) units += size;
    for (const [number, { size }] of this.#kept) {
      if (this.#kept.size <= ENTRIES && units <= UNITS) return;
      if (!size) continue;
      this.#kept.delete(number);
      units -= size;
    }
  }
}

export const isMissing = (error) => error instanceof Refusal && error.status === 404;
