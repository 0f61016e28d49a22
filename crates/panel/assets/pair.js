// Two runs beside one another, turn by turn.

import { compared } from "./changes.js";
import { show } from "./dialog.js";
import { find, make, write } from "./element.js";
import { sampling, tokens } from "./facts.js";
import { actions } from "./feedback.js";
import { repeated } from "./pace.js";
import { lead, shot } from "./pictures.js";
import { base, pageOf } from "./place.js";
import { count, duration, some } from "./quantity.js";
import { Refusal } from "./server.js";
import { callWords } from "./story.js";
import { fill, fillPieces, visible } from "./text.js";
import { differenceWords, differing, firstDifference, trace } from "./trace.js";
import { isMissing, Turns } from "./turns.js";

const ACTIONS = 100;
/** How many pieces of two texts to tell apart. */
const PIECES = 3000;
/** How often to look for new turns while one of the runs is live. */
const NEWS_MS = 2000;
/** The rows, each with the part of a trace whose difference it shows. */
const ROWS = [
  ["Picture", "picture"],
  ["Actions", "actions"],
  ["Feedback", "told"],
  ["Reply", "reply"],
  ["Story", "told"],
  ["Request", "settings"],
  ["Tokens and time"],
];

/** Fires `change` when another turn or run is chosen. */
export class Pair extends EventTarget {
  /** The name of the second run in its address; empty while none is shown. */
  other = "";
  /** The turn on display; null until it is known. */
  turn = null;
  #view;
  #dialog;
  /** Both runs: the prefix of their addresses, their turns in full, and what is known about them. */
  #sides = [];
  #found = null;
  /** Whether to scroll to what differs. */
  #seeks = false;
  /** The state that is drawn, so that nothing is drawn twice. */
  #drawn = "";
  #clock;
  #draw = repeated(() => this.#fetch());

  constructor(view, dialog) {
    super();
    this.#view = view;
    this.#dialog = dialog;
    const [number, scrubber] = [find("pair-number"), find("pair-scrubber")];
    find("pair-first").onclick = () => this.go(0);
    find("pair-previous").onclick = () => this.go(this.turn - 1);
    find("pair-next").onclick = () => this.go(this.turn + 1);
    find("pair-last").onclick = () => this.go(Infinity);
    find("pair-difference").onclick = () => {
      this.#seeks = true;
      this.go(this.#found.turn);
      this.#draw();
    };
    find("pair-fork").onclick = () => this.go(this.#fork());
    scrubber.oninput = () => this.go(Number(scrubber.value));
    number.onfocus = () => number.select();
    find("pair-jump").onsubmit = (event) => {
      event.preventDefault();
      const wanted = Number.parseInt(number.value, 10);
      number.blur();
      if (Number.isFinite(wanted)) this.go(wanted);
      this.#bar();
    };
    dialog.addEventListener("keydown", (event) => {
      const { key, target, ctrlKey, altKey, metaKey } = event;
      const to = { ArrowLeft: this.turn - 1, ArrowRight: this.turn + 1, Home: 0, End: Infinity }[key];
      if (to == null || ctrlKey || altKey || metaKey || target === number) return;
      event.preventDefault();
      this.go(to);
    });
    // This event comes late, so the dialog might be open again.
    dialog.addEventListener("close", () => dialog.open || this.#close());
  }

  /** Shows the run with this name beside the one on the page, at this turn or where they differ first. */
  open(other, turn = null) {
    if (other === this.other) {
      if (turn != null) this.go(turn);
      return;
    }
    if (!other) {
      // The address names the turn for the page.
      this.turn = null;
      return this.#dialog.close();
    }
    this.other = other;
    this.turn = turn;
    this.#found = null;
    this.#drawn = "";
    this.#sides = [base, pageOf(other).slice(0, -1)].map((of, i) => ({ of, turns: i ? new Turns(of) : this.#view.turns, run: null }));
    this.#empty();
    find("pair-note").textContent = "Comparing …";
    if (!this.#dialog.open) {
      /** @type {any} */
      const open = document.querySelector("dialog[open]");
      open?.close();
      show(this.#dialog);
    }
    this.#bar();
    this.#tell();
    this.#compare();
  }

  go(turn) {
    const { first, last } = this.#range();
    const next = Math.min(Math.max(turn, first), last);
    if (!last || next === this.turn) return;
    this.turn = next;
    this.#bar();
    this.#tell();
    this.#draw();
  }

  #close() {
    this.other = "";
    this.#sides = [];
    this.#empty();
    if (this.turn != null) this.#view.go(this.turn);
    this.#tell();
  }

  #empty() {
    clearTimeout(this.#clock);
    for (const id of ["pair-heads", "pair-rows"]) find(id).replaceChildren();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }

  /** The first and last turn that one of the runs has. */
  #range() {
    const runs = this.#sides.map(({ run }) => run).filter((run) => run?.last);
    return runs.length ? { first: Math.min(...runs.map((run) => run.first)), last: Math.max(...runs.map((run) => run.last)) } : { first: 0, last: 0 };
  }

  /** The turn from which one of the runs was forked. */
  #fork() {
    const turns = this.#sides.flatMap(({ run }) => run?.forked_from?.turn ?? []);
    return turns.length ? Math.min(...turns) : null;
  }

  /** Looks for the first difference, and goes there unless a turn was chosen. Then waits for new turns. */
  async #compare(after = 0) {
    const sides = this.#sides;
    const isWanted = () => this.#sides === sides;
    let found;
    try {
      await this.#learn();
      if (!isWanted()) return;
      find("pair-heads").replaceChildren(...sides.map(({ run }) => head(run)));
      if (this.turn != null) this.go(this.turn);
      this.#draw();
      const tell = (turn) => {
        if (isWanted()) write(find("pair-note"), `Comparing … equal up to turn ${count(turn)}`);
        return isWanted();
      };
      found = this.#found?.turn ? this.#found : await firstDifference(sides.map(({ of }) => of), after, tell);
    } catch (error) {
      if (!isWanted()) return;
      write(find("pair-note"), error.message);
      if (error.status !== 404) this.#clock = setTimeout(() => this.#compare(after), NEWS_MS);
      return;
    }
    if (!isWanted()) return;
    this.#found = found;
    if (this.turn == null) this.go(found.turn ?? this.#range().last);
    this.#bar();
    if (sides.some(({ run }) => run.live)) this.#clock = setTimeout(() => this.#compare(found.after), NEWS_MS);
  }

  /** Fetches the facts about both runs. */
  async #learn() {
    const sides = this.#sides;
    const known = sides.map(({ of }, i) =>
      trace(of, 0, 0).catch((error) => {
        const words = error.status === 404 ? "It is not among the runs of this panel." : error.message;
        throw new Refusal(error.status, i ? `${this.other} cannot be shown beside this run. ${words}` : words);
      }),
    );
    (await Promise.all(known)).forEach(({ run }, i) => (sides[i].run = run));
  }

  /** Draws the bar below the turns, and the words about the first difference. */
  #bar() {
    const { first, last } = this.#range();
    const [scrubber, number] = [find("pair-scrubber"), find("pair-number")];
    Object.assign(scrubber, { min: first, max: last, value: this.turn ?? first });
    scrubber.disabled = number.disabled = !last;
    scrubber.setAttribute("aria-valuetext", `turn ${this.turn ?? ""} of ${last}`);
    if (document.activeElement !== number) number.value = this.turn ?? "";
    write(find("pair-range"), `of ${count(last)}`);
    for (const id of ["pair-first", "pair-previous"]) find(id).disabled = !(this.turn > first);
    for (const id of ["pair-next", "pair-last"]) find(id).disabled = !(this.turn < last);
    const fork = this.#fork();
    const { turn } = this.#found ?? {};
    find("pair-fork").hidden = fork == null;
    find("pair-difference").hidden = !turn;
    const mark = ([at, sign, tone]) => {
      const element = make("i", { class: tone }, sign);
      element.style.setProperty("--at", last > first ? (at - first) / (last - first) : 1);
      return element;
    };
    const marks = (fork === turn ? [[turn, "↳≠", "warn"]] : [[fork, "↳", "busy"], [turn, "≠", "warn"]]).filter(([at]) => at && at >= first && at <= last);
    find("pair-marks").replaceChildren(...marks.map(mark));
    if (this.#found) write(find("pair-note"), summary(this.#found, this.#sides));
  }

  /** Fetches the turn on display of both runs, and draws it if it is not drawn yet. */
  async #fetch() {
    const { turn } = this;
    const sides = this.#sides;
    if (turn == null || !this.#range().last) return;
    const isWanted = () => this.turn === turn && this.#sides === sides;
    const fetched = await Promise.all(
      sides.map(async ({ of, turns, run }) => {
        const traced = await trace(of, turn - 1, 1).catch(() => null);
        const hashes = traced?.turns.find((each) => each.turn === turn);
        if (run?.live) turns.forget(turn);
        const full = await turns.get(turn).catch((error) => error);
        return { of, run, hashes, full };
      }),
    );
    if (!isWanted()) return;
    const state = JSON.stringify([turn, fetched.map(({ hashes, full }) => [hashes, full.message])]);
    if (state !== this.#drawn) {
      const rows = await drawn(fetched, turn);
      if (!isWanted()) return;
      this.#drawn = state;
      find("pair-rows").replaceChildren(...rows);
      for (const { turns, run } of sides) if (turn < run.last) turns.expect(turn + 1);
    }
    if (this.#seeks) find("pair-rows").querySelector("section:has(.badge)")?.scrollIntoView({ block: "nearest" });
    this.#seeks = false;
  }
}

/** Says how far both runs are equal. */
function summary({ turn, parts, after }, sides) {
  if (turn) return parts.length ? `Turn ${count(turn)} is the first with a difference: ${differenceWords(parts)}.` : `Turn ${count(turn)} is missing in one of the runs.`;
  if (!after) return "They have no turn in common.";
  const longer = sides.find(({ run }) => run.last > after);
  return `Equal up to turn ${count(after)}.${longer ? ` Only ${visible(longer.run.name)} goes on.` : ""}`;
}

const endOf = ({ live, end }) => (live ? "still running" : end ? `ended: ${visible(end.reason)}` : "no end recorded");

/** Makes the heading of a run, with a summary in words. */
function head(run) {
  const { name, forked_from: fork } = run;
  const words = [some(run.count, "turn"), run.tokens.total && some(run.tokens.total, "token"), duration(run.ms), endOf(run)];
  return make(
    "div",
    {},
    make("h3", { dir: "auto" }, visible(name)),
    make("p", { class: "note" }, words.filter(Boolean).join(" · ")),
    fork && make("p", { class: "note" }, `↳ forked from ${visible(fork.run)} at turn ${count(fork.turn)}`),
  );
}

/** Makes the rows of a turn. Their pictures are ready to be drawn, so that nothing flickers. */
async function drawn(sides, turn) {
  const parts = differing(...sides.map(({ hashes }) => hashes));
  const columns = sides.map((side) => cells(side, turn));
  await Promise.all(columns.flat().map((cell) => cell.querySelector("a>img")?.decode().catch(() => {})));
  const rows = [];
  for (const [i, [title, part]] of ROWS.entries()) {
    const pair = columns.map((column) => column[i]);
    if (!pair.some((cell) => cell.textContent || cell.querySelector("img"))) continue;
    const differs = parts.includes(part) && (part !== "told" || pair[0].words !== pair[1].words);
    if (differs && pair[0].words != null) await mark(pair);
    const named = (cell, side) => {
      const { name } = sides[side].run;
      return make("div", { role: "group", "aria-label": `${title}, ${name}` }, make("small", { class: "pair-name" }, visible(name)), cell);
    };
    const badge = differs ? make("span", { class: "badge warn" }, "≠ differs") : null;
    rows.push(make("section", {}, make("h3", {}, title, " ", badge), ...pair.map(named)));
  }
  return rows;
}

/** Highlights what differs between the texts of two cells. */
async function mark(pair) {
  const { pieces } = await compared(...pair.map(({ words }) => words));
  if (pieces.length > PIECES) return;
  pair.forEach((cell, side) => {
    const own = pieces.filter(([kind]) => kind === "same" || kind === ["gone", "new"][side]);
    fillPieces(cell.querySelector(".text"), own.map(([kind, text]) => [kind === "same" ? null : "mark", text]));
  });
}

/** Makes the cells of one run, in the order of `ROWS`. */
function cells({ of, full, run }, turn) {
  if (full instanceof Error) {
    const words = isMissing(full) ? `There is no turn ${count(turn)} in this run.` : full.message;
    return ROWS.map((_, i) => make("div", {}, i ? null : make("p", { class: "note" }, words)));
  }
  const { line, story, summary } = full;
  const calls = Array.isArray(line.tool_calls) ? line.tool_calls.map(callWords) : [];
  const reply = [line.reply, ...calls].filter(Boolean).join("\n");
  const failed = line.status === "failed" ? [make("p", { class: "bad" }, "✗ Failed")] : [];
  const time = Object.entries(line.ms).reduce((sum, [stage, ms]) => sum + (stage === "look" ? 0 : ms), 0);
  const acted = actions(line.acted, ACTIONS).slice(1);
  return [
    make("div", {}, picture(of, line.image, `Turn ${turn} of ${run.name}`)),
    make("div", {}, ...(acted.length ? acted : [make("p", { class: "note" }, "none")])),
    said(line.feedback),
    said(reply, ...failed),
    said(story ?? ""),
    facts([["Model", line.model], ["Sampling", sampling(line.sampling)], ["Mode", line.mode], ["Goal", line.goal]]),
    facts([["Tokens", tokens(summary.tokens)], ["Time", `${duration(time)}, ${duration(line.ms.model ?? 0)} of them the model`], ["Finish", line.finish]]),
  ];
}

function picture(of, image, alt) {
  if (!image?.sha256) return make("p", { class: "note" }, "no picture");
  const { sha256, width, height } = image;
  const link = make("a", { target: "_blank", rel: "noopener" }, shot(sha256, { alt, width, height }, false, of));
  link.firstChild.onerror = () => link.replaceWith(make("p", { class: "note" }, "This picture is no longer stored."));
  lead(link, sha256, of);
  return link;
}

/** Makes a cell with text, which it remembers as `words`. */
function said(words, ...before) {
  const text = make("div", { class: "text" });
  fill(text, words);
  return Object.assign(make("div", {}, ...before, text), { words });
}

const facts = (rows) =>
  make("dl", {}, ...rows.filter(([, value]) => value).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, visible(value)))));
