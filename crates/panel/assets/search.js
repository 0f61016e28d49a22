// Finds turns by searching their text.

import { find, make, write } from "./element.js";
import { clear, highlight } from "./highlight.js";
import { some } from "./quantity.js";
import { get } from "./server.js";
import { visible } from "./text.js";

const CALM_MS = 150;
const MOST = 100;

/** Where to show a hit, by the field that contains it: the ID of the text, and that of the pane that scrolls it. */
const PLACES = {
  __proto__: null,
  story: ["story-text", "story"],
  reply: ["reply-text", "reply"],
  feedback: ["feedback-text", "feedback"],
  actions: ["actions", "feedback"],
  errors: ["errors", "feedback"],
};

export function searchTurns(view, panes, dialog) {
  const [query, hits] = [find("query"), find("hits")];
  let calm;
  let running = new AbortController();
  let sought = {};

  const ask = async () => {
    running.abort();
    running = new AbortController();
    const words = query.value;
    if (!words.trim()) {
      hits.replaceChildren();
      return write(find("search-note"), "");
    }
    try {
      const found = await get(`/api/search?q=${encodeURIComponent(words)}&limit=${MOST}`, running.signal);
      hits.replaceChildren(...found.hits.map(hit));
      hits.scrollTop = 0;
      write(
        find("search-note"),
        found.hits.length
          ? `${some(found.hits.length, "hit")}${found.more ? ", newest first; there are more" : ""}`
          : "Nothing found.",
      );
    } catch (error) {
      if (error.name !== "AbortError") write(find("search-note"), error.message);
    }
  };
  const hit = ({ turn, field, excerpt, at, length }) =>
    make(
      "li",
      {},
      make(
        "button",
        { onclick: () => open(turn, field, excerpt.slice(at, at + length)) },
        make("b", {}, `Turn ${turn}`),
        make("i", {}, field),
        make(
          "span",
          {},
          visible(excerpt.slice(0, at)),
          make("mark", {}, visible(excerpt.slice(at, at + length))),
          visible(excerpt.slice(at + length)),
        ),
      ),
    );
  const open = (turn, field, words) => {
    dialog.close();
    const [id, body] = PLACES[field] ?? [];
    sought = { turn, words, id, body };
    if (id) panes.bring(body);
    view.go(turn);
    reveal();
  };
  /** Highlights the chosen hit as soon as its turn is shown. */
  const reveal = () => {
    const { turn, words, id, body } = sought;
    if (!id || turn !== view.shown?.summary.turn) return clear();
    const pane = find(body);
    highlight(find(id), visible(words), pane.matches(".body") ? pane : pane.querySelector(".body"));
  };
  view.addEventListener("show", reveal);
  const move = (by) => {
    const buttons = [...hits.querySelectorAll("button")];
    const here = buttons.indexOf(document.activeElement);
    (buttons[here + by] ?? (here + by < 0 ? query : null))?.focus();
  };

  // The person can no longer choose hits for the previous words.
  const empty = () => {
    running.abort();
    hits.replaceChildren();
    write(find("search-note"), "");
  };
  query.oninput = () => {
    empty();
    clearTimeout(calm);
    calm = setTimeout(ask, CALM_MS);
  };
  dialog.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      move(by);
    }
    if (event.key === "Enter" && event.target === query) {
      event.preventDefault();
      hits.querySelector("button")?.click();
    }
  });
  dialog.addEventListener("close", () => dialog.open || empty());
  dialog.addEventListener("open", () => {
    query.focus();
    query.select();
    if (query.value) ask();
  });
}
