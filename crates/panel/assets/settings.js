// Shows the settings in effect, and edits those that can be changed during the run, including the goal.

import { find, make, write } from "./element.js";
import { some } from "./quantity.js";
import { Refusal, get, post } from "./server.js";
import { sentence, visible } from "./text.js";

const GOAL = "prompt.goal";
/** The maximum length of a value that is not folded. */
const SHORT = 200;
const CHANGED = "The settings were changed elsewhere. Your entries are kept; save again to replace the new values.";

/** Changes one setting, and returns the new hash. If the settings were changed elsewhere, the refusal has status 409. */
const set = async (key, value, hash) => (await post({ do: "set", key, value }, hash)).hash;

const wasChanged = (error) => error instanceof Refusal && error.status === 409;

export function editSettings(run, dialog) {
  const [list, note, filter] = [find("settings-list"), find("settings-note"), find("settings-filter")];
  let hash = "";
  let saving = Promise.resolve();
  const load = async (text = "") => {
    try {
      const page = await get("/api/settings");
      // Meanwhile, the person can have begun to change a value.
      if (!text && isDirty()) return;
      // News of a save can arrive after a later save.
      if (!text && page.hash === hash && list.firstChild) return;
      hash = page.hash;
      // It took a while to write.
      const typed = [...list.querySelectorAll("button:enabled")].map(({ form }) => form.elements[0]).filter(({ type }) => type !== "checkbox");
      const [open, fixed] = [true, false].map((is) => page.keys.filter(({ editable }) => editable === is));
      list.replaceChildren(...open.map(row), ...(fixed.length ? [make("h3", { "data-words": "" }, "Fixed during the run")] : []), ...fixed.map(fixedRow));
      for (const { id, value } of typed) {
        const field = find(id);
        field.value = value;
        field.oninput();
      }
      write(note, text);
      sift();
    } catch (error) {
      list.replaceChildren();
      write(note, error.message);
    }
  };
  const row = ({ key, text, long, about, kind, flag, source }) => {
    const id = `setting-${key}`;
    const field = make(
      long ? "textarea" : "input",
      {
        id,
        type: flag ? "checkbox" : null,
        role: flag ? "switch" : null,
        rows: long ? 4 : null,
        autocomplete: "off",
        spellcheck: "false",
        "aria-describedby": `${id}-about ${id}-said`,
      },
    );
    const put = (value) => (flag ? (field.checked = value === "true") : (field.value = value));
    const value = () => (flag ? String(field.checked) : field.value);
    put(text);
    const save = make("button", { disabled: true, hidden: flag, "aria-label": `Save ${key}` }, "Save");
    let isBusy = false;
    field.oninput = () => {
      save.disabled = !isBusy && value() === text;
      if (flag) form.requestSubmit();
    };
    const said = make("small", { id: `${id}-said` });
    const form = make(
      "form",
      { class: "setting", "data-words": `${key} ${about}`.toLowerCase() },
      make("label", { for: id }, key),
      field,
      save,
      told(about, kind, source, `${id}-about`),
      said,
    );
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (save.disabled || isBusy) return;
      isBusy = true;
      try {
        // Meanwhile, the person can change the value again.
        const sent = value();
        // Each save needs the hash that the one before it returns.
        const send = async () => (hash = await set(key, sent, hash));
        await (saving = saving.then(send, send));
        text = sent;
        save.disabled = value() === text;
        write(said, save.disabled ? "✓ saved" : "");
      } catch (error) {
        if (wasChanged(error)) await load(CHANGED);
        else {
          const why = sentence(error.message.replace(/^the new value: /, ""));
          write(said, `✗ ${why}${long ? "" : ` The value is still ${text || "unset"}.`}`);
          // Keep long text, because it took a while to write.
          if (long) return;
          put(text);
          save.disabled = true;
        }
      } finally {
        isBusy = false;
      }
      if (flag && !save.disabled) form.requestSubmit();
    };
    return form;
  };
  const sift = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const each of list.children) each.hidden = !words.every((word) => each.dataset.words.includes(word));
  };
  const isDirty = () => list.querySelector("button:enabled") != null;
  filter.oninput = sift;
  dialog.addEventListener("open", () => load());
  dialog.addEventListener("close", () => dialog.open || list.replaceChildren());
  run.addEventListener("change", ({ detail: { parts } }) => {
    if (parts.config && dialog.open && parts.config !== hash && !isDirty()) load();
  });
}

/**
 * Says what a setting does, which values it takes, and where its value comes from. Words between backticks are code.
 * @param {string} [id]
 */
const told = (about, kind, source, id) =>
  make("small", { id }, ...about.split(/`(.+?)`/).map((part, i) => (i % 2 ? make("code", {}, part) : part)), " ", make("i", {}, source ? `${kind}; from ${source}` : kind));

/** Makes the row of a setting that can only be read. */
const fixedRow = ({ key, text, about, kind, source }) =>
  make(
    "div",
    { class: "setting", "data-words": `${key} ${about}`.toLowerCase() },
    make("span", { class: "key" }, key),
    folded(text || "unset"),
    told(about, kind, source),
  );

function folded(text) {
  const whole = make("div", { class: "text" }, visible(text));
  return text.length > SHORT ? make("details", {}, make("summary", {}, some(text.length, "character")), whole) : whole;
}

export function editGoal(run, dialog) {
  const [field, note] = [find("goal-field"), find("goal-note")];
  let hash = "";
  /** What the field contained before the person changed it. */
  let known = "";
  const load = async (text = "") => {
    try {
      const page = await get("/api/settings");
      hash = page.hash;
      const goal = page.keys.find(({ key }) => key === GOAL)?.text ?? "";
      // Keep what the person has typed, also before the dialog was last closed.
      if (!text && field.value === known) {
        field.value = goal;
        known = field.value;
      }
      write(note, field.value === goal ? text : `${text} The goal is now: ${visible(goal)}`.trim());
    } catch (error) {
      write(note, error.message);
    }
  };
  find("goal-form").onsubmit = async (event) => {
    event.preventDefault();
    try {
      await set(GOAL, field.value, hash);
      known = field.value;
      dialog.close();
      run.note("The new goal takes effect on the next turn.");
    } catch (error) {
      if (wasChanged(error)) await load(CHANGED);
      else write(note, error.message);
    }
  };
  dialog.addEventListener("open", () => load());
}
