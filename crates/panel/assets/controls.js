// The buttons that control the agent.

import { find, write } from "./element.js";
import { post } from "./server.js";

const SURE_MS = 4000;
/** A click that comes sooner after the question was not meant as an answer to it. */
const SEEN_MS = 500;

export function control(run) {
  const stop = find("stop");
  let sure, asked;
  const watches = () => run.snapshot?.mode === "monitoring";
  const send = async (command, value) => {
    try {
      await post({ do: command, value });
    } catch (error) {
      run.note(error.message);
    }
  };
  const calm = () => {
    clearTimeout(sure);
    sure = null;
    write(stop, "Stop");
    stop.classList.remove("danger");
  };
  const draw = () => {
    const { live, settings, agent } = run.snapshot ?? {};
    const state = agent?.state ?? "none";
    const held = state === "paused" || isPausing(agent);
    const over = state === "stopped";
    find("controls").hidden = !live || state === "none" || over;
    for (const id of ["settings-open", "goal-edit", "own-open", "mask", "mode-set"]) Object.assign(find(id), { hidden: !settings || over, disabled: !run.reachable });
    find("mode-set").hidden ||= !run.snapshot.mode;
    find("mode-set").title = watches() ? "Let the model act again on the task you gave" : "Interrupt the model; from now on it only watches";
    write(find("mode-set"), watches() ? "Let it act" : "Only watch");
    find("say-form").hidden = !settings || over;
    find("pause").hidden = held;
    find("resume").hidden = !held;
    find("try-now").hidden = run.snapshot?.waiting?.until == null || held || over;
    for (const id of ["try-now", "pause", "resume", "step", "stop"]) find(id).disabled = run.expired || !run.reachable;
  };
  find("mode-set").onclick = () => send("set_mode", watches() ? "executing" : "monitoring");
  for (const id of ["pause", "resume", "step"]) find(id).onclick = () => send(id);
  find("try-now").onclick = () => send("resume");
  stop.onclick = ({ timeStamp }) => {
    if (sure) {
      if (timeStamp - asked < SEEN_MS) return;
      calm();
      send("stop");
      return;
    }
    write(stop, "Really stop?");
    stop.classList.add("danger");
    sure = setTimeout(calm, SURE_MS);
    asked = timeStamp;
  };
  // Enter that is held down would click again and again.
  stop.onkeydown = (event) => {
    if (event.repeat) event.preventDefault();
  };
  stop.onblur = calm;
  run.addEventListener("change", draw);
  draw();
  const click = (id) => find("controls").hidden || find(id).click();
  return { hold: ({ repeat }) => repeat || click(find("pause").hidden ? "resume" : "pause"), step: ({ repeat }) => repeat || click("step") };
}

/** Returns whether the agent is about to pause. */
export const isPausing = (agent) => agent?.state === "running" && /^pausing/.test(agent.detail);
