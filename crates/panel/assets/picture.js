// The picture that the model saw, fitted or enlarged, with or without marks, or compared with another turn's.

import { copyButton } from "./clipboard.js";
import { find, joined, make, press, write, writeAll } from "./element.js";
import { newest, repeated } from "./pace.js";
import { moment } from "./quantity.js";
import { lead, paint } from "./pictures.js";
import { rings } from "./rings.js";
import { visible } from "./text.js";

const LEAST = 0.1;
const MOST = 16;
const STEP = 1.25;

/** How many thumbnails to request at once while the person scrubs. */
const AT_ONCE = 2;

/** The usual share of the picture in per cent, with and without pictures. */
const WIDE = 64;
const NARROW = 30;

const START = 'franz run "Draw a house"';

export function showPicture(view, summaries) {
  const [stage, sheet] = [find("stage"), find("sheet")];
  const look = { zoom: null, marks: true, compare: false, other: null };
  /** The images in the sheet: the picture and, on top of it, the one that it is compared with. */
  let drawn = [];
  let hadPicture = false;
  /** Gives the texts the room of the picture as long as no turn on display had one. */
  const divide = () => {
    hadPicture ||= drawn.length > 0;
    const isBlank = !!view.shown && !hadPicture;
    const { classList } = document.querySelector("main");
    if (classList.contains("blank") === isBlank) return;
    classList.toggle("blank", isBlank);
    find("split-x").suggest(isBlank ? NARROW : WIDE);
  };

  const scale = () => {
    const image = drawn[0];
    if (!image) return 1;
    // `clientWidth` might have been rounded up.
    const { width, height } = stage.getBoundingClientRect();
    const [across, down] = [Math.min(stage.clientWidth, Math.floor(width)), Math.min(stage.clientHeight, Math.floor(height))];
    const { width: wide, height: high } = sizeOf(image);
    const fitting = Math.min(across / wide, down / high);
    return look.zoom ?? (fitting > 0 ? fitting : 1);
  };
  const size = () => {
    const [image] = drawn;
    const factor = scale();
    const { width, height } = sizeOf(image);
    sheet.style.width = `${Math.floor(width * factor)}px`;
    sheet.style.height = `${Math.floor(height * factor)}px`;
    sheet.classList.toggle("crisp", factor >= 2);
    stage.classList.toggle("larger", look.zoom != null);
    write(find("zoom"), image ? `${Math.round(factor * 100)}%` : "");
    press(find("fit"), look.zoom == null);
    press(find("actual"), look.zoom === 1);
  };
  /** Zooms around a point of the stage, which is the centre by default. */
  const zoom = (factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) => {
    const before = scale();
    look.zoom = factor == null ? null : Math.min(Math.max(factor, LEAST), MOST);
    const [left, top] = [stage.scrollLeft + x - sheet.offsetLeft, stage.scrollTop + y - sheet.offsetTop];
    size();
    const grown = scale() / before;
    stage.scrollTo(left * grown - x + sheet.offsetLeft, top * grown - y + sheet.offsetTop);
  };
  const wipe = () => {
    sheet.style.setProperty("--wipe", `${find("wipe").value}%`);
  };
  const say = (text) => {
    write(find("picture-note"), text);
    find("picture-note").hidden = !text;
  };

  /** Says how to begin, as long as there is nothing to look at. */
  const begin = () => {
    const { live, agent, run } = view.run.snapshot ?? {};
    const start = find("start");
    start.hidden = !live || !!view.shown || !(agent.state === "none" || run?.relay);
    if (start.hidden) return;
    const line = (words, command) => make("p", {}, words, make("code", {}, command), copyButton("Copy", () => command, view.run));
    const other = run?.relay && line("Or let another program ask its model here:", `OPENAI_BASE_URL=${run.relay}/v1`);
    start.replaceChildren(line("Start a run:", START), ...(other ? [other] : []));
    say("");
  };
  const draw = repeated(async () => {
    if (view.scrubs) return;
    const turn = view.shown;
    const other = look.compare && turn ? await before(view, look.other ?? turn.previous) : null;
    const hashes = [hash(turn, look.marks), other && !other.missing && hash(other, look.marks)];
    tools(turn, other, look);
    let over = [];
    try {
      const again = (sha256, i) => (drawn[i]?.sha256 === sha256 ? drawn[i] : load(sha256));
      const images = await Promise.all(hashes.filter(Boolean).map(again));
      if (look.marks && images.length === 1) over = await rings(view, turn);
      if (view.scrubs) return;
      drawn = images;
      const missing = look.compare && turn && !hashes[1] ? "There is no picture to compare with." : "";
      say(images.length ? missing : turn ? withoutPicture(turn) : "No picture yet.");
      begin();
    } catch {
      if (view.scrubs) return;
      drawn = [];
      say(gone(turn));
    }
    divide();
    drawn.forEach((image, i) => {
      image.alt = i ? `Screenshot of turn ${other.summary.turn}` : `Screenshot of turn ${turn.summary.turn}`;
    });
    find("layers").replaceChildren(...drawn, ...over);
    stage.classList.remove("scrubbed");
    sheet.classList.toggle("two", drawn.length > 1);
    size();
    wipe();
    view.dispatchEvent(new Event("drawn"));
  });
  /** Draws the thumbnail of the turn that the person is passing, as large as the picture. */
  const glimpse = newest(
    async (turn) => {
      const summary = await summaries.get(turn);
      const image = summary?.image && (await load(summary.image.sha256, summary.image).catch(() => null));
      return { summary, image };
    },
    (turn, found) => {
      if (!view.scrubs || !found?.summary) return;
      const { summary, image } = found;
      drawn = image ? [Object.assign(image, { alt: `Screenshot of turn ${turn}` })] : [];
      say(image ? "" : "This turn has no picture.");
      entitle(turn, summary);
      find("layers").replaceChildren(...drawn);
      stage.classList.add("scrubbed");
      sheet.classList.remove("two");
      size();
      view.dispatchEvent(new CustomEvent("glimpse", { detail: { turn } }));
    },
    AT_ONCE,
  );
  const toggleMarks = () => {
    if (find("marks").disabled) return;
    look.marks = !look.marks;
    draw();
  };
  const toggleCompare = () => {
    look.compare = !look.compare;
    look.other = null;
    press(find("compare"), look.compare);
    draw();
  };

  find("fit").onclick = () => zoom(null);
  find("actual").onclick = () => zoom(1);
  find("zoom-in").onclick = () => zoom(scale() * STEP);
  find("zoom-out").onclick = () => zoom(scale() / STEP);
  find("marks").onclick = toggleMarks;
  find("compare").onclick = toggleCompare;
  find("wipe").oninput = wipe;
  find("before").onchange = () => {
    look.other = Number.parseInt(find("before").value, 10) || null;
    draw();
  };
  stage.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = stage.getBoundingClientRect();
      zoom(scale() * STEP ** -Math.sign(event.deltaY), event.clientX - box.left, event.clientY - box.top);
    },
    { passive: false },
  );
  // Without a picture, there are buttons here, which must get their clicks.
  stage.onpointerdown = (event) => drawn.length && pan(stage, event);
  new ResizeObserver(size).observe(stage);
  view.addEventListener("show", draw);
  // The turn that acts on this picture's reply might arrive later.
  view.addEventListener("move", () => {
    if (view.scrubs) glimpse(view.wanted);
    else if (view.shown?.summary.turn === view.wanted && !sheet.querySelector(".ring")) draw();
  });
  draw();
  return { zoom, in: () => zoom(scale() * STEP), out: () => zoom(scale() / STEP), toggleMarks, toggleCompare };
}

function tools(turn, other, look) {
  const shown = hash(turn, look.marks);
  entitle(turn?.summary.turn, turn?.line);
  for (const id of ["fit", "actual", "zoom-in", "zoom-out"]) find(id).disabled = !shown;
  find("marks").disabled = !turn?.plain || turn.plain === turn.line.image?.sha256;
  press(find("marks"), look.marks && !find("marks").disabled);
  press(find("compare"), look.compare);
  find("compare").disabled = !turn;
  find("compare-bar").hidden = !look.compare;
  if (document.activeElement !== find("before")) find("before").value = look.other ?? turn?.previous ?? "";
  write(find("after"), turn ? `turn ${turn.summary.turn}` : "");
  find("wipe").disabled = !other;
  find("full").hidden = !shown;
  if (shown) lead(find("full"), shown);
}

/** Says why a turn never had a picture. */
function withoutPicture({ line, pending }) {
  if (pending) return "There is no picture of this turn yet.";
  const unsaved = line.errors.find((error) => /picture/.test(error));
  if (unsaved) return `This turn has no picture: ${visible(unsaved)}.`;
  return line.attempts ? "This turn has no picture: its request contained none." : "This turn has no picture: it ended before FRANZ looked at the screen.";
}

/** Says why a turn's picture is not there any more. */
function gone({ summary: { turn }, missing }) {
  const from = missing?.kept_from;
  if (from > turn) return `This picture was removed to make room. Those from turn ${from} on are kept; record.keep_pictures sets how many.`;
  return missing ? "This picture is gone: somebody removed its file." : "This picture cannot be read.";
}

/**
 * Names the turn and its picture above the picture.
 * @param {any} turn
 * @param {any} line
 */
function entitle(turn, { started, image } = {}) {
  write(find("picture-title"), turn ? `Turn ${turn}` : "Screenshot");
  writeAll(find("picture-when"), joined([moment(started), image && `${image.width} × ${image.height}`], " · "));
}

/** Returns the size of an image or, if it is a thumbnail, of the picture that it stands for. */
const sizeOf = (image) => image?.whole ?? { width: image?.naturalWidth ?? 0, height: image?.naturalHeight ?? 0 };

const hash = (turn, marks) => (marks ? null : turn?.plain) ?? turn?.line.image?.sha256 ?? null;

const before = (view, number) => (number == null ? null : view.turns.get(number).catch(() => null));

/**
 * Returns an image that is ready to be drawn, so that nothing flickers. With `whole`, which describes the picture, it is
 * the picture's thumbnail.
 */
async function load(sha256, whole) {
  const image = new Image();
  Object.assign(image, whole ? { draggable: false, whole } : { draggable: false, sha256 });
  await paint(image, sha256, !!whole);
  await image.decode();
  return image;
}

function pan(stage, { button, pointerId, pointerType, clientX, clientY }) {
  if (button !== 0 || pointerType === "touch") return;
  const [left, top] = [stage.scrollLeft + clientX, stage.scrollTop + clientY];
  stage.setPointerCapture(pointerId);
  stage.onpointermove = (event) => stage.scrollTo(left - event.clientX, top - event.clientY);
  stage.onlostpointercapture = () => (stage.onpointermove = null);
}
