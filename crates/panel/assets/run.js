// Everything that is known about the run: the panel's state, kept up to date by its events.

import { paced } from "./pace.js";
import { get } from "./server.js";

const AGAIN_MS = 2000;
/** If the panel takes longer than this to answer, the request is repeated. */
const PATIENCE_MS = 10_000;
const NOTES = 200;

export class Run extends EventTarget {
  #stream = "new";
  /** Whether the browser has no network and the panel does not answer, although the events might not have ended yet. */
  #isCutOff = false;
  expired = false;
  snapshot = null;
  /** How many other runs on the panel's page wait for the person. */
  elsewhere = 0;
  /** Notices from the page itself. */
  notes = [];
  /** How far the panel's clock is ahead of ours, in milliseconds. */
  skew = 0;
  /** Events that were received but not applied yet. */
  #heard = [];
  #takeIn = paced(() => this.#take());
  /** Changes that are waiting for the snapshot. */
  #early = null;
  #stale = false;
  #again;

  constructor() {
    super();
    for (const type of ["offline", "online"]) addEventListener(type, () => this.refresh());
  }

  /** "up" or "down"; "new" before the first connection. */
  get link() {
    return this.#isCutOff ? "down" : this.#stream;
  }

  /** Whether the agent accepts commands. */
  get reachable() {
    return this.link !== "down" && !this.expired;
  }

  now() {
    return Date.now() + this.skew;
  }

  hear(message) {
    this.#heard.push(message);
    this.#takeIn();
  }

  /** Fetches the snapshot. If it is requested again in the meantime, fetches it once more. */
  async refresh() {
    this.#stale = true;
    if (this.#early) return;
    this.#early = [];
    this.#stale = false;
    try {
      const found = await get("/api/state", AbortSignal.timeout(PATIENCE_MS));
      // Another FRANZ process has this port now, and what the person did here was about the run before. Only a panel
      // shows one run after the other.
      if (this.snapshot && found.name !== this.snapshot.name && !found.shown && !found.run?.relay) return location.replace(location.pathname);
      this.snapshot = found;
      this.expired = this.#isCutOff = false;
    } catch (error) {
      const early = this.#early;
      this.#early = null;
      // The panel's events from before it disappeared are still valid.
      if (this.snapshot) this.#apply(early.map(({ event }) => event));
      this.expired = error.status === 401;
      this.#isCutOff = error.status === 0 && !navigator.onLine;
      this.#tell("trouble");
      this.#askAgain();
      return;
    }
    this.skew = this.snapshot.now - Date.now();
    const early = this.#early;
    this.#early = null;
    this.#tell("snapshot");
    this.#apply(early.filter(({ id }) => isLater(id, this.snapshot.last_event)).map(({ event }) => event));
    if (this.#stale) this.refresh();
    // A panel that is ending closes its events first, and still answers for a moment.
    else if (this.#stream === "down") this.#askAgain();
  }

  #askAgain() {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.refresh(), AGAIN_MS);
  }

  note(text) {
    this.notes.push({ text, at: this.now() });
    this.notes.splice(0, this.notes.length - NOTES);
    this.#tell("note", { text });
  }

  /** Applies everything that was received. Successive changes are announced as one. */
  #take() {
    let changes = [];
    const apply = () => {
      this.#apply(changes);
      changes = [];
    };
    for (const { link, id, event } of this.#heard.splice(0)) {
      if (link || event.type === "resync") apply();
      if (link) this.#linked(link);
      else if (event.type === "resync") this.refresh();
      else if (this.#early) this.#early.push({ id, event });
      else if (this.snapshot && isLater(id, this.snapshot.last_event)) changes.push(event);
    }
    apply();
  }

  #linked(link) {
    const before = this.#stream;
    this.#stream = link;
    // A lost connection can mean that the panel no longer accepts our token. Only a request shows that.
    if (link !== before) this.refresh();
    this.#tell("link");
  }

  /** Announces which parts have changed, and which turns must be fetched again. */
  #apply(changes) {
    if (!changes.length) return;
    const parts = {};
    const turns = new Set();
    for (const change of changes) {
      const { last } = this.snapshot.turns;
      merge(this.snapshot, change);
      join(parts, change);
      if (change.fresh) turns.add(this.snapshot.fresh.turn);
      for (let turn = last + 1; turn <= this.snapshot.turns.last; turn += 1) turns.add(turn);
    }
    this.#tell("parts", { parts, turns: [...turns] });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent("change", { detail: { parts: {}, turns: [], ...detail, type } }));
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Merges a patch as RFC 7396 specifies. */
function merge(target, patch) {
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete target[name];
    else if (isObject(value)) merge((target[name] ??= {}), value);
    else target[name] = value;
  }
}

/** Adds a later patch to an earlier one. */
function join(patch, later) {
  for (const [name, value] of Object.entries(later)) {
    if (isObject(value) && isObject(patch[name])) join(patch[name], value);
    else patch[name] = value;
  }
}

/** An ID consists of a stamp for the panel's start and a count. IDs with another stamp are later than our snapshot. */
function isLater(id, last) {
  const [stamp, number] = parts(id);
  const [seen, newest] = parts(last);
  return stamp !== seen || number > newest;
}

function parts(id) {
  const text = String(id);
  const dash = text.lastIndexOf("-");
  return [text.slice(0, Math.max(dash, 0)), Number(text.slice(dash + 1))];
}
