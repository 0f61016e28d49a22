// Keyboard shortcuts, and the list of them.

import { find, make } from "./element.js";

const FIELDS = "input, textarea, select, [contenteditable]";
const PRESSED = "button, a, split-bar";

/** `shortcuts` are `[keys, words, action]`. Nothing fires while somebody types, with Ctrl, Alt or Meta, or behind a dialog. */
export function bindKeys(shortcuts) {
  const actions = new Map(shortcuts.flatMap(([keys, , action]) => keys.map((key) => [key, action])));
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    // A field in a dialog that was just closed may still have the focus for a moment.
    if (event.target.closest?.(FIELDS)?.checkVisibility() || document.querySelector("dialog[open]")) return;
    if (event.key === " " && event.target.closest?.(PRESSED)) return;
    const action = actions.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!action) return;
    event.preventDefault();
    action(event);
  });
  find("keys").replaceChildren(
    ...shortcuts.map(([keys, words]) =>
      make(
        "div",
        {},
        make("dt", {}, ...keys.map((key) => make("kbd", {}, NAMES[key] ?? (key.length > 1 ? key : key.toUpperCase())))),
        make("dd", {}, words),
      ),
    ),
  );
}

const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→" };
