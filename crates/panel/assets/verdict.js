// Verdicts in words and signs: is the story that was sent the one that came back before?

import { fill } from "./text.js";
import { make } from "./element.js";
import { count } from "./quantity.js";

const KINDS = {
  __proto__: null,
  match: ["✓", "match", "good", "The story is the last reply, unit for unit."],
  first: ["✓", "first story", "good", "Nothing was sent before."],
  retry: ["✓", "retry", "good", "The story of the request before was sent again."],
  violation: ["✗", "violation", "bad", "The story is not the last reply."],
  unverifiable: ["?", "unverifiable", "idle", "It cannot be told whether the story was changed."],
};
const NONE = ["…", "not checked", "idle", "No request of this turn passed the relay, or it is not judged yet."];

/** The verdict that counts for a turn: a violation on any of its requests, else that on the last one. */
export function verdictOf({ verdicts = [], summary }) {
  return (
    verdicts.findLast(({ verdict }) => verdict === "violation") ??
    verdicts.at(-1) ??
    (summary.verdict && { verdict: summary.verdict })
  );
}

/** Draws a badge of sign, words and colour. */
export function badge(element, verdict) {
  const [sign, words, tone, meaning] = KINDS[verdict?.verdict] ?? NONE;
  const at = verdict?.difference ? ` at ${count(verdict.difference.position)}` : "";
  const text = `${sign} SST ${words}${at}`;
  if (element.textContent !== text) element.textContent = text;
  element.className = `badge ${tone}`;
  element.title = verdict?.why ? `${meaning} ${verdict.why}` : meaning;
}

/** Both sides around the first unit that differs. */
export function explain(element, verdict, reveal) {
  const { position, received, sent, received_units, sent_units } = verdict.difference;
  let same = 0;
  while (same < received.length && received[same] === sent[same]) same += 1;
  const side = (name, text, units) => {
    const shown = make("div", { class: "text" });
    fill(shown, text, { from: same, to: text.length });
    return [make("dt", {}, name), make("dd", {}, shown, make("small", {}, `${count(units)} units in all`))];
  };
  element.replaceChildren(
    make(
      "p",
      {},
      `The story that was sent is not the reply before. First difference at ${count(position)}. ${verdict.why ?? ""}`,
    ),
    make("dl", {}, ...side("Received", received, received_units), ...side("Sent", sent, sent_units)),
    make("button", { onclick: reveal }, "Show in the story"),
  );
}
