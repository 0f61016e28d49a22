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
    if (permission === "denied") run.note("The browser blocks notifications from this page. Allow them in the browser's settings.");
    remember("notify", wants ? "on" : "off");
    draw();
  };
  run.addEventListener("change", draw);
  draw();
  let shown;
  let timer;
  document.addEventListener("visibilitychange", () => document.hidden || shown?.close());
  return (state, title, words) => {
    const { question, agent } = run.snapshot ?? {};
    // Other tabs of the run use the same tag.
    const tag = String(question?.nonce ?? agent?.since);
    clearTimeout(timer);
    // A notification silently replaces one with the same tag. What any other one said is over.
    if (shown?.tag !== tag) shown?.close();
    // A server that is asked again often fails again within seconds, which is no news.
    else if (!HEARD.includes(state)) timer = setTimeout(() => shown?.close(), 10_000);
    if (!HEARD.includes(state) || !document.hidden || !isOn()) return;
    try {
      shown = new Notification(title, { body: words, tag, icon: "/assets/icon.svg" });
      // Then the page closes it, because it can be seen.
      shown.onclick = () => window.focus();
    } catch {
      // Some browsers allow notifications only for installed pages.
    }
  };
}
