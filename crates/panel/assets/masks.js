// Masks, which hide parts of the screen from the model. They are drawn over the picture.

import { find, make, press } from "./element.js";
import { get, post } from "./server.js";

const KEY = "screen.mask";
/** Matches one mask in the list, as written in TOML. */
const EACH = /\{([^"'}]|"(\\.|[^"])*"|'[^']*')*\}/g;
const WAYS = { ArrowLeft: [-10, 0], ArrowRight: [10, 0], ArrowUp: [0, -10], ArrowDown: [0, 10] };

export function drawMasks(run) {
  const [stage, sheet, button, bar, box] = ["stage", "sheet", "mask", "mask-bar", "mask-box"].map(find);
  let area;
  /** Draws the box. Its sides (left, top, right, bottom) are in thousandths. An invalid area changes nothing. */
  const draw = (...next) => {
    const [left, top, right, bottom] = next;
    if (left >= right || top >= bottom || next.some((side) => side < 0 || side > 1000)) return;
    area = next;
    box.style.inset = `${top / 10}% ${100 - right / 10}% ${100 - bottom / 10}% ${left / 10}%`;
  };
  const open = (on) => {
    bar.hidden = box.hidden = !on;
    stage.classList.toggle("masking", on);
    press(button, on);
    if (!on) return;
    draw(400, 400, 600, 600);
    box.focus();
    edit();
  };
  let edits;
  /** Applies a change to the masks, if one is given, and lists them. Waits for the edit before, which changes the hash. */
  const edit = (change) => (edits = apply(change, edits));
  const apply = async (change, before) => {
    await before;
    try {
      // Without a limit, an edit that never ends would hold back every later one.
      const { keys, hash } = await get("/api/settings", AbortSignal.timeout(10_000));
      const masks = keys.find(({ key }) => key === KEY).text.match(EACH) ?? [];
      if (change) {
        await post({ do: "set", key: KEY, value: `[${change(masks)}]` }, hash);
        return apply();
      }
      const remove = (mask) => () => edit((all) => all.filter((other) => other !== mask));
      // If a button had the focus, a key that is still held down would go on changing the masks.
      if (bar.contains(document.activeElement)) stage.focus();
      bar.replaceChildren(...masks.map((mask) => make("button", { onclick: remove(mask) }, `Remove ${mask}`)));
    } catch (error) {
      run.note(error.message);
    }
  };
  const keep = () => {
    if (box.hidden) return;
    open(false);
    // The panel leaves out spaces around operators, even in strings.
    const mask = ["{", "area", "=", `[${area}]`, "}"].join(" ");
    edit((masks) => [...masks, mask]);
  };
  button.onclick = () => open(bar.hidden);
  box.onkeydown = (event) => {
    const [dx, dy] = WAYS[event.key] ?? [];
    if (event.key === "Enter") keep();
    else if (event.key === "Escape") open(false);
    else if (dx == null) return;
    else draw(...area.map((side, i) => side + (event.shiftKey && i < 2 ? 0 : [dx, dy][i % 2])));
    event.preventDefault();
    if (box.hidden) stage.focus();
  };
  const at = ({ clientX, clientY }) => {
    const { x, y, width, height } = sheet.getBoundingClientRect();
    return [(clientX - x) / width, (clientY - y) / height].map((share) => Math.round(Math.min(Math.max(share, 0), 1) * 1000));
  };
  const pull = (event) => {
    if (box.hidden || event.button) return;
    event.stopPropagation();
    event.preventDefault();
    const [[x, y], before] = [at(event), area];
    stage.setPointerCapture(event.pointerId);
    stage.onpointermove = (event) => {
      const [right, bottom] = at(event);
      draw(Math.min(x, right), Math.min(y, bottom), Math.max(x, right), Math.max(y, bottom));
    };
    stage.onpointerup = stage.onpointercancel = ({ type }) => {
      stage.onpointermove = stage.onpointerup = stage.onpointercancel = null;
      // A mere click draws no box.
      if (type === "pointerup" && area !== before) keep();
    };
  };
  stage.addEventListener("pointerdown", pull, true);
}
