// Takes over a private desktop. The page shows it live, and passes on the person's mouse, touch and keyboard input.

import { find, write } from "./element.js";
import { drawLive } from "./live.js";
import { post } from "./server.js";

// Pressing Escape twice within this time gives the screen back.
const TWICE_MS = 600;
/** How far a notch of the wheel turns, in each `deltaMode`. */
const NOTCH = [100, 3, 1];
/** The bits of `buttons` in an event. The other buttons, such as Back, are not passed on. */
const BUTTONS = { 1: "left", 2: "right", 4: "middle" };
const ALONE = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "Dead", "Process", "Unidentified"]);

const random = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("");

export function takeOver(run) {
  const [button, live, screen, text] = ["take-over", "live", "live-screen", "live-text"].map(find);
  const key = random();
  let [mine, open, visit, escaped, queue, sending] = [false, false, 0, 0, [], false];
  let was;
  /** Whether this page had the screen, and has not given it back. It can then have it back under the same key. */
  let had = false;
  /** The buttons that are down, as in an event. */
  let down = 0;

  const put = (input) => {
    if (!mine) return;
    const last = queue.at(-1);
    if (input.do === "move" && last?.do === "move") queue.pop();
    if (input.do === "type" && last?.do === "type") last.text += input.text;
    else if (input.do === "scroll" && last?.do === "scroll") Object.assign(last, { ...input, dx: last.dx + input.dx, dy: last.dy + input.dy });
    else queue.push(input);
    send();
  };
  // Send one request at a time, so that none overtakes another.
  const send = async () => {
    if (sending) return;
    sending = true;
    try {
      while (queue.length) await post({ do: "input", key, inputs: queue.splice(0, 200) });
    } catch (error) {
      leave(error.message);
    } finally {
      sending = false;
    }
  };
  const enter = () => {
    [open, live.hidden] = [true, false];
    write(find("live-note"), mine ? "You control the mouse and keyboard. The model does not see this." : "Another page controls the mouse and keyboard.");
    text.hidden = !mine;
    write(find("give-back"), mine ? "Give back (Esc Esc)" : "Close");
    screen.focus();
    const here = (visit += 1);
    const isHere = () => open && visit === here;
    drawLive(screen, isHere, mine ? key : "").catch((error) => isHere() && leave(error.message));
  };
  const leave = (why) => {
    [mine, open, queue, live.hidden, down] = [false, false, [], true, 0];
    delete screen.dataset.picture;
    screen.width = 1;
    if (why) run.note(why);
    button.focus();
  };
  const start = async () => {
    if (button.hidden || open) return;
    if (run.snapshot.taken_over && !had) return enter();
    try {
      await post({ do: "take_over", key });
      mine = had = true;
      enter();
    } catch (error) {
      if (error.status) had = false;
      run.note(error.message);
    }
  };
  const stop = async () => {
    const gives = mine;
    had = false;
    leave();
    if (gives) await post({ do: "give_back" }).catch((error) => run.note(error.message));
  };

  const at = (event) => {
    const box = screen.getBoundingClientRect();
    const part = (from, size, pixels) => Math.min(Math.max(Math.floor((from / size) * pixels), 0), pixels - 1) / Math.max(pixels - 1, 1);
    return [part(event.clientX - box.left, box.width, screen.width), part(event.clientY - box.top, box.height, screen.height)];
  };
  /** Passes on which buttons have changed. While one is down, browsers report the others as moves. */
  const pressed = (event) => {
    event.preventDefault();
    for (const bit in BUTTONS)
      if ((event.buttons ^ down) & +bit) put({ do: event.buttons & +bit ? "down" : "up", button: BUTTONS[bit], at: at(event) });
    down = event.buttons;
  };
  screen.onpointerdown = (event) => {
    screen.focus();
    screen.setPointerCapture(event.pointerId);
    pressed(event);
  };
  screen.onpointerup = pressed;
  screen.onpointercancel = () => {
    down = 0;
    put({ do: "let_go" });
  };
  screen.onpointermove = (event) => {
    put({ do: "move", at: at(event) });
    // A button that was pressed outside of the screen is not the screen's.
    if (down) pressed(event);
  };
  screen.oncontextmenu = (event) => event.preventDefault();
  /** How far the wheel has turned since its last whole notch. A touchpad turns it in many small steps. */
  const turned = { dx: 0, dy: 0 };
  const notches = (axis, turn) => {
    const whole = Math.round((turned[axis] += turn));
    turned[axis] -= whole;
    return whole;
  };
  screen.addEventListener("wheel", (event) => {
    event.preventDefault();
    const size = NOTCH[event.deltaMode];
    const [dx, dy] = [notches("dx", event.deltaX / size), notches("dy", event.deltaY / size)];
    if (dx || dy) put({ do: "scroll", dy, dx, at: at(event) });
  }, { passive: false });
  const press = (event) => {
    event.stopPropagation();
    if (ALONE.has(event.key) || event.isComposing) return;
    event.preventDefault();
    if (event.key === "Escape") {
      if (event.timeStamp - escaped < TWICE_MS) return stop();
      escaped = event.timeStamp;
    }
    const held = [["ctrl", event.ctrlKey], ["alt", event.altKey], ["super", event.metaKey]].filter(([, is]) => is && !event.getModifierState("AltGraph"));
    const isText = [...event.key].length === 1;
    if (isText && held.length === 0) return put({ do: "type", text: event.key });
    if (event.shiftKey && !isText) held.push(["shift"]);
    const name = { " ": "space", "+": "plus" }[event.key] ?? event.key;
    put({ do: "press", keys: [...held.map(([name]) => name), name].join("+") });
  };
  screen.onkeydown = press;
  // A click on the words above the screen takes the focus away from it.
  addEventListener("keydown", (event) => open && event.target === document.body && press(event));
  // Phone keyboards and input methods compose text in the field, which passes it on.
  text.onkeydown = (event) => {
    if ([...event.key].length > 1 && !ALONE.has(event.key)) press(event);
    else event.stopPropagation();
  };
  text.oninput = (event) => {
    if (event.isComposing || !text.value) return;
    put({ do: "type", text: text.value });
    text.value = "";
  };
  text.oncompositionend = text.oninput;
  find("give-back").onclick = stop;
  button.onclick = start;

  run.addEventListener("change", () => {
    const { run: facts, taken_over, agent } = run.snapshot ?? {};
    button.hidden = !facts?.private || ["none", "stopped"].includes(agent?.state);
    if (was && !taken_over) had = false;
    write(button, taken_over && !mine && !had ? "Watch" : "Take over");
    if (open && was && !taken_over) leave();
    was = taken_over;
  });
  return { start };
}
