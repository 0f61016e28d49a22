// Summaries of many turns, fetched in pages and kept while there is room.

import { get } from "./server.js";

const PAGE = 50;
const PAGES = 40;

export class Summaries {
  /** Promises of pages by page number, least recently used first. */
  #pages = new Map();

  constructor(run, view) {
    this.view = view;
    run.addEventListener("change", ({ detail: { type, turns } }) => {
      if (type === "snapshot") this.#pages.clear();
      for (const turn of turns) this.#pages.delete(page(turn));
    });
    this.run = run;
  }

  /** Returns a turn's summary; null if there is none. */
  async get(turn) {
    if (turn === this.run.snapshot?.pending) return this.view.turns.get(turn).then(({ summary }) => summary, () => null);
    const number = page(turn);
    const kept = this.#pages.get(number) ?? this.#fetch(number);
    this.#pages.delete(number);
    this.#pages.set(number, kept);
    if (this.#pages.size > PAGES) this.#pages.delete(this.#pages.keys().next().value);
    return (await kept).get(turn) ?? null;
  }

  async #fetch(number) {
    const found = await get(`/api/turns?before=${(number + 1) * PAGE}&limit=${PAGE}`).catch(() => null);
    if (!found) this.#pages.delete(number);
    return new Map(found?.turns.map((summary) => [summary.turn, summary]));
  }
}

const page = (turn) => Math.floor(turn / PAGE);
