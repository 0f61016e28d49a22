// Draws over the picture where actions take place: the one under the mouse or focus, and the one that is waiting for
// the person. Also draws the area that changed.

import { find, press } from "./element.js";

const QUOTED = /"(?:\\.|[^"\\])*",? ?|'(?:\\.|[^'\\])*',? ?/g;
const NAMED = /\b(?!points)\w+=[^,)\]]*/g;
const NUMBER = /-?\d+(?:\.\d+)?/g;

/**
 * Returns the points in an action's canonical text, in thousandths. If there is an odd number of values, the first one
 * is not a coordinate.
 */
export function points(action) {
  const inside = action.slice(action.indexOf("(")).replace(QUOTED, "").replace(NAMED, "");
  const numbers = (inside.match(NUMBER) ?? []).map(Number);
  const from = numbers.length % 2;
  const pairs = [];
  for (let i = from; i < numbers.length; i += 2) pairs.push([numbers[i], numbers[i + 1]]);
  return pairs.every((pair) => pair.every((side) => side >= 0 && side <= 1000)) ? pairs : [];
}

export function showPlaces(run, view) {
  const [svg, list, button] = ["places", "actions", "changed"].map(find);
  let hot = null;
  let changed = false;
  const draw = () => {
    const { question } = run.snapshot ?? {};
    const turn = view.shown;
    const area = turn?.line.change?.area;
    button.disabled = !area;
    press(button, changed && !!area);
    // An action belongs to the turn after the one whose reply requested it.
    const due = question && question.turn === turn?.summary.turn + 1 ? question.action : "";
    svg.replaceChildren(
      ...(changed && area ? path("area", rectangle(...area)) : []),
      ...stroke("due", due),
      ...stroke("hot", hot ?? ""),
    );
  };
  const point = ({ target }) => {
    const next = target.closest?.("[data-action]")?.dataset.action ?? null;
    if (next === hot) return;
    hot = next;
    draw();
  };
  const toggle = () => {
    changed = !changed;
    draw();
  };
  const leave = () => {
    hot = null;
    draw();
  };
  list.addEventListener("pointerover", point);
  list.addEventListener("focusin", point);
  list.addEventListener("pointerleave", leave);
  list.addEventListener("focusout", leave);
  button.onclick = toggle;
  view.addEventListener("show", leave);
  run.addEventListener("change", ({ detail: { type, parts } }) => (type === "snapshot" || "question" in parts) && draw());
  draw();
  return { toggle };
}

function stroke(tone, action) {
  const places = points(action);
  if (!places.length) return [];
  const [[x, y]] = places;
  const line = /^zoom\(/.test(action) ? rectangle(...places.flat()) : `M${places.map((place) => place.join(" ")).join("L")}`;
  return [...(places.length > 1 ? path(`${tone} line`, line) : []), ...path(`${tone} dot`, `M${x} ${y}h0`)];
}

const rectangle = (left, top, right, bottom) => `M${left} ${top}H${right}V${bottom}H${left}Z`;

/** Draws each path twice, starting with a dark rim, so that it is visible on any picture. */
function path(names, d) {
  return ["rim", "ink"].map((layer) => {
    const element = document.createElementNS(find("places").namespaceURI, "path");
    element.setAttribute("class", `${names} ${layer}`);
    element.setAttribute("d", d);
    return element;
  });
}
