// Copies text, even if the page has no access to the clipboard because it came from another machine over plain HTTP.

import { make } from "./element.js";

/** Makes a button that copies the result of `text`, which can be a promise. */
export const copyButton = (words, text, run) =>
  make(
    "button",
    {
      type: "button",
      onclick: async () => {
        try {
          await copy(await text());
          run.note("Copied.");
        } catch {
          run.note("The browser did not allow the page to copy.");
        }
      },
    },
    words,
  );

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = make("textarea", { class: "unseen", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (!copied) throw new Error("not copied");
}
