// Shows the run's status in one line, and in the tab's title and icon, and tells the person what they should know.

import { isPausing } from "./controls.js";
import { find, write, writeAll } from "./element.js";
import { moment, seconds, some } from "./quantity.js";
import { EXPIRED } from "./server.js";
import { sentence, visible } from "./text.js";

const PATIENCE_MS = 1000;
const SIGNS = { good: "●", busy: "◔", idle: "○", warn: "!", bad: "✗" };
const GOAL = 300;
const MODE = 30;
/** What the tab shows for each state: the word in its title, and the colour and shape of its icon. */
const STATES = {
  running: ["Running", "#22a55a", "M12 9l12 7-12 7z"],
  paused: ["Paused", "#64748b", "M10 9h4v14h-4zM18 9h4v14h-4z"],
  waiting: ["Waiting for you", "#e08a00", "M14 7h4v12h-4zM14 21h4v4h-4z"],
  failed: ["Failed", "#d3302f", "M9 12l3-3 4 4 4-4 3 3-4 4 4 4-3 3-4-4-4 4-3-3 4-4z"],
  ended: ["Ended", "#64748b", "M10 10h12v12H10z"],
};

/**
 * Calls `changed` with each state after the first, a title that names the run, and the words for the state. A question
 * that follows another counts as a state of its own.
 */
export function showStatus(run, view, changed) {
  const icon = find("icon").href;
  let lost = null;
  let dismissed = "";
  let [state, since, asked] = [null, 0, undefined];
  const draw = () => {
    if (run.link === "down") lost ??= Date.now();
    else lost = null;
    const gone = lost != null && Date.now() - lost >= PATIENCE_MS;
    const [tone, words, now] = standing(run, gone);
    find("status").className = tone;
    write(find("status-icon"), SIGNS[tone]);
    write(find("status-words"), words);
    const nonce = run.snapshot?.question?.nonce;
    if (now !== state || nonce !== asked) {
      if (state) changed(now, `${STATES[now]?.[0]}: ${nameOf(run)}`, words);
      [state, since, asked] = [now, run.now(), nonce];
      find("icon").href = STATES[state] ? drawn(...STATES[state]) : icon;
      write(find("state"), STATES[state]?.[0] ?? "");
      document.body.dataset.state = state;
    }
    const { waiting } = run.snapshot ?? {};
    const began = gone ? lost + run.skew : waiting?.until != null && state === "failed" ? waiting.since : Math.max(run.snapshot?.agent.since ?? 0, state === "waiting" ? since : 0);
    writeAll(find("since"), began && state && state !== "running" ? ["since ", moment(began)] : []);
    drawTitle(run, view, state);
    drawFacts(run);
    drawTask(run);
    write(find("pending"), gone ? "" : pending(run, view.shown?.summary.turn));
    const banner = news(run, gone);
    const pieces = [banner?.text ?? []].flat();
    const text = pieces.map((piece) => piece.textContent ?? piece).join("");
    if (!text) dismissed = "";
    find("banner").hidden = !text || dismissed === text;
    find("banner").className = banner?.tone ?? "";
    writeAll(find("banner-text"), pieces);
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
  view.addEventListener("move", () => drawTitle(run, view, state));
  view.addEventListener("show", draw);
  setInterval(draw, 500);
  draw();
}

const nameOf = ({ snapshot }) => visible(snapshot?.run?.name ?? snapshot?.name ?? "");

function drawTitle(run, { wanted }, state) {
  const words = [STATES[state]?.[0], wanted == null ? null : `Turn ${wanted}`, nameOf(run), "FRANZ"].filter(Boolean);
  const title = (run.elsewhere ? `(${run.elsewhere}) ` : "") + words.join(" · ");
  if (document.title !== title) document.title = title;
}

const drawn = (_, colour, shape) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${colour}"/><path fill="#fff" d="${shape}"/></svg>`)}`;

/** Shows the run's name and, in small type, its profile, model and server. */
function drawFacts({ snapshot }) {
  const { name, profile, model, upstream } = snapshot?.run ?? {};
  write(find("run"), visible(name ?? snapshot?.name ?? "FRANZ"));
  const facts = [profile, model, upstream?.split(" ")[0].replace(/^https?:\/+/, "")].filter(Boolean).map((fact) => visible(fact));
  write(find("run-facts"), facts.join(" · "));
  find("run-facts").title = [...facts, upstream].filter(Boolean).join("\n");
}

/** Returns a tone, words, and the state for the tab. */
function standing(run, gone) {
  const { snapshot } = run;
  if (run.expired) return ["bad", "This link is no longer valid", "failed"];
  if (gone) return hasEnded(run) ? ["idle", "The run has ended", "ended"] : ["bad", "Disconnected, trying again", "failed"];
  if (!snapshot) return ["busy", "Connecting", null];
  if (!snapshot.live && !hasEnded(run)) return ["idle", "Recorded run", null];
  const { state, detail } = snapshot.agent;
  if (isDiskFull(run)) return ["bad", "The disk is full", "failed"];
  const words = { starting: "Starting", paused: "Paused", restarting: "Restarting", stopped: "Ended" }[state];
  if (words && !snapshot.question) {
    const turn = /^(?:in|before) (turn \d+)$/.exec(detail)?.[1];
    const held = snapshot.held ? `: ${some(snapshot.held, "request")} waiting` : "";
    const more = state === "paused" && turn ? ` before ${turn}` : held || (detail && `: ${visible(detail)}`);
    const told = { starting: "running", paused: "paused", restarting: "failed", stopped: /^gave up/.test(detail) ? "failed" : "ended" };
    return [{ starting: "busy", restarting: "warn" }[state] ?? "idle", words + more, told[state]];
  }
  const work = working(run, run.now());
  if (isPausing(snapshot.agent)) return ["warn", `Pausing… ${work?.[1] ?? ""}`, "running"];
  if (snapshot.run?.relay && !snapshot.turns.last) return work ?? ["idle", "No run is live", null];
  return work ?? (state === "running" ? ["good", "Running", "running"] : ["idle", "No agent yet", null]);
}

/** Returns whether the agent died because the disk is full. */
const isDiskFull = ({ snapshot }) => ["restarting", "stopped"].includes(snapshot?.agent.state) && snapshot.agent.detail.includes("the disk is full");

const hasEnded = ({ snapshot }) => snapshot?.agent.state === "stopped";

/** Says how the run ended and what to do now. */
function ending(run) {
  const { agent } = run.snapshot;
  const [room, how] = [isDiskFull(run) ? "The disk is full. " : "", agent.detail ? `: ${visible(agent.detail)}` : ""];
  const again = isOurs(run) ? ` View it again with “franz replay ${nameOf(run)}”; continue it with “${resume(run)}”.` : "";
  return `${room}The run has ended${how}.${again}`.replace("..", ".");
}

/** Says why the agent died, and what to do if it does not come back. */
function dying(run) {
  const { detail } = run.snapshot.agent;
  const more = isOurs(run) ? ` If it does not come back, stop the run and continue it with “${resume(run)}”.` : "";
  return `${isDiskFull(run) ? "The disk is full, so the agent cannot record anything." : "The agent is restarting."} ${sentence(detail)}${more}`;
}

/** An agent that is not ours has no profile, and FRANZ cannot resume its run. */
const isOurs = ({ snapshot }) => !!snapshot.run?.profile;

const resume = (run) => `franz run --resume ${nameOf(run)}`;

function working({ snapshot: { waiting, acting, question, upstream } }, now) {
  if (question) return ["warn", `Turn ${question.turn} is waiting for you`, "waiting"];
  if (waiting?.until != null) return ["warn", `${turnWords(waiting)}waiting for the model server`, "failed"];
  if (upstream && !upstream.up) return ["bad", "Model server not reachable", "failed"];
  if (waiting) return ["busy", `${turnWords(waiting)}waiting for the model, ${seconds(now - waiting.since)}`, "running"];
  if (acting) return ["good", `Turn ${acting.turn}: acting, ${some(acting.actions, "action")}`, "running"];
  return null;
}
const turnWords = ({ turn, attempt }) =>
  turn == null ? "" : `Turn ${turn}${attempt > 1 ? `, attempt ${attempt}` : ""}: `;

/** Says what the model is doing and for how long, above the reply of whichever turn is shown. */
function pending(run, shown) {
  const { waiting } = run.snapshot ?? {};
  if (!waiting) return "";
  if (waiting.until != null) return `trying again in ${seconds(waiting.until - run.now())}`;
  const turn = waiting.turn == null || waiting.turn === shown ? "" : `turn ${waiting.turn}: `;
  return `${turn}the model is thinking, ${seconds(run.now() - waiting.since)}`;
}

function drawTask({ snapshot }) {
  find("task").hidden = !snapshot?.live && !snapshot?.mode && !snapshot?.goal;
  write(find("mode"), visible(snapshot?.mode ?? "", MODE));
  find("mode").hidden = !snapshot?.mode;
  write(find("goal"), visible(snapshot?.goal ?? "", GOAL));
  find("goal").title = snapshot?.goal ?? "";
}

/** Returns the banner's text and tone. The most urgent news comes first. */
function news(run, gone) {
  const { snapshot } = run;
  if (run.expired) return { tone: "bad", text: EXPIRED };
  const answer = snapshot?.answer;
  const said = answer && `${answer.success ? "Final answer" : "The model reports failure"}: ${visible(answer.text)}`;
  const tone = answer?.success ? "good" : "bad";
  if (gone && hasEnded(run))
    return { tone: said ? tone : "idle", text: [said, ending(run)].filter(Boolean).join("\n") };
  if (gone)
    return {
      tone: "bad",
      text: "The panel is not responding. What you see might be out of date; the page keeps trying to reconnect.",
    };
  if (!snapshot?.live && !hasEnded(run)) return null;
  const { state, detail } = snapshot.agent;
  if (state === "restarting" && detail)
    return { tone: isDiskFull(run) ? "bad" : "warn", text: dying(run), dismiss: true };
  if (!snapshot.upstream.up && !hasEnded(run))
    return {
      tone: "bad",
      text: `The model server is not reachable. ${sentence(snapshot.upstream.detail)}`,
      dismiss: true,
    };
  if (snapshot.waiting?.until != null) {
    const text = ["The model server has not answered since ", moment(snapshot.waiting.since), ". FRANZ keeps trying; check that the server is running. The notices list the errors."];
    return { tone: "warn", text, dismiss: true };
  }
  if (answer) return { tone, text: said, turn: answer.turn, dismiss: true };
  if (hasEnded(run)) return { tone: isDiskFull(run) ? "bad" : "idle", text: ending(run), dismiss: true };
  return null;
}
