// The strip of facts about a turn.

import { find, make, write } from "./element.js";
import { bytes, count, duration, moment, some } from "./quantity.js";
import { visible } from "./text.js";
import { verdictOf } from "./verdict.js";

const STAGES = {
  act: "#e8833a",
  settle: "#c9a227",
  capture: "#8b5cf6",
  mark: "#d946a6",
  scale: "#14a3a3",
  encode: "#3fa34d",
  request: "#64748b",
  model: "#3b82f6",
  record: "#ef4444",
};
const SHORT = 200;
/** The facts at the bottom of the page. The others are shown with the request. */
const BRIEF = ["Model", "Tokens", "Tokens in this run", "Picture", "Finish", "Goal at this turn"];

export function showFacts(run, view) {
  const draw = () => {
    const known = facts(view.shown, run.snapshot);
    find("facts").replaceChildren(...known.flatMap(row));
    find("brief").replaceChildren(...known.filter(([name]) => BRIEF.includes(name)).flatMap(row));
    drawLatency(view.shown?.line.ms);
  };
  view.addEventListener("show", draw);
  run.addEventListener("change", ({ detail: { type, parts } }) => {
    if (type === "snapshot" || "turns" in parts || "goal" in parts) draw();
  });
  draw();
}

const row = ([name, value]) =>
  value ? [make("div", {}, make("dt", {}, name), make("dd", {}, typeof value === "string" ? visible(value, SHORT) : value))] : [];

function facts(turn, snapshot) {
  const sum = ["Tokens in this run", snapshot ? tokens(snapshot.tokens) : ""];
  if (!turn) return [["Model", snapshot?.run?.model], sum];
  const { line, summary } = turn;
  const verdict = verdictOf(turn);
  return [
    ["Started", moment(line.started)],
    ["Model", line.model ?? snapshot?.run?.model],
    ["Sampling", sampling(line.sampling)],
    ["Tokens", tokens(summary.tokens)],
    sum,
    ["Tokens a second", pace(line.usage)],
    ["Story", turn.story == null ? "" : some(turn.story.length, "character")],
    ["Reply", line.reply ? some(line.reply.length, "character") : ""],
    ["Picture", line.image ? `${line.image.width} × ${line.image.height}, ${bytes(line.image.bytes)}` : ""],
    ["Changed", line.change ? (line.change.area?.join(", ") ?? "nothing") : ""],
    [
      "On the wire",
      verdict?.request_bytes ? `${bytes(verdict.request_bytes)} out, ${bytes(verdict.response_bytes)} in` : "",
    ],
    ["Mode", line.mode],
    ["Attempts", line.attempts > 1 || line.status === "failed" ? count(line.attempts) : ""],
    ["Finish", line.cut ? `${line.finish ?? ""} (cut)` : line.finish],
    ["Errors", line.errors.length ? count(line.errors.length) : ""],
    ["Goal at this turn", line.goal === snapshot?.goal ? "" : line.goal],
  ];
}

/** Lists sampling parameters. */
export function sampling(values) {
  if (!values || typeof values !== "object") return "";
  return Object.entries(values)
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}

/** Says how many tokens were read and written. */
export function tokens({ total, prompt, cached, completion }) {
  if (!total) return "";
  const known = cached ? `, ${count(cached)} from the cache` : "";
  return `${count(total)}: ${count(prompt - cached)} read${known}, ${count(completion)} written`;
}

function pace(usage) {
  const rate = (name, what) => (usage?.[name] > 0 ? [`${count(Math.round(usage[name]))} ${what}`] : []);
  return [...rate("read_per_s", "read"), ...rate("written_per_s", "written")].join(", ");
}

/** A bar of the stages, and a list in words for anyone who wants it. */
function drawLatency(ms = {}) {
  const stages = Object.keys(STAGES).map((name) => [name, ms[name] ?? 0]);
  const tint = (element, name) => {
    element.style.setProperty("--stage", STAGES[name]);
    return element;
  };
  const stripe = ([name, time]) => {
    const element = tint(make("span"), name);
    element.style.flexGrow = time;
    return element;
  };
  find("latency").hidden = !ms.model && !ms.act;
  find("bar").replaceChildren(...stages.map(stripe));
  write(find("took"), duration(stages.reduce((sum, [, time]) => sum + time, 0)));
  find("stages").replaceChildren(
    ...stages.map(([name, time]) => tint(make("li", {}, make("span", {}, name), duration(time)), name)),
  );
}
