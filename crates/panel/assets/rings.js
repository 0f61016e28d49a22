// Rings over a picture that show where a grounder found the model's targets.

import { make } from "./element.js";
import { visible } from "./text.js";

const PLACE = /\((\d+(?:\.\d+)?), (\d+(?:\.\d+)?)/;
const MOST = 100;
const UNITS = 200;

/** Makes the rings over a turn's picture. The actions that the turn's reply requested belong to the next turn. */
export async function rings(view, turn) {
  const next = turn?.summary.turn + 1;
  if (!(next <= view.range()?.last)) return [];
  const acted = await view.turns.get(next).then(({ line }) => line.acted, () => []);
  return acted.slice(0, MOST).flatMap(ring);
}

function ring({ action, found }) {
  const [, ...place] = PLACE.exec(found?.action) ?? [];
  const [x, y] = place.map((thousandths) => Number(thousandths) / 10);
  if (!(x <= 100 && y <= 100)) return [];
  const label = `${visible(action, UNITS)}, found by ${visible(found.model, UNITS)}`;
  const attributes = { class: y > 50 ? "ring low" : "ring", role: "img", tabindex: 0, "aria-label": label };
  const element = make("span", attributes, make("span", {}, label));
  element.style.setProperty("--left", `${x}%`);
  element.style.setProperty("--top", `${y}%`);
  return [element];
}
