// Lists all turns in full. Only rows near the visible part are drawn, and until then, their heights are guesses.

import { find, make, write } from "./element.js";
import { actions, beside } from "./feedback.js";
import { shot } from "./pictures.js";
import { count } from "./quantity.js";
import { beginning, fill } from "./text.js";
import { badge, verdictOf } from "./verdict.js";

const GUESS = 420;
const BEYOND = 400;
const CALM_MS = 60;
const UNITS = 3000;
const ACTIONS = 8;
/**
 * Browsers limit the height of an element, so if there are more turns than this, the list shows those around the
 * current one.
 */
const MOST = 12_000;

export function listHistory(run, view, dialog) {
  const [list, rows] = [find("history-list"), find("history-rows")];
  let newestFirst = true;
  let bounds = { first: 1, last: 0 };
  let heights = [];
  let tops = [0];
  const drawn = new Map();
  let calm;
  let asked = 0;

  const number = (i) => (newestFirst ? bounds.last - i : bounds.first + i);
  const place = (turn) => (newestFirst ? bounds.last - turn : turn - bounds.first);
  const measure = () => {
    tops = [0];
    heights.forEach((height, i) => tops.push(tops[i] + height));
    rows.style.height = `${tops.at(-1)}px`;
  };
  const at = (y) => {
    let [low, high] = [0, heights.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const draw = () => {
    if (!dialog.open) return;
    const from = at(list.scrollTop - BEYOND);
    const to = Math.min(at(list.scrollTop + list.clientHeight + BEYOND), heights.length - 1);
    for (const [turn, row] of drawn) {
      if (place(turn) >= from && place(turn) <= to) continue;
      row.remove();
      drawn.delete(turn);
    }
    for (let i = from; i <= to; i += 1) {
      const turn = number(i);
      if (!drawn.has(turn)) drawn.set(turn, add(turn));
      drawn.get(turn).style.transform = `translateY(${tops[i]}px)`;
    }
    clearTimeout(calm);
    calm = setTimeout(complete, CALM_MS);
  };
  const add = (turn) => {
    const row = make(
      "div",
      { class: "turn", role: "listitem", tabindex: 0, "data-turn": turn, "aria-label": `Turn ${turn}` },
      title(turn),
    );
    row.style.height = `${GUESS}px`;
    // Screen readers and the Tab key follow the order of the elements.
    rows.insertBefore(row, [...rows.children].find((other) => place(+other.dataset.turn) > place(turn)) ?? null);
    return row;
  };
  /** Fetches the turns of drawn rows that are still empty. */
  const complete = () => {
    for (const [turn, row] of drawn) {
      if (row.dataset.asked) continue;
      const mine = String((asked += 1));
      row.dataset.asked = mine;
      const put = (...content) => {
        // More is known by now, and has been asked for.
        if (row.dataset.asked !== mine) return;
        row.replaceChildren(...content);
        row.style.height = "";
        if (row.isConnected) settle();
      };
      view.turns.get(turn).then(
        (full) => put(...card(full)),
        (error) => put(title(turn), make("p", { class: "note" }, error.message)),
      );
    }
  };
  /** Gives rows their real heights. Whatever is at the top of the visible part stays there. */
  const settle = () => {
    const top = at(list.scrollTop);
    const into = list.scrollTop - tops[top];
    for (const [turn, row] of drawn) if (row.childElementCount > 1) heights[place(turn)] = row.offsetHeight;
    measure();
    list.scrollTop = tops[top] + into;
    draw();
  };
  const empty = () => {
    drawn.clear();
    rows.replaceChildren();
  };
  const open = () => {
    empty();
    const range = view.range();
    const middle = view.wanted ?? range?.last ?? 0;
    const first = range ? Math.max(range.first, Math.min(middle - MOST / 2, range.last - MOST + 1)) : 1;
    bounds = { first, last: range ? Math.min(range.last, first + MOST - 1) : 0 };
    heights = Array(bounds.last - bounds.first + 1).fill(GUESS);
    measure();
    const all = range && first === range.first && bounds.last === range.last;
    write(
      find("history-range"),
      range
        ? `turns ${count(first)} to ${count(bounds.last)}${all ? "" : `; the saved file contains all ${count(range.last)}`}`
        : "no turns yet",
    );
    write(find("order"), newestFirst ? "Order: newest first" : "Order: oldest first");
    list.scrollTop = view.following && newestFirst ? 0 : (tops[place(middle)] ?? 0);
    draw();
  };
  /** Enter must not reach the button that opened the dialog, because that gets the focus back when the dialog closes. */
  const jump = (event) => {
    const row = event.target.closest("[data-turn]");
    if (!row) return;
    event.preventDefault();
    dialog.close();
    view.go(Number(row.dataset.turn));
  };
  /** Adds the turns up to `last`. The text that is being read stays in place. */
  const grow = (last) => {
    const added = Math.min(last - bounds.last, MOST - heights.length);
    if (added <= 0) return;
    bounds.last += added;
    const guesses = Array(added).fill(GUESS);
    heights = newestFirst ? [...guesses, ...heights] : [...heights, ...guesses];
    measure();
    if (newestFirst && list.scrollTop > 0) list.scrollTop += added * GUESS;
    write(find("history-range"), `turns ${count(bounds.first)} to ${count(bounds.last)}`);
    draw();
  };

  list.onscroll = draw;
  addEventListener("resize", () => dialog.open && settle());
  list.ondblclick = jump;
  list.onclick = (event) => event.target.closest("button") && jump(event);
  list.onkeydown = (event) => {
    if (event.key === "Enter") jump(event);
    if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      list.scrollTop = event.key === "Home" ? 0 : tops.at(-1);
    }
  };
  find("order").onclick = () => {
    newestFirst = !newestFirst;
    open();
    list.scrollTop = 0;
  };
  dialog.addEventListener("open", open);
  // This event comes late, so the dialog might be open again.
  dialog.addEventListener("close", () => dialog.open || empty());
  run.addEventListener("change", ({ detail: { type, turns } }) => {
    if (!dialog.open) return;
    const last = view.range()?.last ?? 0;
    if (last < bounds.last || !heights.length) return open();
    // A snapshot does not say which turns have changed.
    const changed = type === "snapshot" ? [...drawn.keys()] : turns.filter((turn) => drawn.has(turn));
    for (const turn of changed) delete drawn.get(turn).dataset.asked;
    if (changed.length) complete();
    grow(last);
  });
}

/** Makes a heading whose button opens the turn. With keys, the row itself does that. */
const title = (turn, ...marks) => make("h3", {}, make("button", { tabindex: -1 }, `Turn ${count(turn)}`), " ", ...marks);

/** Makes the contents of a row. */
function card(turn) {
  const { line, pending } = turn;
  const verdict = make("span");
  badge(verdict, verdictOf(turn));
  const failed = line.status === "failed" ? make("span", { class: "badge bad" }, "✗ failed") : null;
  const column = (name, ...content) => make("div", { class: "column" }, make("h4", {}, name), ...content);
  const picture =
    line.image?.sha256 &&
    shot(line.image.sha256, {
      alt: `Screenshot of turn ${line.turn}`,
      loading: "lazy",
      width: line.image.width,
      height: line.image.height,
    });
  const columns = make(
    "div",
    { class: "columns" },
    column("Story", text(turn.story)),
    column("Reply", text(line.reply)),
    make(
      "div",
      {},
      column("Feedback", text(line.feedback), ...actions(line.acted, ACTIONS), text(line.errors.join("\n"))),
      column("Screenshot", ...beside(line), picture || "none"),
    ),
  );
  const waiting = make("span", { class: "badge busy" }, "◔ waiting for the model");
  return [title(line.turn, ...(pending ? [waiting] : [verdict, failed])), columns];
}

function text(whole) {
  const [shown, rest] = beginning(whole ?? "", UNITS);
  const element = make("div", { class: "text" });
  fill(element, shown);
  if (rest) element.append(make("small", {}, `… ${count(rest)} more characters; open the turn to read them`));
  return element;
}
