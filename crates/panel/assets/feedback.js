// Shows the outcomes of the actions, and what the model was told about them.

import { find, make, write } from "./element.js";
import { shot } from "./pictures.js";
import { count, some } from "./quantity.js";
import { fill, visible } from "./text.js";

const OUTCOMES = {
  __proto__: null,
  done: ["✓", "done", "good"],
  not_applied: ["○", "no effect", "warn"],
  ignored: ["–", "ignored", "idle"],
  malformed: ["✗", "malformed", "bad"],
  blocked: ["⊘", "blocked", "bad"],
  held: ["‖", "held", "warn"],
  refused: ["⊘", "refused", "warn"],
  withdrawn: ["↩", "withdrawn", "warn"],
  interrupted: ["!", "interrupted", "warn"],
};
const LISTED = 500;
const UNITS = 2000;

export function showFeedback(view) {
  const draw = () => {
    const line = view.shown?.line;
    fill(find("feedback-text"), line?.feedback ?? "");
    if (!line) find("feedback-text").append(make("p", { class: "note" }, "No feedback yet."));
    const acted = line?.acted ?? [];
    write(find("actions-sum"), line ? sum(acted) : "");
    find("actions").replaceChildren(...beside(line), ...actions(acted, LISTED).slice(1));
    find("errors").replaceChildren(...errors(line?.errors ?? []));
  };
  view.addEventListener("show", draw);
  draw();
}

/** Makes the pictures that the model saw in addition to the whole screen, each with its caption. */
export function beside(line) {
  return (line?.beside ?? []).map(({ words, image: { sha256, width, height } }) =>
    make(
      "figure",
      {},
      make("figcaption", {}, visible(words, UNITS)),
      shot(sha256, { alt: "", loading: "lazy", width, height }),
    ),
  );
}

function sum(acted) {
  const done = acted.filter(({ outcome }) => outcome === "done").length;
  return acted.length ? `${some(acted.length, "action")}, ${count(done)} done` : "none";
}

/** Makes a heading and a list of at most `most` actions. */
export function actions(acted, most) {
  if (!acted.length) return [];
  const rows = acted.slice(0, most).map(({ action, outcome, why, found, decided }) => {
    const [sign, words, tone] = OUTCOMES[outcome] ?? ["?", outcome, "idle"];
    return make(
      "li",
      { tabindex: most === LISTED ? 0 : null, "data-action": (found?.action ?? action).slice(0, UNITS) },
      make("span", { class: `outcome ${tone}` }, `${sign} ${words}`),
      make("code", {}, visible(action, UNITS)),
      why ? make("small", {}, visible(why, UNITS)) : null,
      decided ? make("small", {}, visible(decided.by === "nobody" ? "nobody was there" : `${decided.what} in the ${decided.by}`)) : null,
      decided?.action ? make("code", {}, visible(`→ ${decided.action}`, UNITS)) : null,
      ...pointed(found),
    );
  });
  if (acted.length > most) rows.push(make("li", { class: "note" }, `and ${count(acted.length - most)} more`));
  return [
    make("h3", {}, sum(acted)),
    make("ul", { class: "actions" }, ...rows),
  ];
}

/** Makes the grounder's answer when it was asked for an action's target. */
function pointed(found) {
  if (!found) return [];
  const { action, model, said } = found;
  const parts = [
    action ? make("code", {}, visible(`→ ${action}`, UNITS)) : null,
    make("small", {}, `${visible(model, UNITS)}: ${visible(said, UNITS) || "no answer"}`),
  ];
  return [make("div", { class: "found" }, ...parts)];
}

function errors(list) {
  if (!list.length) return [];
  const rows = list.slice(0, LISTED).map((text) => make("li", {}, visible(text, UNITS)));
  return [
    make("h3", { class: "bad" }, `✗ ${some(list.length, "error")} in this turn`),
    make("ul", { class: "errors" }, ...rows),
  ];
}
