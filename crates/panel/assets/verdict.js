// Verdicts in words and signs: is the story that was sent the one that was received before?

import { fill, sentence } from "./text.js";
import { make, write } from "./element.js";
import { count } from "./quantity.js";

const KINDS = {
  __proto__: null,
  match: ["✓", "Story unchanged", "good", "The story is identical to the last reply, character by character."],
  first: ["✓", "First story", "good", "There was no earlier story."],
  retry: ["✓", "Story sent again", "good", "The same story as in the previous request."],
  violation: ["✗", "Story changed", "bad", "The story differs from the last reply."],
  by_person: ["✓", "By you", "good", "The story is a reply that a person wrote in place of the model."],
  unverifiable: ["?", "Not checkable", "idle", "FRANZ cannot tell whether the story was changed."],
};
const NONE = ["…", "Not checked yet", "idle", "No request from this turn has passed through the relay yet, or it is still being checked."];

/** Returns the verdict that counts for a turn: a violation by any of its requests, or else the verdict on the last one. */
export function verdictOf({ verdicts = [], summary }) {
  return (
    verdicts.findLast(({ verdict }) => verdict === "violation") ??
    verdicts.at(-1) ??
    (summary.verdict && { verdict: summary.verdict })
  );
}

/** Draws a badge with the verdict's sign, words and colour. */
export function badge(element, verdict) {
  const [sign, words, tone, meaning] = KINDS[verdict?.verdict] ?? NONE;
  const at = verdict?.difference ? ` at ${count(verdict.difference.position)}` : "";
  write(element, `${sign} ${words}${at}`);
  element.className = `badge ${tone}`;
  element.title = meaning;
}

/** Shows both versions around the first unit that differs. */
export function explain(element, verdict, reveal) {
  const { position, received, sent, received_units, sent_units } = verdict.difference;
  let same = 0;
  while (same < received.length && received[same] === sent[same]) same += 1;
  const side = (name, text, units) => {
    const shown = make("div", { class: "text" });
    fill(shown, text, { from: same, to: text.length });
    return [make("dt", {}, name), make("dd", {}, shown, make("small", {}, `${count(units)} characters in total`))];
  };
  element.replaceChildren(
    make("p", {}, `The story sent differs from the previous reply. First difference at ${count(position)}.`),
    make("p", {}, verdict.why && sentence(verdict.why)),
    make("dl", {}, ...side("Received", received, received_units), ...side("Sent", sent, sent_units)),
    make("button", { onclick: reveal }, "Show in the story"),
  );
}
