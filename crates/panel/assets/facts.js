// The strip of facts about a turn.

import { find, make, write } from "./element.js";
import { bytes, clock, count, duration } from "./quantity.js";
import { visible } from "./text.js";
import { verdictOf } from "./verdict.js";

const STAGES = ["act", "settle", "capture", "mark", "scale", "encode", "request", "model", "record"];
const SHORT = 200;

export function showFacts(run, view) {
  const draw = () => {
    find("facts").replaceChildren(...facts(view.shown, run.snapshot).flatMap(row));
    drawLatency(view.shown?.line.ms);
  };
  view.addEventListener("show", draw);
  run.addEventListener("change", ({ detail: { type } }) => (type === "turn" || type === "snapshot") && draw());
  draw();
}

const row = ([name, value]) =>
  value ? [make("div", {}, make("dt", {}, name), make("dd", {}, visible(value.slice(0, SHORT))))] : [];

function facts(turn, snapshot) {
  const total = snapshot?.tokens.total;
  const sum = ["Tokens of the run", total ? count(total) : ""];
  if (!turn) return [["Model", snapshot?.run?.model], sum];
  const { line, summary } = turn;
  const verdict = verdictOf(turn);
  return [
    ["Began", clock(line.started)],
    ["Model", line.model ?? snapshot?.run?.model],
    ["Sampling", sampling(line.sampling)],
    ["Tokens", tokens(summary.tokens)],
    sum,
    ["Story", turn.story == null ? "" : `${count(turn.story.length)} units`],
    ["Reply", summary.reply_bytes ? bytes(summary.reply_bytes) : ""],
    ["Picture", line.image ? `${line.image.width} × ${line.image.height}, ${bytes(line.image.bytes)}` : ""],
    [
      "On the wire",
      verdict?.request_bytes ? `${bytes(verdict.request_bytes)} out, ${bytes(verdict.response_bytes)} in` : "",
    ],
    ["Mode", line.mode],
    ["Attempts", line.attempts > 1 || line.status === "failed" ? count(line.attempts) : ""],
    ["Finish", line.cut ? `${line.finish ?? ""} (cut)` : line.finish],
    ["Status", line.status === "failed" ? "✗ failed" : ""],
    ["Errors", line.errors.length ? count(line.errors.length) : ""],
    ["Goal then", line.goal === snapshot?.goal ? "" : line.goal],
  ];
}

function sampling(values) {
  if (!values || typeof values !== "object") return "";
  return Object.entries(values)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}

const tokens = ({ total, prompt, completion }) =>
  total ? `${count(total)} (${count(prompt)} read, ${count(completion)} written)` : "";

/** A bar of the stages, and a list in words for whoever asks. */
function drawLatency(ms = {}) {
  const stages = STAGES.map((name) => [name, ms[name] ?? 0]);
  const stripe = ([name, time]) => {
    const element = make("span", { class: `stage-${name}` });
    element.style.flexGrow = time;
    return element;
  };
  find("latency").hidden = !ms.model && !ms.act;
  find("bar").replaceChildren(...stages.map(stripe));
  write(find("took"), duration(stages.reduce((sum, [, time]) => sum + time, 0)));
  find("stages").replaceChildren(
    ...stages.map(([name, time]) => make("li", { class: `stage-${name}` }, make("span", {}, name), duration(time))),
  );
}
