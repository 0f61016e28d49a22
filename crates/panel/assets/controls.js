// The buttons that command the agent.

import { find, write } from "./element.js";
import { post } from "./server.js";

const SURE_MS = 4000;

export function control(run) {
  const stop = find("stop");
  let sure;
  const send = async (command) => {
    try {
      await post({ do: command });
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
    for (const id of ["settings-open", "goal-edit", "own-open", "mask"]) Object.assign(find(id), { hidden: !settings || over, disabled: !run.reachable });
    find("say-form").hidden = !settings || over;
    find("say-form").inert = !run.reachable;
    find("pause").hidden = held;
    find("resume").hidden = !held;
    for (const id of ["pause", "resume", "step", "stop"]) find(id).disabled = run.expired || !run.reachable;
  };
  find("pause").onclick = () => send("pause");
  find("resume").onclick = () => send("resume");
  find("step").onclick = () => send("step");
  stop.onclick = () => {
    if (sure) {
      calm();
      send("stop");
      return;
    }
    write(stop, "Really stop?");
    stop.classList.add("danger");
    sure = setTimeout(calm, SURE_MS);
  };
  stop.onblur = calm;
  run.addEventListener("change", draw);
  draw();
  const click = (id) => find("controls").hidden || find(id).click();
  return { hold: () => click(find("pause").hidden ? "resume" : "pause"), step: () => click("step") };
}

/** Whether the agent will wait as soon as it can. */
export const isPausing = (agent) => agent?.state === "running" && /^pausing/.test(agent.detail);
