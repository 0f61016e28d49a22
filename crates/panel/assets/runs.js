// Lists the runs and conversations below a panel, so that a person can switch between them.

import { find, make, write } from "./element.js";
import { base, pageOf } from "./place.js";
import { clock, count, some } from "./quantity.js";
import { get } from "./server.js";
import { visible } from "./text.js";

export function listRuns(run, dialog) {
  for (const link of document.querySelectorAll("a[download]")) link.href = base + link.getAttribute("href");
  const list = find("runs-list");
  const draw = () => {
    const { runs, newest } = run.snapshot ?? {};
    const shown = run.snapshot?.shown ?? newest?.name;
    find("runs-open").hidden = !runs;
    write(find("runs-count"), runs ? count(runs) : "");
    // The panel itself has nothing to show, so its page is replaced with a run's page as soon as there is a run.
    if (shown && !base) location.replace(pageOf(shown) + location.hash);
  };
  /** Fetches the list. A link that has the focus by then keeps it. If no link has it, the link to `first` gets it. */
  const fetch = async (first) => {
    try {
      const { below } = await get("/api/runs");
      write(find("runs-note"), below.length < run.snapshot?.runs ? `Only the newest ${count(below.length)} are listed.` : "");
      const focus = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : first;
      list.replaceChildren(...below.map(entry));
      if (focus) (list.querySelector(`[href="${focus}"]`) ?? list.querySelector("a"))?.focus();
    } catch (error) {
      write(find("runs-note"), error.message);
    }
  };
  const entry = ({ name, run: named, title, turns, started, last }) =>
    make(
      "li",
      {},
      make(
        "a",
        { href: pageOf(name), "aria-current": name === run.snapshot?.shown && "page" },
        make("b", { dir: "auto" }, visible(named ?? name)),
        make("i", {}, `${some(turns, "turn")}, ${clock(started)} to ${clock(last)}`),
        make("span", { dir: "auto" }, visible(title)),
      ),
    );
  dialog.addEventListener("open", () => fetch(`${base}/`));
  dialog.addEventListener("close", () => list.replaceChildren());
  dialog.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const links = [...list.querySelectorAll("a")];
    links[links.indexOf(document.activeElement) + by]?.focus();
  });
  run.addEventListener("change", ({ detail: { parts } }) => {
    draw();
    if (parts.newest && dialog.open) fetch();
  });
  draw();
}
