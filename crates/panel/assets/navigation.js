// The bar to move through the turns.

import { find, write } from "./element.js";
import { count, some } from "./quantity.js";

/** How many violations the panel lists. */
const MOST = 1000;

export function navigate(run, view) {
  const [number, scrubber] = [find("number"), find("scrubber")];
  const draw = () => {
    const range = view.range();
    const here = view.wanted;
    scrubber.disabled = number.disabled = !range;
    scrubber.min = range?.first ?? 0;
    scrubber.max = range?.last ?? 0;
    scrubber.value = here ?? 0;
    scrubber.setAttribute("aria-valuetext", here == null ? "no turn" : `turn ${here} of ${range?.last}`);
    if (document.activeElement !== number) number.value = here ?? "";
    const pending = here != null && here === run.snapshot?.pending;
    const ends = range?.first > 1 ? `${count(range.first)} to` : "of";
    write(find("range"), `${ends} ${count(range?.last ?? 0)}${pending ? ", waiting for the model" : ""}`);
    find("range").classList.toggle("busy", pending);
    find("first").disabled = find("previous").disabled = !range || here <= range.first;
    find("last").disabled = find("next").disabled = !range || here >= range.last;
    find("follow").hidden = !run.snapshot?.live || run.snapshot.agent.state === "stopped";
    find("follow").setAttribute("aria-checked", view.following);
    const found = view.violations();
    find("violations-bar").hidden = !found.length;
    write(find("violations"), found.length < MOST ? some(found.length, "violation") : `${count(MOST)}+ violations`);
    find("violations").classList.toggle("bad", found.length > 0);
    find("violation-previous").disabled = !(found[0] < here);
    find("violation-next").disabled = !(found.at(-1) > here);
    find("clear").hidden = view.cleared > 0;
    find("clear-undo").hidden = !view.cleared;
  };
  find("first").onclick = () => view.go(0);
  find("previous").onclick = () => view.step(-1);
  find("next").onclick = () => view.step(1);
  find("last").onclick = () => view.go(Infinity);
  find("follow").onclick = () => view.follow(!view.following);
  find("violation-previous").onclick = () => view.violation(-1);
  find("violation-next").onclick = () => view.violation(1);
  find("clear").onclick = () => view.clear();
  find("clear-undo").onclick = () => view.clear(0);
  scrubber.oninput = () => view.scrub(Number(scrubber.value));
  find("jump").onsubmit = (event) => {
    event.preventDefault();
    const wanted = Number.parseInt(number.value, 10);
    number.blur();
    if (!Number.isFinite(wanted)) return draw();
    view.go(wanted);
    if (view.wanted !== wanted) run.note(`There is no turn ${wanted}; showing turn ${view.wanted}.`);
  };
  number.onblur = draw;
  number.onfocus = () => number.select();
  view.addEventListener("move", draw);
  run.addEventListener("change", ({ detail: { parts } }) => "agent" in parts && draw());
  draw();
}
