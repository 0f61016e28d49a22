// System notifications, for a person who is looking elsewhere. They are enabled by a button, never when the page loads.

import { find } from "./element.js";
import { recall, remember } from "./stored.js";

/** The states of a run that trigger a notification. */
const HEARD = ["waiting", "failed", "ended"];

/** Returns a function to call whenever the state changes, with the words that describe it. */
export function notify(run) {
  const button = find("notify");
  const isOn = () => "Notification" in window && Notification.permission === "granted" && recall("notify") === "on";
  const draw = () => {
    button.hidden = !run.snapshot?.live || !("Notification" in window);
    button.ariaPressed = String(isOn());
  };
  button.onclick = async () => {
    const wants = !isOn();
    const permission = wants ? await Notification.requestPermission() : null;
    if (permission === "denied") run.note("The browser blocks notifications from this page. Allow them for this site in the browser's settings.");
    remember("notify", wants ? "on" : "off");
    draw();
  };
  run.addEventListener("change", draw);
  draw();
  let shown;
  document.addEventListener("visibilitychange", () => document.hidden || shown?.close());
  return (state, title, words) => {
    // What the last one said is over.
    shown?.close();
    if (!HEARD.includes(state) || !document.hidden || !isOn()) return;
    const { question, agent } = run.snapshot ?? {};
    try {
      // A notification silently replaces one with the same tag, which is that of another tab of the run.
      shown = new Notification(title, { body: words, tag: question?.nonce ?? agent?.since, icon: "/assets/icon.svg" });
      // Then the page closes it, because it can be seen.
      shown.onclick = () => window.focus();
    } catch {
      // Some browsers allow notifications only for installed pages.
      return;
    }
  };
}
