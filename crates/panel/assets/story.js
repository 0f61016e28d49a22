// The story that was sent and the reply that becomes the next one: as texts, or as what changed.

import { fillChanges } from "./changes.js";
import { find, press, write } from "./element.js";
import { some } from "./quantity.js";
import { fill, sentence } from "./text.js";
import { badge, explain, verdictOf } from "./verdict.js";

const MARKED = 40;

export function showStories(view) {
  let changes = false;
  const draw = () => {
    const turn = view.shown;
    const verdict = turn && verdictOf(turn);
    badge(find("verdict"), verdict);
    find("verdict").hidden = !turn;
    find("story").classList.toggle("violated", verdict?.verdict === "violation");
    drawDifference(turn, verdict);
    drawStory(view, changes, verdict);
    drawReply(turn, changes, verdict);
    const isTold = !turn || verdict?.difference || isConversation(turn, verdict);
    note("why", isTold ? "" : sentence(verdict?.why ?? ""));
  };
  const toggle = () => {
    changes = !changes;
    press(find("changes"), changes);
    draw();
  };
  find("changes").onclick = toggle;
  view.addEventListener("show", draw);
  view.addEventListener("trouble", ({ detail }) => note("story-note", `Cannot show turn ${view.wanted}. ${detail}`));
  draw();
  return { toggle };
}

function drawDifference(turn, verdict) {
  const element = find("difference");
  element.hidden = !verdict?.difference;
  if (element.hidden) element.replaceChildren();
  else explain(element, verdict, () => find("story-text").querySelector("mark")?.scrollIntoView({ block: "center" }));
}

function drawStory(view, changes, verdict) {
  const turn = view.shown;
  const element = find("story-text");
  if (!turn) {
    fill(element, "");
    return note(
      "story-note",
      view.cleared ? "The display is cleared; the records are kept. New turns appear here." : "No turn yet.",
    );
  }
  if (changes && turn.story != null && turn.previous != null) {
    note("story-note", "Comparing …");
    return view.turns.get(turn.previous).then(
      (before) =>
        view.shown === turn &&
        note("story-note", `Since turn ${turn.previous}: ${fillChanges(element, before.story ?? "", turn.story)}`),
      (error) => note("story-note", error.message),
    );
  }
  const position = verdict?.difference?.position;
  fill(element, turn.story ?? "", position == null ? null : { from: position, to: position + MARKED });
  if (isConversation(turn, verdict)) note("story-note", "This agent keeps a conversation; there is no single story.");
  else if (turn.story == null) note("story-note", "The story of this turn was not recorded.");
  else note("story-note", turn.story ? "" : "The story is empty.");
}

/** Models that call functions remember a conversation. */
const isConversation = ({ story, line }, verdict) =>
  !story && (line.tool_calls?.length > 0 || /conversation/.test(verdict?.why));

function drawReply(turn, changes, verdict) {
  const failed = turn?.line.status === "failed";
  find("failed").hidden = !failed;
  write(
    find("reply-hint"),
    failed || !turn || isConversation(turn, verdict) ? "what the model said" : "the next story",
  );
  const reasoning = turn?.line.reasoning ?? "";
  find("reasoning").hidden = !reasoning;
  fill(find("reasoning-text"), reasoning);
  const calls = turn?.line.tool_calls;
  find("calls").hidden = !calls?.length;
  fill(find("calls-text"), Array.isArray(calls) ? calls.map(callWords).join("\n") : "");
  const element = find("reply-text");
  const reply = turn?.line.reply;
  if (reply != null && changes && turn.story != null)
    return note("reply-note", `Since the story: ${fillChanges(element, turn.story, reply)}`);
  fill(element, reply ?? "");
  if (!turn || turn.pending) return note("reply-note", "No reply yet.");
  if (failed)
    return note(
      "reply-note",
      `The model gave no usable reply in ${some(turn.line.attempts, "attempt")}. The story is unchanged.`,
    );
  if (turn.line.cut) return note("reply-note", "The reply hit the token limit: its end is missing.");
  note("reply-note", reply === "" ? "The reply is empty." : reply == null ? "The reply has no text." : "");
}

/** A call as a person would write it. */
function callWords(call) {
  const { name = "?", arguments: given = "" } = call?.function ?? {};
  const word = (value) => (typeof value === "string" ? `"${value}"` : JSON.stringify(value));
  try {
    const values = JSON.parse(given);
    if (values instanceof Object)
      return `${name}(${Object.entries(values)
        .map(([key, value]) => `${key}: ${word(value)}`)
        .join(", ")})`;
  } catch {
    // What is not JSON is shown as it is.
  }
  return `${name}(${given})`;
}

function note(id, text) {
  find(id).textContent = text;
  find(id).hidden = !text;
}
