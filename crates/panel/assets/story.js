// The story that was sent and the reply that becomes the next story, either in full or as changes.

import { fillChanges } from "./changes.js";
import { find } from "./element.js";
import { some } from "./quantity.js";
import { extend, fill, sentence } from "./text.js";
import { badge, explain, verdictOf } from "./verdict.js";

const MARKED = 40;
/** How many CSS pixels from its end text can be scrolled and still follow new text. */
const NEAR = 24;

export function showStories(view, panes, growing) {
  const draw = () => {
    const turn = view.shown;
    const verdict = turn && verdictOf(turn);
    badge(find("verdict"), verdict);
    find("verdict").hidden = !turn;
    find("texts").classList.toggle("violated", verdict?.verdict === "violation");
    drawDifference(turn, verdict);
    drawStory(view, verdict);
    drawReply(turn, verdict, turn?.pending ? growing.of(turn.summary.turn) : "");
    drawChanges(view, panes);
    const isTold = !turn || verdict?.difference || isConversation(turn, verdict);
    note("why", isTold ? "" : sentence(verdict?.why ?? ""));
  };
  view.addEventListener("show", draw);
  view.addEventListener("trouble", ({ detail }) => ["story-note", "reply-note"].forEach((id) => note(id, detail)));
  panes.addEventListener("change", () => drawChanges(view, panes));
  find("changes-since").onchange = () => drawChanges(view, panes);
  growing.addEventListener("grow", ({ detail: { turn, text, isFirst } }) => {
    if (view.shown?.summary.turn === turn) grow(text, isFirst);
  });
  draw();
}

function drawDifference(turn, verdict) {
  const element = find("difference");
  element.hidden = !verdict?.difference;
  if (element.hidden) element.replaceChildren();
  else explain(element, verdict, () => find("story-text").querySelector("mark")?.scrollIntoView({ block: "center" }));
}

function drawStory(view, verdict) {
  const turn = view.shown;
  const element = find("story-text");
  if (!turn) {
    fill(element, "");
    return note(
      "story-note",
      view.cleared ? "The display is cleared; the records are kept. New turns appear here." : "No turn yet.",
    );
  }
  const position = verdict?.difference?.position;
  fill(element, turn.story ?? "", position == null ? null : { from: position, to: position + MARKED });
  if (isConversation(turn, verdict)) note("story-note", "This agent keeps a conversation; there is no single story.");
  else if (turn.story == null) note("story-note", "The story of this turn was not recorded.");
  else note("story-note", turn.story ? "" : turn.previous == null ? "First turn: there was no earlier reply to send." : "The story is empty.");
}

/** Returns whether the agent keeps a conversation, as it does if the model calls functions. */
export const isConversation = ({ story, line }, verdict) =>
  !story && (line.tool_calls?.length > 0 || /conversation/.test(verdict?.why));

/**
 * Shows what the reply changed in the story or, until there is a reply, what the previous reply changed. If the person
 * has chosen a turn, shows what changed since its reply.
 */
async function drawChanges(view, panes) {
  if (panes.text !== "changes") return;
  const { shown: turn } = view;
  const element = find("changes-text");
  const chosen = Number.parseInt(find("changes-since").value, 10);
  const isWanted = () => view.shown === turn && panes.text === "changes" && Object.is(chosen, Number.parseInt(find("changes-since").value, 10));
  const compare = async (since, before, after) => {
    note("changes-note", "Comparing …");
    const words = await fillChanges(element, before, after, isWanted);
    if (words) note("changes-note", `Compared with ${since}: ${words}`);
  };
  element.replaceChildren();
  const now = turn?.line.reply ?? turn?.story;
  if (!chosen && turn?.story != null && turn.line.reply != null) return compare("the story", turn.story, turn.line.reply);
  const other = chosen || turn?.previous;
  if (now == null || other == null) return note("changes-note", "There is nothing to compare yet.");
  note("changes-note", "Comparing …");
  const before = await view.turns.get(other).catch((error) => error);
  if (!isWanted()) return;
  if (before instanceof Error) note("changes-note", before.message);
  else if (chosen) compare(`the reply of turn ${other}`, before.line.reply ?? before.story ?? "", now);
  else compare(`turn ${other}`, before.story ?? "", now);
}

/** Adds new text to the reply. If the person was looking at its end, the end stays visible. */
function grow(text, isFirst) {
  const element = find("reply-text");
  const body = element.closest(".body");
  const isAtEnd = isFirst || body.scrollHeight - body.scrollTop - body.clientHeight < NEAR;
  if (isFirst) {
    element.classList.remove("before");
    note("reply-note", "");
    fill(element, text);
  } else extend(element, text);
  if (isAtEnd) body.scrollTop = body.scrollHeight;
}

function drawReply(turn, verdict, written) {
  const failed = turn?.line.status === "failed";
  find("failed").hidden = !failed;
  const isStory = turn && !failed && !isConversation(turn, verdict);
  find("tab-reply").title = isStory ? "The model's reply, which becomes the next story" : "What the model said";
  const reasoning = turn?.line.reasoning ?? "";
  find("reasoning").hidden = !reasoning;
  fill(find("reasoning-text"), reasoning);
  const calls = turn?.line.tool_calls;
  find("calls").hidden = !calls?.length;
  fill(find("calls-text"), Array.isArray(calls) ? calls.map(callWords).join("\n") : "");
  const element = find("reply-text");
  const reply = turn?.line.reply;
  // While the model is thinking, its last reply stays visible.
  const before = turn?.pending && !written ? (turn.story ?? "") : "";
  element.classList.toggle("before", !!before);
  fill(element, reply ?? (written || before));
  if (written) return note("reply-note", "");
  if (!turn || turn.pending) return note("reply-note", before ? "No reply yet. The previous one:" : "No reply yet.");
  if (failed)
    return note(
      "reply-note",
      `The model gave no usable reply in ${some(turn.line.attempts, "attempt")}. The story is unchanged.`,
    );
  if (turn.line.cut) return note("reply-note", "The reply was cut off: its end is missing.");
  note("reply-note", reply === "" ? "The reply is empty." : reply == null ? "The reply has no text." : "");
}

/** Formats a call as a person would write it. */
export function callWords(call) {
  const { name = "?", arguments: given = "" } = call?.function ?? {};
  const word = (value) => (typeof value === "string" ? `"${value}"` : JSON.stringify(value));
  try {
    const values = JSON.parse(given);
    if (values instanceof Object) {
      const named = Object.entries(values).map(([key, value]) => `${key}: ${word(value)}`);
      return `${name}(${named.join(", ")})`;
    }
  } catch {
    // Text that is not JSON is shown unchanged.
  }
  return `${name}(${given})`;
}

function note(id, text) {
  find(id).textContent = text;
  find(id).hidden = !text;
}
