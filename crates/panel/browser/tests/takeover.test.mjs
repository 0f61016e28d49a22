// Taking over a private desktop in the page, with mouse, keys and touch.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

import { says, shows, until } from "../stage/page.mjs";
import { picture } from "../stage/picture.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const WORDS = "Grüße 日本語 €5";
const PICTURES = process.env.BROWSER_PICTURES;
const PHONE = { width: 390, height: 844 };
/** A terminal that saves what is typed into it. */
const START = `["exec xterm -bg black -fg white -geometry 70x20+0+0 -e sh -c 'cat > typed.txt'"]`;

const button = (page, name) => page.getByRole("button", { name, exact: true });
const live = (page) => until(page, () => document.getElementById("live-screen").dataset.picture);

/** Opens a page for a private desktop while the model is thinking. */
async function opened(stage, options) {
  const model = await stage.model();
  const screen = ["screen.width=1568", "screen.height=896", "image.width=1568", "image.height=896"].flatMap((setting) => ["--set", setting]);
  const franz = await stage.run(model, "--screen", "virtual", "--set", `screen.start=${START}`, ...screen);
  const page = await stage.open(franz, options);
  await model.asked();
  // The terminal has begun to read.
  while (!existsSync(stage.path("typed.txt"))) await new Promise((next) => setImmediate(next));
  return { model, franz, page };
}

/** Waits until exactly this text has been typed into the terminal. */
async function typed(stage, text) {
  const file = stage.path("typed.txt");
  while (!existsSync(file) || readFileSync(file, "utf8") !== text) await new Promise((next) => setImmediate(next));
}

/** Records when the picture next changes. */
const watchPicture = (page) =>
  page.evaluate(() => {
    const screen = document.getElementById("live-screen");
    const seen = () => new Uint32Array(screen.getContext("2d").getImageData(0, 0, 600, 300).data.buffer);
    const pixels = () => seen().reduce((sum, pixel, place) => (sum * 31 + pixel + place) | 0, 0);
    const before = pixels();
    window.changed = new Promise((done) => {
      const look = () => (pixels() === before ? requestAnimationFrame(look) : done(performance.now()));
      look();
    });
  });

/** Measures how far the picture is behind a key, in milliseconds. */
async function measure(stage, page, where) {
  const behind = [];
  for (let round = 0; round < 20; round++) {
    await watchPicture(page);
    const pressed = await page.evaluate(() => {
      document.getElementById("live-screen").dispatchEvent(new KeyboardEvent("keydown", { key: "x", bubbles: true, cancelable: true }));
      return performance.now();
    });
    behind.push((await page.evaluate(() => window.changed)) - pressed);
  }
  behind.sort((one, other) => one - other);
  stage.say(`${where}, the picture is ${Math.round(behind[10])} ms behind a key (median of 20), at most ${Math.round(behind.at(-1))} ms`);
}

scene("a private desktop is taken over with mouse and keys, and given back", async (stage) => {
  const { model, page } = await opened(stage);
  await page.keyboard.press("t");
  await live(page);
  if (PICTURES) {
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: `${PICTURES}/takeover-1366.png` });
  }
  const screen = page.locator("#live-screen");
  await screen.click({ position: { x: 100, y: 100 } });
  await page.keyboard.insertText("");
  for (const letter of WORDS) await page.keyboard.press(letter === " " ? "Space" : letter).catch(() => page.evaluate((key) => document.getElementById("live-screen").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })), letter));
  await page.keyboard.press("Backspace");
  await page.keyboard.press("6");
  await page.keyboard.press("Enter");
  await typed(stage, `${WORDS.slice(0, -1)}6\n`);

  await measure(stage, page, "on a desktop");

  // The other page can only watch.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await button(other, "Watch").click();
  await live(other);
  await other.locator("#live-note").filter({ hasText: "Another page controls the mouse and keyboard." }).waitFor();
  await other.close();

  await screen.focus();
  // Two presses count only if they quickly follow one another, and a busy machine might need more.
  while (await page.locator("#live").isVisible()) await page.keyboard.press("Escape");
  const told = await model.told(2);
  assert.match(told, /the person used mouse and keyboard for \d+ s: 1 click, \d+ characters typed/);
  assert.ok(!told.includes("Grüße"));
});

scene("while an action is waiting, the page shows the private desktop as it is now", async (stage) => {
  const model = await stage.model();
  const screen = ["screen.width=800", "screen.height=600", "image.width=800", "image.height=600"].flatMap((setting) => ["--set", setting]);
  // The terminal shows nothing new until the file exists.
  const now = `["exec xterm -geometry 60x20+0+0 -e sh -c 'tail -F now.txt 2>/dev/null'"]`;
  const franz = await stage.run(model, "--screen", "virtual", "--set", `screen.start=${now}`, "--gate", "ask", ...screen);
  const page = await stage.open(franz);
  await model.say("```python\nleft_click(900, 900)\n```");
  await page.locator("#question").waitFor();
  const picture = () => page.evaluate(() => {
    const canvas = document.getElementById("now");
    return { width: canvas.width, height: canvas.height, data: canvas.toDataURL() };
  });
  await until(page, () => document.getElementById("now").dataset.picture);
  assert.ok(await page.getByText("live", { exact: true }).isVisible());
  const before = await picture();
  assert.deepEqual([before.width, before.height], [800, 600]);
  writeFileSync(stage.path("now.txt"), "HELLO\n".repeat(20));
  while ((await picture()).data === before.data) await new Promise((next) => setImmediate(next));
  // A single point has no size, so it is attached but does not count as visible.
  await page.locator("#places .due.dot.ink").waitFor({ state: "attached" });
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/waiting-1366.png` });
  await page.locator("#approve:enabled").click();
  await page.locator("#question").waitFor({ state: "hidden" });
  await until(page, () => !document.getElementById("now").dataset.picture);
});

scene("a phone takes over with touch and its keyboard", async (stage) => {
  const { page } = await opened(stage, { viewport: PHONE, hasTouch: true, isMobile: true });
  await button(page, "Take over").tap();
  await live(page);
  await page.locator("#live-screen").tap({ position: { x: 60, y: 40 } });
  const field = page.getByLabel("Type into the screen");
  await field.tap();
  await field.pressSequentially("from a phone");
  await field.press("Enter");
  await typed(stage, "from a phone\n");
  await measure(stage, page, "on a phone");
  const box = await button(page, "Give back (Esc Esc)").boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width, JSON.stringify(box));
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/takeover-390.png` });
  await button(page, "Give back (Esc Esc)").tap();
  await page.locator("#live").waitFor({ state: "hidden" });
});

scene("closing the page gives the desktop back, and the run waits", async (stage) => {
  const { franz, page } = await opened(stage);
  await button(page, "Take over").click();
  await live(page);
  const left = stage.open(franz, { context: page.context() });
  const second = await left;
  await page.close();
  await second.locator("#status-words").filter({ hasText: "Paused" }).waitFor();
  while ((await franz.state()).taken_over) await new Promise((next) => setImmediate(next));
  rmSync(stage.path("typed.txt"), { force: true });
});

/** Opens a recorded run as if it had a private screen. Its snapshot also has these `parts`. */
async function pretended(stage, parts, answer) {
  record(stage.path("run"), 3);
  const franz = await stage.replay();
  const context = await stage.context(franz);
  await context.route("**/api/state", async (route) => {
    const response = await route.fetch();
    const state = await response.json();
    await route.fulfill({ response, json: { ...state, run: { ...state.run, private: true }, ...parts(state) } });
  });
  await context.route("**/api/live?*", answer);
  const page = await stage.open(franz, { context });
  await shows(page, 3);
  return page;
}

/** Answers a request for live pictures with this turn's picture. */
const send = (route, number) =>
  route.fulfill({ json: [{ number, whole: true, screen: [picture.width, picture.height], at: [0, 0], png: picture(number, false).toString("base64") }] });

scene("when live pictures break off, the turn's own picture becomes visible again", async (stage) => {
  let held;
  const page = await pretended(stage, ({ agent }) => ({ agent: { ...agent, state: "paused" } }), (route) => {
    if (route.request().url().includes("after=0")) return send(route, 1);
    held = route;
  });
  await until(page, () => document.getElementById("now").dataset.picture);
  await page.locator("#now-badge").waitFor();
  while (!held) await new Promise((next) => setImmediate(next));
  await held.abort();
  await page.locator("#now-badge").waitFor({ state: "hidden" });
  assert.ok(await page.locator("#now").isHidden());
});

scene("a page in the background asks for no live pictures", async (stage) => {
  const page = await pretended(stage, ({ agent }) => ({ agent: { ...agent, state: "paused" } }), (route) => (route.request().url().includes("after=0") ? send(route, 1) : undefined));
  const isDrawn = (is) => until(page, (is) => !!document.getElementById("now").dataset.picture === is, is);
  await isDrawn(true);
  for (const hidden of [true, false]) {
    await page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
    await isDrawn(!hidden);
  }
});

scene("whoever closes the live screen and opens it again gets each picture once", async (stage) => {
  const asked = [];
  const held = [];
  const page = await pretended(stage, ({ agent }) => ({ agent: { ...agent, state: "running" }, taken_over: true, live: true }), (route) => {
    asked.push(new URL(route.request().url()).searchParams.get("after"));
    held.push(route);
  });
  const waiting = async (count) => {
    while (held.length < count) await new Promise((next) => setImmediate(next));
  };
  await button(page, "Watch").click();
  await waiting(1);
  await button(page, "Close").click();
  await button(page, "Watch").click();
  await waiting(2);
  await send(held[0], 1);
  await send(held[1], 2);
  await waiting(3);
  await until(page, () => document.getElementById("live-screen").dataset.picture === "2");
  assert.deepEqual(asked, ["0", "0", "2"]);
});

/** Opens a paused run, takes its screen over, and returns the page and the inputs that it sends. */
async function controlled(stage) {
  const parts = ({ agent }) => ({ agent: { ...agent, state: "paused" }, live: true });
  const page = await pretended(stage, parts, (route) => (route.request().url().includes("after=0") ? send(route, 1) : undefined));
  const inputs = [];
  await page.route("**/api/control", (route) => {
    inputs.push(...(route.request().postDataJSON().inputs ?? []));
    return route.fulfill({ json: {} });
  });
  await button(page, "Take over").click();
  await live(page);
  const { x, y, width, height } = await page.locator("#live-screen").boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  const arrive = async (isThere) => {
    while (!isThere()) await new Promise((next) => setImmediate(next));
  };
  return { page, inputs, arrive, middle: { x: x + width / 2, y: y + height / 2 } };
}

scene("a lost request does not end a takeover, and after a lost input the page can take over again", async (stage) => {
  const asked = [];
  let taken = false;
  const parts = ({ run, agent }) => ({ run: { ...run, private: true, name: taken ? "taken" : "free" }, agent: { ...agent, state: "running" }, live: true, taken_over: taken });
  const page = await pretended(stage, parts, (route) => {
    const after = new URL(route.request().url()).searchParams.get("after");
    asked.push(after);
    if (after === "0") return send(route, 1);
    if (after !== "1") return undefined;
    return asked.filter((number) => number === "1").length === 1 ? route.abort() : send(route, 2);
  });
  const keys = [];
  await page.route("**/api/control", (route) => {
    const command = route.request().postDataJSON();
    if (command.do === "take_over") keys.push(command.key);
    return command.do === "input" ? route.abort() : route.fulfill({ json: {} });
  });
  await button(page, "Take over").click();
  await until(page, () => document.getElementById("live-screen").dataset.picture === "2");
  taken = true;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await says(page, "run", "taken");
  await page.locator("#live-screen").press("x");
  await page.locator("#live").waitFor({ state: "hidden" });
  await button(page, "Take over").click();
  await page.locator("#live-note").filter({ hasText: "You control the mouse and keyboard." }).waitFor();
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

scene("each mouse button goes down and up on the screen, and Back and Forward do nothing there", async (stage) => {
  const { page, inputs, arrive, middle } = await controlled(stage);
  const session = await page.context().newCDPSession(page);
  const back = (type, buttons) => session.send("Input.dispatchMouseEvent", { type, ...middle, button: "back", buttons, clickCount: 1 });
  await back("mousePressed", 8);
  await back("mouseReleased", 0);
  for (const [does, name] of [["down", "left"], ["down", "right"], ["up", "left"], ["up", "right"]]) await page.mouse[does]({ button: name });
  await page.mouse.click(middle.x, middle.y, { button: "middle" });
  const pressed = () => inputs.filter((input) => input.button).map((input) => `${input.do} ${input.button}`);
  await arrive(() => pressed().includes("up middle"));
  assert.deepEqual(pressed(), ["down left", "down right", "up left", "up right", "down middle", "up middle"]);
});

scene("small turns of the wheel add up to whole notches", async (stage) => {
  const { page, inputs, arrive, middle } = await controlled(stage);
  const scrolled = () => inputs.reduce((sum, input) => sum + (input.dy ?? 0), 0);
  for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, 20);
  await arrive(() => scrolled() >= 2);
  await page.mouse.wheel(0, -120);
  await arrive(() => scrolled() <= 1);
  await page.mouse.click(middle.x, middle.y);
  await arrive(() => inputs.some((input) => input.do === "up"));
  assert.equal(scrolled(), 1);
});

scene("whoever takes over while the run waits keeps the screen until it is given back", async (stage) => {
  let [taken, name] = [false, "first"];
  const parts = ({ run, agent }) => ({ run: { ...run, private: true, name }, agent: { ...agent, state: "paused" }, live: true, taken_over: taken });
  const page = await pretended(stage, parts, (route) => (route.request().url().includes("after=0") ? send(route, 1) : undefined));
  await page.route("**/api/control", (route) => route.fulfill({ json: {} }));
  const learn = async (next) => {
    name = next;
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await says(page, "run", next);
  };
  await button(page, "Take over").click();
  await live(page);
  // Nobody has told the page yet that the run has noticed.
  await learn("second");
  assert.ok(await page.locator("#live").isVisible());
  taken = true;
  await learn("third");
  await page.evaluate(() => document.getElementById("live-screen").blur());
  await page.keyboard.press("h");
  assert.equal(await page.locator("dialog[open]").count(), 0, "no key is a shortcut");
  assert.ok(await page.locator("#live").isVisible());
  taken = false;
  await learn("fourth");
  await page.locator("#live").waitFor({ state: "hidden" });
});
