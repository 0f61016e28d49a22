// Lists the runs and conversations that a panel shows, so that a person can switch between them.

import { find, make, write } from "./element.js";
import { feed } from "./feed.js";
import { repeated } from "./pace.js";
import { base, pageOf } from "./place.js";
import { count, moment, some } from "./quantity.js";
import { getOfPanel, postTo } from "./server.js";
import { visible } from "./text.js";

/** How many of a run's newest turns to search for a picture. */
const RECENT = 9;
const WORDS = { starting: "starting", running: "running", paused: "paused", restarting: "restarting", stopped: "ended" };

export function listRuns(run, dialog, pair) {
  for (const link of document.querySelectorAll("a[download]")) link.setAttribute("href", base + link.getAttribute("href"));
  const [list, filter] = [find("runs-list"), find("runs-filter")];
  /** The newest pictures of the runs, by the addresses of their pages. They stay while the list is fetched again. */
  const shots = new Map();
  const look = async (page, shot) => {
    const { turns } = await getOfPanel(`${page}api/turns?limit=${RECENT}`).catch(() => ({ turns: [] }));
    const found = turns.find(({ image }) => image);
    if (found) shot.replaceChildren(make("img", { src: `${page}thumb/${found.image.sha256}`, alt: "" }));
  };
  const eye = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      eye.unobserve(target);
      look(target.getAttribute("data-page"), target);
    }
  });
  const shotOf = (page) => {
    if (!shots.has(page)) shots.set(page, make("span", { class: "shot", "data-page": page }));
    const shot = shots.get(page);
    eye.unobserve(shot);
    eye.observe(shot);
    return shot;
  };
  const sift = () => {
    const words = filter.value.toLowerCase();
    for (const row of list.children) row.hidden = !row.textContent.toLowerCase().includes(words);
  };
  filter.oninput = sift;
  /** The runs of other FRANZ processes, which have registered with this panel, and how many conversations it has. */
  let panel = { runs: [], conversations: 0 };
  let follows = false;
  /** Which change of that list this page has fetched, or is fetching. */
  let seen = 0;
  const isHere = ({ name }) => pageOf(name) === `${base}/`;
  const draw = () => {
    const conversations = run.snapshot?.runs || panel.conversations;
    const known = conversations + panel.runs.length;
    run.elsewhere = panel.runs.filter((other) => other.waits && !isHere(other)).length;
    find("runs-open").hidden = !known;
    write(find("runs-count"), known ? count(known) : "");
    find("runs-pause").hidden = !panel.runs.some(({ live }) => live);
    // The panel itself has nothing to show, so its page is replaced with the page of a run as soon as there is one.
    const shown = panel.runs.find(({ live }) => live)?.name ?? run.snapshot?.shown ?? run.snapshot?.newest?.name;
    if (shown && !base) location.replace(pageOf(shown) + location.hash);
  };
  /** Fetches what the panel shows. The page of a registered run gets the panel's events, too, because its own are the run's. */
  const refresh = repeated(async () => {
    const found = await getOfPanel("/api/panel").catch(() => null);
    const before = panel.runs.find(isHere);
    if (found) panel = found;
    // The next event asks again.
    else seen = -1;
    const here = panel.runs.find(isHere);
    // The page of an ended run gets its record's events, which never say that the run has been resumed.
    if (before?.live === false && here?.live && run.snapshot?.live === false) location.reload();
    if (!follows && here) {
      follows = true;
      feed(({ link, event }) => (link === "up" || event?.others || event?.newest) && refresh(), "");
    }
    draw();
    if (dialog.open) await fetch();
  });
  /** The page whose link gets the focus once the list is there; it is set when the list is opened. */
  let first = "";
  /**
   * Fetches the list. A link or button that has the focus by then keeps it. Otherwise, the link to `first` gets it, unless
   * the person is filtering.
   */
  const fetch = repeated(async () => {
    try {
      const { below } = await getOfPanel("/api/runs");
      write(find("runs-note"), below.length < run.snapshot?.runs ? `Only the newest ${count(below.length)} are listed.` : "");
      const held = document.activeElement;
      const kind = held.matches("#runs-list button") ? "+button" : "";
      const focus = list.contains(held) ? held.parentElement.firstElementChild.getAttribute("href") : !filter.value && first;
      list.replaceChildren(...panel.runs.map(registered), ...below.map(conversation));
      sift();
      if (focus) (list.querySelector(`[href="${focus}"]${kind}`) ?? (kind ? filter : list.querySelector("a")))?.focus();
      first = "";
    } catch (error) {
      write(find("runs-note"), error.message);
    }
  });
  const entry = (name, heading, state, title) =>
    make(
      "li",
      {},
      make(
        "a",
        { href: pageOf(name), "aria-current": pageOf(name) === `${base}/` && "page" },
        shotOf(pageOf(name)),
        make("b", { dir: "auto" }, visible(heading)),
        make("i", {}, ...state),
        make("span", { dir: "auto" }, visible(title)),
      ),
      isHere({ name }) || !run.snapshot?.turns.last ? null : make("button", { "aria-label": `Compare with ${heading}`, title: "Show it beside this run, turn by turn", onclick: () => pair.open(name) }, "Compare"),
    );
  const conversation = ({ name, run: named, title, turns, started, last }) =>
    entry(name, named ?? name, [`${some(turns, "turn")}, `, moment(started), " to ", moment(last)], title);
  const registered = ({ name, live, waits, since, state, detail, turn, goal, profile, model, problem }) => {
    if (problem) return make("li", { class: "unreadable" }, make("b", { dir: "auto" }, visible(name)), make("span", { dir: "auto" }, visible(problem)));
    const words = waits ? "waiting for you" : live ? (WORDS[state] ?? "running") : "ended";
    return entry(name, name, [`${words}, ${some(turn, "turn")}, ${live ? "since " : ""}`, moment(since)], [!live && detail, goal, profile, model].filter(Boolean).join(" · "));
  };
  find("runs-pause").onclick = async () => {
    const live = panel.runs.filter((other) => other.live);
    const paused = await Promise.allSettled(live.map(({ name }) => postTo(pageOf(name).slice(0, -1), { do: "pause" })));
    const failed = paused.filter(({ status }) => status === "rejected").length;
    write(find("runs-note"), failed ? `${some(failed, "run")} could not be paused.` : "");
  };
  dialog.addEventListener("open", () => {
    first = `${base}/`;
    fetch();
  });
  dialog.addEventListener("close", () => {
    // This event comes late, so the dialog might be open again.
    if (dialog.open) return;
    list.replaceChildren();
    shots.clear();
    filter.value = "";
  });
  dialog.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const links = [...list.querySelectorAll("li:not([hidden]) a")];
    links[links.indexOf(document.activeElement) + by]?.focus();
  });
  run.addEventListener("change", ({ detail: { parts } }) => {
    const { change = 0 } = run.snapshot?.others ?? {};
    if (change !== seen) {
      seen = change;
      refresh();
    }
    draw();
    if (parts.newest && dialog.open) fetch();
  });
  if (base) refresh();
  draw();
}
