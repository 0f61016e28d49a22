// Plays back the turns of a finished run.

import { find, press, write } from "./element.js";

/** How long each turn is shown at normal speed. */
const TURN_MS = 1000;

export function play(run, view) {
  const [button, speed] = [find("play"), find("speed")];
  let on = false;
  let next;
  /** The turn from which the last step went. */
  let from;
  const isOver = () => !!view.range() && (!run.snapshot.live || run.snapshot.agent.state === "stopped");
  const draw = () => {
    button.hidden = speed.hidden = !isOver();
    press(button, on);
    write(button, on ? "❚❚" : "▶");
    button.setAttribute("aria-label", on ? "Stop playing" : "Play");
  };
  const set = (to) => {
    on = to;
    from = null;
    clearTimeout(next);
    if (on) wait();
    draw();
  };
  const wait = () => {
    clearTimeout(next);
    next = setTimeout(go, TURN_MS / Number(speed.value));
  };
  const go = () => {
    // If a step led nowhere, the turns behind it cannot be shown.
    if (view.isLast() || view.wanted === from) return set(false);
    from = view.wanted;
    view.step(1);
  };
  const toggle = () => {
    const start = !on && view.isLast();
    set(!on);
    if (start) view.go(0);
  };
  button.onclick = toggle;
  // Loading a turn can take longer than showing it.
  view.addEventListener("show", () => {
    if (view.wanted !== from) from = null;
    if (on) wait();
  });
  view.addEventListener("move", () => on && view.shown?.summary.turn === view.wanted && wait());
  run.addEventListener("change", draw);
  draw();
  return { toggle, isPlaying: () => on, isOver };
}
