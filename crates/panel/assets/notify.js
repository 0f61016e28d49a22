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
  return (state, title, words) => {
    if (!HEARD.includes(state) || !document.hidden || !isOn()) return;
    try {
      // A notification silently replaces an earlier one with the same tag.
      const shown = new Notification(title, { body: words, tag: `franz-${state}`, icon: "/assets/icon.svg" });
      shown.onclick = () => {
        window.focus();
        shown.close();
      };
    } catch {
      // Some browsers allow notifications only for installed pages.
      return;
    }
  };
}
