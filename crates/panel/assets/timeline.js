// The timeline: pictures of the turns above a track with marks. Only the visible part is drawn.

import { find, make, write } from "./element.js";
import { FILTERS, KINDS } from "./marks.js";
import { framed } from "./pace.js";
import { shot } from "./pictures.js";

const BEYOND = 2;
/** The minimum distance between marks on the track, in pixels. */
const APART = 11;
const PEEK = 320;

export function showTimeline(run, view, marks, summaries) {
  const [film, strip, line, scrubber, peek, filter] = ["film", "film-strip", "track-line", "scrubber", "peek", "filter"].map(find);
  const drawn = new Map();
  let step = 98;
  let centred = null;
  let peeked = null;
  let glimpsed = null;
  /** Whether turns still lack their pictures because the person was scrubbing. */
  let isBehind = false;
  /** Where the mouse or a finger is on the scrubber, in CSS pixels from the left; null if it is elsewhere. */
  let pointed = null;
  let isMouse = false;

  const range = () => view.range() ?? { first: 1, last: 0 };
  const length = () => view.only?.length ?? range().last - range().first + 1;
  const number = (i) => view.only?.[i] ?? range().first + i;
  const place = (turn) => (view.only ? view.only.findLastIndex((each) => each <= turn) : turn - range().first);

  /** Gives the strip its length, so that it can be scrolled. */
  const stretch = () => {
    step = Number.parseInt(getComputedStyle(film).getPropertyValue("--step"), 10) || step;
    strip.style.width = `${length() * step}px`;
  };
  const draw = () => {
    stretch();
    const from = Math.max(0, Math.floor(film.scrollLeft / step) - BEYOND);
    const to = Math.min(length() - 1, Math.ceil((film.scrollLeft + film.clientWidth) / step) + BEYOND);
    const wanted = new Map();
    for (let i = from; i <= to; i += 1) wanted.set(number(i), i);
    for (const [turn, frame] of drawn) {
      if (wanted.has(turn)) continue;
      frame.remove();
      drawn.delete(turn);
    }
    for (const [turn, i] of wanted) {
      const frame = drawn.get(turn) ?? add(turn);
      frame.style.left = `${i * step}px`;
      if (turn === view.wanted) frame.setAttribute("aria-current", "true");
      else frame.removeAttribute("aria-current");
    }
  };
  const add = (turn) => {
    const frame = make("button", { class: "frame", tabindex: -1, "data-turn": turn, onclick: () => view.go(turn) }, make("span", { class: "shot" }), make("span", {}));
    drawn.set(turn, frame);
    strip.insertBefore(frame, [...strip.children].find((other) => other.dataset.turn > turn) ?? null);
    fillIn(turn, frame);
    return frame;
  };
  const fillIn = async (turn, frame) => {
    const kinds = marks.of(turn);
    const [sign, tone] = KINDS[kinds.at(-1)] ?? [];
    frame.setAttribute("aria-label", label(turn, kinds));
    frame.lastChild.replaceChildren(String(turn), ...(sign ? [" ", make("b", { class: tone }, sign)] : []));
    // While the person scrubs, only the turn that they see gets its picture.
    const waits = () => view.scrubs && turn !== glimpsed && (isBehind = true);
    if (waits()) return;
    const summary = await summaries.get(turn);
    if (waits()) return;
    const hash = summary?.image?.sha256 ?? "";
    if (frame.dataset.hash === hash) return;
    frame.dataset.hash = hash;
    frame.firstChild.replaceChildren(...(hash ? [thumbnail(hash)] : []));
  };
  /** Centres the current turn in the next frame. */
  const centre = framed(() => {
    stretch();
    if (view.wanted !== centred) film.scrollLeft = place(view.wanted ?? 0) * step - (film.clientWidth - step) / 2;
    centred = view.wanted;
    draw();
  });
  const drawMarks = framed(() => {
    const { first, last } = range();
    const room = Math.max(1, Math.floor(line.clientWidth / APART));
    const found = new Map();
    for (const kind of Object.keys(KINDS))
      for (const turn of marks.turns(kind)) {
        if (turn < first || turn > last) continue;
        const share = last > first ? (turn - first) / (last - first) : 1;
        found.set(Math.round(share * room), [kind, share]);
      }
    find("track-marks").replaceChildren(
      ...[...found.values()].map(([kind, share]) => {
        const mark = make("i", { class: KINDS[kind][1], "data-kind": kind }, KINDS[kind][0]);
        mark.style.setProperty("--at", share);
        return mark;
      }),
    );
  });
  /** Whether the marks have arrived. */
  let isKnown = false;
  const all = () => {
    if (filter.value && isKnown) view.only = marks.passing(filter.value);
    // The filter was chosen before it was known what happened.
    else if (filter.value) filter.onchange();
    isKnown = true;
    for (const [turn, frame] of drawn) fillIn(turn, frame);
    draw();
    drawMarks();
  };

  /** Shows a turn's picture above this point of the page. */
  const show = async (turn, x) => {
    peeked = turn;
    const summary = turn == null ? null : await summaries.get(turn);
    if (peeked !== turn) return;
    peek.hidden = !summary;
    if (!summary) return;
    const hash = summary.image?.sha256;
    if (hash !== peek.dataset.hash) peek.firstChild.replaceChildren(...(hash ? [thumbnail(hash)] : []));
    peek.dataset.hash = hash ?? "";
    write(peek.lastChild, label(turn, marks.of(turn)));
    peek.style.left = `${Math.min(Math.max(x - PEEK / 2, 8), innerWidth - PEEK - 8)}px`;
    const { top, bottom } = find("time").getBoundingClientRect();
    peek.style.top = `${top - peek.offsetHeight > 8 ? top - peek.offsetHeight - 8 : bottom + 8}px`;
  };
  const hide = () => {
    pointed = null;
    show(null);
  };

  /** Shows the turn that the person scrubs to, unless the mouse leaves the view of the large picture free. */
  const glance = (turn) => {
    if (pointed == null) return;
    show(isMouse && find("stage").checkVisibility() ? null : turn, pointed);
  };

  film.onscroll = draw;
  film.addEventListener("pointerover", ({ target, pointerType, clientX }) => {
    const frame = target.closest("[data-turn]");
    if (frame && pointerType === "mouse") show(Number(frame.dataset.turn), clientX);
  });
  scrubber.addEventListener("pointermove", ({ clientX, pointerType }) => {
    [pointed, isMouse] = [clientX, pointerType === "mouse"];
    if (view.scrubs) return;
    const { left, width } = scrubber.getBoundingClientRect();
    const { first, last } = range();
    const share = Math.min(Math.max((clientX - left) / width, 0), 1);
    if (pointerType === "mouse" && last) show(Math.round(first + share * (last - first)), clientX);
  });
  film.addEventListener("pointerleave", hide);
  scrubber.addEventListener("pointerdown", ({ clientX, pointerType }) => ([pointed, isMouse] = [clientX, pointerType === "mouse"]));
  scrubber.addEventListener("pointerleave", hide);
  filter.replaceChildren(make("option", { value: "" }, "all turns"), ...Object.keys(FILTERS).map((name) => make("option", {}, name)));
  filter.onchange = () => {
    view.narrow(marks.passing(filter.value));
    centred = null;
    centre();
  };
  new ResizeObserver(() => {
    centred = null;
    centre();
    drawMarks();
  }).observe(film);
  view.addEventListener("move", centre);
  view.addEventListener("glimpse", ({ detail: { turn } }) => {
    glimpsed = turn;
    if (drawn.has(turn)) fillIn(turn, drawn.get(turn));
    glance(turn);
  });
  view.addEventListener("rest", () => glance(view.wanted));
  // The full picture comes first.
  view.addEventListener("drawn", () => {
    if (!isBehind || view.scrubs) return;
    isBehind = false;
    for (const [turn, frame] of drawn) fillIn(turn, frame);
  });
  marks.addEventListener("change", all);
  run.addEventListener("change", ({ detail: { type, parts, turns } }) => {
    for (const turn of turns) if (drawn.has(turn)) fillIn(turn, drawn.get(turn));
    if (type === "snapshot" || "turns" in parts || "violations" in parts) drawMarks();
  });
  centre();
}

const label = (turn, kinds) => [`Turn ${turn}`, ...kinds.map((kind) => KINDS[kind][2])].join(", ");

/** Makes a thumbnail, which makes way for the turn on display. */
const thumbnail = (hash) => shot(hash, { alt: "", decoding: "async", draggable: "false", fetchpriority: "low" }, true);
