// Keyboard shortcuts, and the list of them.

import { find, make } from "./element.js";
import { recall, remember } from "./stored.js";

const FIELDS = "input, textarea, select, [contenteditable]";
const PRESSED = "button:not([role=tab]), a, summary, split-bar, [role=application]";
/** Returns whether a field does not need this key. A slider or a switch needs no letters. */
const isFree = ({ type }, key) => /^(range|checkbox)$/.test(type) && key.length === 1 && key !== " ";
/** The name under which the browser remembers that the person has used a shortcut. */
const KNOWN = "keys-known";
const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", Backspace: "⌫", Escape: "Esc" };

/**
 * `shortcuts` are `[keys, words, action, works]`. Without `works`, a shortcut always works. No shortcut works while
 * somebody is typing, while a dialog or the screen taken over is open, or together with Ctrl, Alt or Meta. If a key has
 * several shortcuts, the first one that works is used.
 */
export function bindKeys(shortcuts, help) {
  const single = find("single-keys");
  single.checked = recall("single-keys") !== "off";
  single.onchange = () => remember("single-keys", single.checked ? "on" : "off");
  const works = ([, , , works]) => works?.() ?? true;
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    // A field in a dialog that has just been closed might still have the focus for a moment.
    /** @type {any} */
    const target = event.target;
    const field = target.closest?.(FIELDS);
    if ((field?.checkVisibility() && !isFree(field, event.key)) || document.querySelector("dialog[open], :popover-open, #live:not([hidden])")) return;
    if ((event.key === " " || event.key === "Enter") && target.closest?.(PRESSED)) return;
    const letter = event.key.length === 1;
    if (letter && event.key !== "?" && !single.checked) return;
    const key = letter ? event.key.toLowerCase() : event.shiftKey && event.key === "Enter" ? "Shift+Enter" : event.key;
    const found = shortcuts.find((shortcut) => shortcut[0].includes(key) && works(shortcut));
    if (!found) return;
    event.preventDefault();
    remember(KNOWN, "yes");
    find("hint").hidden = true;
    found[2](event);
  });
  const row = ([keys, words]) =>
    make(
      "div",
      {},
      make("dt", {}, ...keys.map((key) => make("kbd", {}, NAMES[key] ?? (key.length > 1 ? key : key.toUpperCase())))),
      make("dd", {}, words),
    );
  help.addEventListener("open", () => {
    find("keys").replaceChildren(...shortcuts.filter(works).map(row));
    find("idle-keys").replaceChildren(...shortcuts.filter((shortcut) => !works(shortcut)).map(row));
  });
}

/** Shows newcomers the first keys until they press one. */
export function hintAtKeys(run) {
  const hint = find("hint");
  if (recall(KNOWN)) return;
  const key = (name) => make("kbd", {}, name);
  const [space, p, all] = ["Space", "P", "?"].map(key);
  const draw = () => {
    const { live } = run.snapshot ?? {};
    if (live == null || recall(KNOWN)) return;
    const words = live ? [space, " follows · ", p, " pauses · "] : [space, " plays · "];
    if (hint.dataset.live !== String(live)) hint.replaceChildren(...words, all, " all keys");
    hint.dataset.live = String(live);
    hint.hidden = false;
  };
  run.addEventListener("change", draw);
  draw();
}
