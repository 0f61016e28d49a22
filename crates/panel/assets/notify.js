// System notifications, for a person who is looking elsewhere: enabled by a button, never on page load.

import { find } from "./element.js";
import { recall, remember } from "./stored.js";

/** The states of a run that trigger a notification. */
const HEARD = ["waiting", "failed", "ended"];

/** Returns a function to call on every change of state, with the words for it. */
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
    if (permission === "denied") run.note("The browser blocks notifications of this page. Allow them in its settings for this site.");
    remember("notify", wants ? "on" : "off");
    draw();
  };
  run.addEventListener("change", draw);
  draw();
  return (state, title, words) => {
    if (!HEARD.includes(state) || !document.hidden || !isOn()) return;
    try {
      // A notification silently replaces an earlier one of its kind.
      const shown = new Notification(title, { body: words, tag: `franz-${state}`, icon: "/assets/icon.svg" });
      shown.onclick = () => {
        window.focus();
        shown.close();
      };
    } catch {
      // Some browsers allow them for installed pages only.
      return;
    }
  };
}
