// What is known of the run: a snapshot, kept up to date by events.

import { get } from "./server.js";

const AGAIN_MS = 2000;
/** A panel that takes longer is asked once more. */
const PATIENCE_MS = 10_000;
const VIOLATIONS = 1000;
const NOTICES = 200;

export class Run extends EventTarget {
  link = "new";
  expired = false;
  snapshot = null;
  notices = [];
  answer = null;
  /** How far the panel's clock is ahead of ours, in milliseconds. */
  skew = 0;
  /** Events that wait until the snapshot is there. */
  #early = null;
  #stale = false;
  #stamp;
  #again;

  /** Whether the agent can be commanded. */
  get reachable() {
    return this.link !== "down" && !this.expired;
  }

  now() {
    return Date.now() + this.skew;
  }

  hear({ link, id, event }) {
    if (id) this.#meet(id);
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
      this.#meet(this.snapshot.last_event);
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
    // An answer is in no snapshot, so it counts however early it came.
    const news = early.filter(({ id, event }) => event.type === "answered" || isLater(id, this.snapshot.last_event));
    news.forEach(({ event }) => this.#apply(event));
    if (this.#stale) this.refresh();
  }

  note(text) {
    this.notices.push({ text, at: this.now() });
    this.notices.splice(0, this.notices.length - NOTICES);
    this.#tell("notice", { text });
  }

  #linked(link) {
    const before = this.link;
    this.link = link;
    // A connection that is lost may mean a panel that does not know us any more: only a request tells.
    if (link !== before) this.refresh();
    this.#tell("link");
  }

  /** Another panel goes on with the run, beyond its last answer. */
  #meet(id) {
    const [stamp] = parts(id);
    if (stamp && stamp !== this.#stamp) this.answer = null;
    this.#stamp = stamp || this.#stamp;
  }

  #apply(event) {
    if (event.type === "notice") return this.note(event.text);
    CHANGES[event.type]?.(this.snapshot, event, this);
    this.#tell(event.type, event);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent("change", { detail: { ...detail, type } }));
  }
}

const CHANGES = {
  __proto__: null,
  run(snapshot, event, run) {
    snapshot.run = event;
    run.answer = null;
  },
  agent(snapshot, event, run) {
    snapshot.agent = event;
    if (event.state === "running" || event.state === "paused") return;
    rest(snapshot, run);
    snapshot.pending = null;
  },
  acting(snapshot, event, run) {
    rest(snapshot, run);
    snapshot.acting = event;
  },
  asking(snapshot, event, run) {
    rest(snapshot, run);
    snapshot.waiting = event;
  },
  /** The turn that the model thinks about can be looked at. */
  shown(snapshot, { turn, mode }) {
    if (turn > snapshot.turns.last) Object.assign(snapshot, { pending: turn, mode });
  },
  retry(snapshot, event, run) {
    rest(snapshot, run);
    const { turn, attempt, since, until } = event;
    snapshot.waiting = { turn, attempt: attempt + 1, since, until };
    run.note(`Turn ${event.turn}, attempt ${event.attempt} failed: ${event.error}`);
  },
  turn(snapshot, event, run) {
    rest(snapshot, run);
    const { turns, tokens } = snapshot;
    if (event.turn >= snapshot.pending) snapshot.pending = null;
    if (event.turn > turns.last) {
      turns.count += 1;
      turns.last = event.turn;
      turns.first ||= event.turn;
      for (const kind of Object.keys(tokens)) tokens[kind] += event.tokens?.[kind] ?? 0;
    }
    snapshot.mode = event.mode;
    if (event.verdict === "violation") violated(snapshot, event.turn);
  },
  verdict(snapshot, event) {
    snapshot.verdicts[event.verdict] = (snapshot.verdicts[event.verdict] ?? 0) + 1;
    if (event.verdict === "violation") violated(snapshot, event.turn);
  },
  answered: (_, event, run) => (run.answer = event),
  /** Several runs ask through one panel. */
  runs(snapshot, { count, newest }) {
    snapshot.runs = count;
    snapshot.shown ??= newest;
  },
  upstream: (snapshot, event) => (snapshot.upstream = event),
};

function rest(snapshot, run) {
  snapshot.waiting = snapshot.acting = null;
}

function violated({ violations }, turn) {
  if (turn == null || violations.includes(turn)) return;
  violations.push(turn);
  violations.sort((a, b) => a - b);
  violations.splice(0, violations.length - VIOLATIONS);
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
