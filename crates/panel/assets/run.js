// What is known of the run: the state that the panel has, kept up to date by its changes.

import { get } from "./server.js";

const AGAIN_MS = 2000;
/** A panel that takes longer is asked once more. */
const PATIENCE_MS = 10_000;
const NOTES = 200;

export class Run extends EventTarget {
  link = "new";
  expired = false;
  snapshot = null;
  /** What this page itself has to say. */
  notes = [];
  /** How far the panel's clock is ahead of ours, in milliseconds. */
  skew = 0;
  /** Changes that wait until the snapshot is there. */
  #early = null;
  #stale = false;
  #again;

  /** Whether the agent can be commanded. */
  get reachable() {
    return this.link !== "down" && !this.expired;
  }

  now() {
    return Date.now() + this.skew;
  }

  hear({ link, id, event }) {
    if (link) this.#linked(link);
    else if (event.type === "resync") this.refresh();
    else if (this.#early) this.#early.push({ id, event });
    else if (this.snapshot) this.#apply(event);
  }

  /** Fetches the snapshot; asked for while that is under way, fetches it once more. */
  async refresh() {
    this.#stale = true;
    if (this.#early) return;
    this.#early = [];
    this.#stale = false;
    try {
      this.snapshot = await get("/api/state", AbortSignal.timeout(PATIENCE_MS));
      this.expired = false;
    } catch (error) {
      const early = this.#early;
      this.#early = null;
      // What a panel said before it went away still happened.
      if (this.snapshot) early.forEach(({ event }) => this.#apply(event));
      this.expired = error.status === 401;
      this.#tell("trouble");
      clearTimeout(this.#again);
      this.#again = setTimeout(() => this.refresh(), AGAIN_MS);
      return;
    }
    this.skew = this.snapshot.now - Date.now();
    const early = this.#early;
    this.#early = null;
    this.#tell("snapshot");
    for (const { id, event } of early) if (isLater(id, this.snapshot.last_event)) this.#apply(event);
    if (this.#stale) this.refresh();
  }

  note(text) {
    this.notes.push({ text, at: this.now() });
    this.notes.splice(0, this.notes.length - NOTES);
    this.#tell("note", { text });
  }

  #linked(link) {
    const before = this.link;
    this.link = link;
    // A connection that is lost may mean a panel that does not know us any more: only a request tells.
    if (link !== before) this.refresh();
    this.#tell("link");
  }

  /** Announces the parts that changed and the turns that are to be fetched again. */
  #apply(parts) {
    const { last } = this.snapshot.turns;
    merge(this.snapshot, parts);
    const turns = parts.fresh ? [this.snapshot.fresh.turn] : [];
    for (let turn = last + 1; turn <= this.snapshot.turns.last; turn += 1) turns.push(turn);
    this.#tell("parts", { parts, turns });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent("change", { detail: { parts: {}, turns: [], ...detail, type } }));
  }
}

/** Merges a patch as RFC 7396 says. */
function merge(target, patch) {
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete target[name];
    else if (typeof value === "object" && !Array.isArray(value)) merge((target[name] ??= {}), value);
    else target[name] = value;
  }
}

/** Ids are a stamp of the panel's start and a count; an id of another start is later than any snapshot of ours. */
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
