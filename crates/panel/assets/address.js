// The address, `#RUN/TURN/PANE/OTHER`. Going back, reloading and opening a copied link all show the same run, turn and
// pane, and the same other run beside it.

import { base, pageOf } from "./place.js";
import { get } from "./server.js";

const CALM_MS = 300;

/** Returns the parts of the address: the run's name, the turn, the word for the pane, and the name of the other run. */
export function asked() {
  const [name = "", turn = "", pane = "", other = ""] = location.hash.slice(1).split("/").map(decoded);
  return { name, turn: Number.parseInt(turn, 10) || null, pane, other };
}

/** Keeps the address up to date. `replays` says whether turns are being played; those stay out of the browser's history. */
export function address(run, view, panes, pair, replays) {
  let calm;
  /** Whether the current entry may be replaced, because the page only opened it or went back to it. */
  let own = true;
  /** Whether nothing but the player has moved since. */
  let passes = true;
  const name = () => run.snapshot?.shown ?? run.snapshot?.name ?? "";
  const write = () => {
    const shown = pair.other ? pair.turn : view.following ? null : view.wanted;
    const turn = shown == null ? "" : String(shown);
    const parts = turn || panes.word || pair.other ? [name(), turn, panes.word, pair.other] : [];
    while (parts.at(-1) === "") parts.pop();
    const hash = parts.length ? `#${parts.map(encodeURIComponent).join("/")}` : "";
    const method = own || view.following || passes ? "replaceState" : "pushState";
    passes = true;
    if (hash === location.hash) return void (own &&= !turn);
    history[method](null, "", location.pathname + hash);
    own = !!pair.other && !turn;
  };
  const settle = () => {
    if (!run.snapshot) return;
    passes &&= replays();
    clearTimeout(calm);
    calm = setTimeout(write, CALM_MS);
  };
  const read = () => {
    clearTimeout(calm);
    own = true;
    const { turn, pane, other } = asked();
    panes.open(pane);
    pair.open(other, turn);
    if (turn) view.go(turn);
    else view.go(Infinity, true);
  };
  view.addEventListener("move", settle);
  panes.addEventListener("change", settle);
  pair.addEventListener("change", settle);
  addEventListener("popstate", read);
  run.addEventListener("change", function first({ detail: { type } }) {
    if (type !== "snapshot") return;
    run.removeEventListener("change", first);
    const wanted = asked().name;
    if (wanted && name() && wanted !== name()) other(run, wanted, name());
  });
}

/** Handles a link to another run: opens its page, if the panel has it. */
async function other(run, wanted, shown) {
  // Meanwhile, the page writes its own address.
  const { hash } = location;
  const { below } = await get("/api/runs").catch(() => ({ below: [] }));
  const found = below.find((each) => each.name === wanted || each.run === wanted);
  if (found && pageOf(found.name) !== `${base}/`) location.replace(pageOf(found.name) + hash);
  else run.note(`The link points to ${wanted}, which is not here; this is ${shown}.`);
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
