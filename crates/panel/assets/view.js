// The turn on display. Fires `move` when a number was chosen, `show` when its turn is there, and `trouble`. While the
// person scrubs, it fires only `move`, and then `rest`.

/** How long the slider has to rest before its turn is fetched. */
const REST_MS = 150;
const AGAIN_MS = 2000;

export class View extends EventTarget {
  /** The number that was chosen last; null while there is no turn. */
  wanted = null;
  /** The turn on display. */
  shown = null;
  following = true;
  /** Turns up to this number are hidden, but only on this page. */
  cleared = 0;
  /** The turns that the filter shows, in ascending order; null for all turns. */
  only = null;
  /** Whether the person is moving through the turns. No turn is fetched until they rest. */
  scrubs = false;
  #rest;
  #again;
  #busy = false;
  #stale = false;
  /** Why the page passed over a turn. That is said once, unless the person tries again. */
  #said = "";

  /** `start` is the turn to begin with, if any. */
  constructor(run, turns, start) {
    super();
    this.run = run;
    this.turns = turns;
    this.wanted = start;
    this.following = start == null;
    run.addEventListener("change", ({ detail }) => this.#heard(detail));
  }

  /** Returns the first and last turn that can be viewed; null if there is none. */
  range() {
    const { turns, pending } = this.run.snapshot ?? {};
    const last = pending || turns?.last;
    const first = Math.max(turns?.first || last, this.cleared + 1);
    return first <= last ? { first, last } : null;
  }

  go(number, following = false) {
    if (!this.run.snapshot) return;
    const range = this.range();
    this.#said = "";
    this.following = following || (this.following && number >= range?.last);
    this.wanted = range && Math.min(Math.max(Math.round(number), range.first), range.last);
    this.#tell("move");
    this.#fetch();
  }

  /** Goes to a turn that the person might only be passing. */
  scrub(number) {
    this.scrubs = true;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.scrubs = false;
      this.#tell("rest");
      this.#fetch(true);
    }, REST_MS);
    this.go(number);
  }

  step(by) {
    if (this.only) {
      const here = this.wanted ?? 0;
      const found = by < 0 ? this.only.findLast((turn) => turn < here) : this.only.find((turn) => turn > here);
      if (found != null) this.go(found);
      return;
    }
    const { shown, wanted } = this;
    const neighbour = shown?.summary.turn === wanted ? (by < 0 ? shown.previous : shown.next) : null;
    this.go(neighbour ?? (wanted ?? 0) + by);
  }

  /** Returns whether there is no later turn to go to. */
  isLast() {
    const last = this.only ? (this.only.at(-1) ?? 0) : (this.range()?.last ?? 0);
    return (this.wanted ?? 0) >= last;
  }

  /** Restricts steps to these turns from now on; null lifts the restriction. */
  narrow(turns) {
    this.only = turns;
    if (turns?.length && !turns.includes(this.wanted)) this.go(turns.findLast((turn) => turn <= this.wanted) ?? turns[0]);
    this.#tell("move");
  }

  follow(on) {
    if (on) this.go(Infinity, true);
    else {
      this.following = false;
      this.#tell("move");
    }
  }

  /** Goes to the nearest violation before or after the current turn. */
  violation(by) {
    const found = this.violations();
    const here = this.wanted ?? 0;
    const number = by < 0 ? found.findLast((turn) => turn < here) : found.find((turn) => turn > here);
    if (number != null) this.go(number);
  }

  violations() {
    return Object.keys(this.run.snapshot?.violations ?? {}).map(Number).filter((turn) => turn > this.cleared);
  }

  clear(upTo = this.run.snapshot?.turns.last ?? 0) {
    this.cleared = upTo;
    this.go(Infinity, this.following || upTo > 0);
  }

  #heard({ type, parts, turns }) {
    if (type === "note") return;
    if (type === "snapshot") {
      this.turns.forgetAll();
      this.#stale = true;
      const said = this.#said;
      this.go(this.following || this.wanted == null ? Infinity : this.wanted, this.following);
      this.#said = said;
      return;
    }
    for (const turn of turns) this.turns.forget(turn);
    const last = this.range()?.last ?? null;
    const isNew = this.wanted == null || this.following;
    // Go to the last turn if the page follows it, or if the requested turn is gone because an agent left it unfinished.
    if (this.wanted !== last && (isNew || !(this.wanted <= last))) return this.go(Infinity, isNew);
    if (turns.includes(this.wanted)) this.#fetch(true);
    if ("turns" in parts || "pending" in parts || "violations" in parts) this.#tell("move");
  }

  /** Fetches turns until the requested one is shown. Turns that the person has already moved on from are not drawn. */
  async #fetch(again = false) {
    this.#stale ||= again;
    if (this.#busy || this.scrubs) return;
    this.#busy = true;
    while (!this.scrubs && (this.#stale || (this.shown?.summary.turn ?? null) !== this.wanted)) {
      const number = this.wanted;
      this.#stale = false;
      if (number == null) {
        this.shown = null;
        this.#tell("show");
        break;
      }
      try {
        const turn = await this.turns.get(number);
        // A run can advance faster than its turns can be fetched.
        if (this.scrubs || (number !== this.wanted && !this.following)) continue;
        this.shown = turn;
        this.#tell("show");
        this.#expect(turn);
      } catch (error) {
        if (this.scrubs || number !== this.wanted) continue;
        const why = `Cannot show turn ${number}. ${error.message}`;
        const isThere = error.status === 500;
        if (!(isThere || error.status === 404) || !(await this.#detour(number))) {
          this.#busy = false;
          return this.#stay(why);
        }
        this.#stale = true;
        if (isThere && why !== this.#said) this.run.note((this.#said = why));
      }
    }
    this.#busy = false;
  }

  /** Stays at the turn on display, if any, because the requested one cannot be shown. */
  #stay(why) {
    this.wanted = this.shown?.summary.turn ?? this.wanted;
    this.#tell(this.shown ? "move" : "trouble", why);
    if (!this.following) return this.run.note(why);
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.following && this.go(Infinity), AGAIN_MS);
  }

  /** Goes to the nearest turn if this one is missing, or its line cannot be read. */
  async #detour(number) {
    const forwards = number > (this.shown?.summary.turn ?? 0);
    const found =
      (await this.turns.nearest(number, forwards).catch(() => null)) ??
      (await this.turns.nearest(number, !forwards).catch(() => null));
    if (found == null || found === number) return false;
    if (this.wanted === number) this.wanted = found;
    this.#tell("move");
    return true;
  }

  #expect({ previous, next }) {
    for (const number of [next, previous]) if (number != null) this.turns.expect(number, () => !this.scrubs);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
