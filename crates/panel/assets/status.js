// Where the run stands, in one line, and what a person should know about it.

import { isPausing } from "./controls.js";
import { find, write } from "./element.js";
import { clock, seconds, some } from "./quantity.js";
import { EXPIRED } from "./server.js";
import { sentence, visible } from "./text.js";

const PATIENCE_MS = 1000;
const SIGNS = { good: "●", busy: "◔", idle: "○", warn: "!", bad: "✗" };
const GOAL = 300;
const MODE = 30;

export function showStatus(run, view) {
  let lost = null;
  let dismissed = "";
  const draw = () => {
    if (run.link === "down") lost ??= Date.now();
    else lost = null;
    const gone = lost != null && Date.now() - lost >= PATIENCE_MS;
    const [tone, words] = standing(run, gone);
    find("status").className = tone;
    write(find("status-icon"), SIGNS[tone]);
    write(find("status-words"), words);
    write(find("run"), run.snapshot?.run?.name ?? "");
    find("status").title = [run.snapshot?.run?.name, run.snapshot?.run?.upstream].filter(Boolean).join("\n");
    drawTask(run);
    write(find("pending"), gone ? "" : pending(run, view.shown?.summary.turn));
    const banner = news(run, gone);
    const text = banner?.text ?? "";
    if (!text) dismissed = "";
    find("banner").hidden = !text || dismissed === text;
    find("banner").className = banner?.tone ?? "";
    write(find("banner-text"), text);
    find("banner-turn").hidden = banner?.turn == null;
    write(find("banner-turn"), `Show turn ${banner?.turn}`);
    find("banner-turn").onclick = () => view.go(banner.turn);
    find("banner-close").hidden = !banner?.dismiss;
    find("banner-close").onclick = () => {
      dismissed = text;
      draw();
    };
  };
  run.addEventListener("change", draw);
  view.addEventListener("show", draw);
  setInterval(draw, 500);
  draw();
}

/** Tone and words. */
function standing(run, gone) {
  const { snapshot } = run;
  if (run.expired) return ["bad", "This link is no longer valid"];
  if (gone) return hasEnded(run) ? ["idle", "The run has ended"] : ["bad", "Disconnected, trying again"];
  if (!snapshot) return ["busy", "Connecting"];
  if (!snapshot.live) return ["idle", "Recorded run"];
  const { state, detail } = snapshot.agent;
  const words = { starting: "Starting", paused: "Paused", restarting: "Restarting", stopped: "Stopped" }[state];
  if (words) {
    const turn = /^(?:in|before) (turn \d+)$/.exec(detail)?.[1];
    const more = state === "paused" && turn ? ` before ${turn}` : detail && `: ${visible(detail)}`;
    return [{ starting: "busy", restarting: "warn" }[state] ?? "idle", words + more];
  }
  const work = working(run, run.now());
  if (isPausing(snapshot.agent)) return ["warn", `Pausing… ${work?.[1] ?? ""}`];
  return work ?? (state === "running" ? ["good", "Running"] : ["idle", "No agent yet"]);
}

const hasEnded = ({ snapshot }) => snapshot?.agent.state === "stopped";

/** How it ended, and what can be done now. An agent that is not ours has no profile and is not resumed by us. */
function ending({ run, agent }) {
  const more = run?.profile ? " View it again with “franz replay last”; continue it with “franz run --resume last”." : "";
  return `The run has ended${agent.detail ? `: ${visible(agent.detail)}` : ""}.${more}`.replace("..", ".");
}

function working({ snapshot: { waiting, acting, question, upstream } }, now) {
  if (question) return ["warn", `Turn ${question.turn} waits for you`];
  if (waiting?.until != null) return ["warn", `${turnWords(waiting)}waiting for the model server since ${clock(waiting.since)}`];
  if (upstream && !upstream.up) return ["bad", "Model server not reachable"];
  if (waiting) return ["busy", `${turnWords(waiting)}waiting for the model, ${seconds(now - waiting.since)}`];
  if (acting) return ["good", `Turn ${acting.turn}: acting, ${some(acting.actions, "action")}`];
  return null;
}

const turnWords = ({ turn, attempt }) =>
  turn == null ? "" : `Turn ${turn}${attempt > 1 ? `, attempt ${attempt}` : ""}: `;

/** What the model does, with a clock: the reply's heading says it, whichever turn is shown. */
function pending(run, shown) {
  const { waiting } = run.snapshot ?? {};
  if (!waiting) return "";
  if (waiting.until != null) return `again in ${seconds(waiting.until - run.now())}`;
  const turn = waiting.turn == null || waiting.turn === shown ? "" : `turn ${waiting.turn}: `;
  return `${turn}the model is thinking, ${seconds(run.now() - waiting.since)}`;
}

function drawTask({ snapshot }) {
  find("task").hidden = !snapshot?.live && !snapshot?.mode && !snapshot?.goal;
  write(find("mode"), visible((snapshot?.mode ?? "").slice(0, MODE)));
  find("mode").hidden = !snapshot?.mode;
  write(find("goal"), visible((snapshot?.goal ?? "").slice(0, GOAL)));
  find("goal").title = snapshot?.goal ?? "";
}

/** What the banner says, most urgent first. */
function news(run, gone) {
  const { snapshot } = run;
  if (run.expired) return { tone: "bad", text: EXPIRED };
  const answer = snapshot?.answer;
  const said = answer && `${answer.success ? "Final answer" : "Not done, says the model"}: ${visible(answer.text)}`;
  const tone = answer?.success ? "good" : "bad";
  if (gone && hasEnded(run))
    return { tone: said ? tone : "idle", text: [said, ending(snapshot)].filter(Boolean).join("\n") };
  if (gone)
    return {
      tone: "bad",
      text: "The panel is not responding. What you see may be out of date; the page keeps trying to reconnect.",
    };
  if (!snapshot?.live) return null;
  if (!snapshot.upstream.up && !hasEnded(run))
    return {
      tone: "bad",
      text: `The model server is not reachable. ${sentence(snapshot.upstream.detail)}`,
      dismiss: true,
    };
  if (answer) return { tone, text: said, turn: answer.turn, dismiss: true };
  const { state, detail } = snapshot.agent;
  if (state === "restarting" && detail)
    return { tone: "warn", text: `The agent is restarting. ${sentence(detail)}`, dismiss: true };
  return null;
}
