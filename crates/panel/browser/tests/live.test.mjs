// A run that continues while a person is watching it.

import assert from "node:assert/strict";

import { choose, number, passes, pauses, says, shows, until, waits } from "../stage/page.mjs";
import { drawing } from "../stage/model.mjs";
import { scene } from "../stage/stage.mjs";

const TABS = 10;
/** How many times slower a small computer draws, and how many turns would be too many for it to draw one by one. */
const [SLOWNESS, RUSH] = [40, 60];
/** The most that is added, in milliseconds. A busy machine can interrupt the page itself, and that is multiplied, too. */
const LONGEST_MS = 250;
const CLIENTS = 20;

scene("each turn appears without a reload, and the wait for the model is counted in seconds", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await says(page, "status-words", "Turn 1: waiting for the model");
  await says(page, "pending", /^the model is thinking, [1-9]\d* s$/);
  for (const turn of [1, 2, 3]) {
    await waits(page, turn);
    await model.say(drawing(turn));
    await waits(page, turn + 1);
    await says(page, "story-text", `Reply ${turn}.`);
    await page.keyboard.press("ArrowLeft");
    await shows(page, turn);
    await says(page, "pending", new RegExp(`^turn ${turn + 1}: the model is thinking`));
    await says(page, "reply-text", `Reply ${turn}.`);
    await says(page, "facts", /Tokens\s*120: 40 read, 60 from the cache, 20 written/);
    await says(page, "facts", /Tokens a second\s*812 read, 31 written/);
    await says(page, "verdict", turn === 1 ? "First story" : "Story unchanged");
    await page.keyboard.press("Space");
  }
  await says(page, "actions-sum", /1 action, 1 done/);
  await page.locator("#sheet img").waitFor();
  await says(page, "facts", /stage-model/);
  await says(page, "facts", /Changed\s*\d+, \d+, \d+, \d+/);
});

scene("a slow page keeps up with a fast run and stays usable", async (stage) => {
  const model = await stage.model(drawing);
  const franz = await stage.run(model);
  const context = await stage.context(franz);
  await context.addInitScript(([slowness, longest]) => {
    const { dispatchEvent } = EventTarget.prototype;
    let depth = 0;
    EventTarget.prototype.dispatchEvent = function (event) {
      const began = performance.now();
      depth += 1;
      const done = dispatchEvent.call(this, event);
      depth -= 1;
      const now = performance.now();
      const end = now + Math.min((now - began) * (slowness - 1), longest);
      while (depth === 0 && performance.now() < end);
      return done;
    };
  }, [SLOWNESS, LONGEST_MS]);
  const page = await stage.open(franz, { context });
  await passes(page, RUSH);
  await page.getByRole("button", { name: "Pause" }).click();
  await says(page, "status-words", /^Paused before turn \d+$/);
  await shows(page, model.requests.length);
  await says(page, "reply-text", `Reply ${model.requests.length}.`);
});

scene("a turn on display stays while others arrive, until the latest is followed again", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  for (const turn of [1, 2]) await model.say(drawing(turn));
  await waits(page, 3);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 2);
  const follow = page.getByRole("switch", { name: "Follow latest" });
  assert.equal(await follow.getAttribute("aria-checked"), "false");
  await model.say(drawing(3));
  await says(page, "range", /^of 4$/);
  await shows(page, 2);
  await page.keyboard.press("Space");
  await waits(page, 4);
  assert.equal(await follow.getAttribute("aria-checked"), "true");
  await model.say(drawing(4));
  await waits(page, 5);
  await follow.click();
  await model.say(drawing(5));
  await says(page, "range", /^of 6$/);
  await shows(page, 5);
  await says(page, "reply-text", "Reply 5.");
  await page.keyboard.press("End");
  await waits(page, 6);
});

scene("clearing the display hides finished turns, but only on this page", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  for (const turn of [1, 2]) await model.say(drawing(turn));
  await waits(page, 3);
  await choose(page, "Clear display");
  await page.keyboard.press("Escape");
  await says(page, "range", "3 to 3, waiting for the model");
  await shows(page, 3);
  assert.ok(await page.getByRole("button", { name: "Previous turn" }).isDisabled());
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await says(page, "status-words", "Pausing…");
  await pauses(page, model, drawing);
  const last = await number(page);
  await says(page, "reply-text", `Reply ${last}.`);
  assert.equal(await page.getByRole("button", { name: "Previous turn" }).isDisabled(), last === 3);
  assert.equal((await franz.state()).turns.count, last);
  await choose(page, "Show all turns");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Home");
  await shows(page, 1);
  await choose(page, "Clear display");
  await page.keyboard.press("Escape");
  await says(page, "story-note", "The display is cleared");
});

scene(`${TABS} tabs of a browser share one event stream, and all of them get turns`, async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const context = await stage.context(franz);
  // As in a browser, whose other tabs are hidden. A visible page keeps one of the few connections for the reply.
  await context.addInitScript(() => Object.defineProperty(document, "hidden", { get: () => true }));
  const pages = [];
  for (let tab = 0; tab < TABS; tab += 1) pages.push(await stage.open(franz, { context }));
  await model.say(drawing(1));
  for (const page of pages) await waits(page, 2);
  assert.equal(await franz.clients(), 1);
  await pages.pop().close();
  await model.say(drawing(2));
  for (const page of pages) await waits(page, 3);
  assert.equal(await franz.clients(), 1);
});

scene(`${CLIENTS} separate clients all get turns`, async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  const readers = await Promise.all(Array.from({ length: CLIENTS }, () => listen(franz)));
  assert.equal(await franz.clients(), CLIENTS + 1);
  // Wait for each turn, because a slow client would get several at once if it has not read them yet.
  for (const turn of [1, 2]) {
    await model.say(drawing(turn));
    for (const read of await Promise.all(readers.map(({ next }) => next()))) assert.equal(read, turn);
  }
  readers.forEach(({ end }) => end());
  await waits(page, 3);
});

scene("the built-in model draws, and each turn comes with a picture", async (stage) => {
  const page = await stage.open(await stage.run(null));
  const turn = await passes(page, 2);
  assert.ok(turn >= 3 && (await number(page)) >= turn);
  await until(page, () => document.querySelector("#sheet img")?.naturalWidth === 512);
});

/** A client that reads the events. `next` waits for news about turns, and returns the number of the last turn. */
async function listen(franz) {
  const aborting = new AbortController();
  const response = await franz.fetch("/events", { signal: aborting.signal });
  const chunks = response.body[Symbol.asyncIterator]();
  let [text, turns] = ["", []];
  const next = async () => {
    while (!turns.length) {
      const { value, done } = await chunks.next();
      assert.ok(!done, "the stream continues");
      text += Buffer.from(value).toString();
      const events = text.split("\n\n");
      text = events.pop();
      const all = events.map((event) => /^data: ?(.*)$/m.exec(event)?.[1]);
      turns = all.map((data) => (data && JSON.parse(data).turns)?.last).filter(Boolean);
    }
    return turns.shift();
  };
  return { next, end: () => aborting.abort() };
}

scene("a person who is looking elsewhere is notified if they have asked for it", async (stage) => {
  const model = await stage.model(drawing);
  const franz = await stage.run(model);
  const context = await stage.context(franz);
  await context.addInitScript(() => {
    globalThis.shown = [];
    globalThis.Notification = class {
      static permission = "default";
      static async requestPermission() {
        return (this.permission = "granted");
      }
      constructor(title, { body }) {
        globalThis.shown.push(`${title}: ${body}`);
      }
      close() {}
    };
    Object.defineProperty(document, "hidden", { get: () => true });
  });
  const page = await stage.open(franz, { context });
  await passes(page, 1);
  const notified = page.getByRole("button", { name: "Notify me" });
  assert.equal(await page.evaluate(() => Notification.permission), "default", "no permission is requested on load");
  await notified.click();
  await page.locator("#notify[aria-pressed=true]").waitFor();
  model.refuse({ status: 503, headers: { "Retry-After": "60" }, body: "busy" });
  await until(page, () => globalThis.shown.some((text) => /^Failed: \S+: .*waiting for the model server|^Failed: .* not reachable/.test(text)));
  await notified.click();
  await page.locator("#notify[aria-pressed=false]").waitFor();
  const before = await page.evaluate(() => globalThis.shown.length);
  model.refuse(null);
  await page.getByRole("button", { name: "Try now" }).click();
  // The second click must follow soon, but not at once.
  await until(page, () => {
    document.getElementById("stop").click();
    return /[Ee]nded/.test(document.getElementById("status-words").textContent);
  });
  assert.equal(await page.evaluate(() => globalThis.shown.length), before, "no notifications once they are switched off");
});

/** Opens the page of a run with notifications switched on, and records them in `shown`. */
async function notified(stage, franz) {
  const context = await stage.context(franz);
  await context.addInitScript(() => {
    globalThis.shown = [];
    globalThis.Notification = class {
      static permission = "granted";
      isOpen = true;
      constructor(title, { tag }) {
        Object.assign(this, { title, tag });
        globalThis.shown.push(this);
      }
      static async requestPermission() {
        return this.permission;
      }
      close() {
        this.isOpen = false;
      }
    };
    Object.defineProperty(document, "hidden", { get: () => globalThis.isAway ?? false });
    // Keeps a failure that is over on display, so that no machine is too slow to see it. No other timer waits as long.
    const { setTimeout } = window;
    window.setTimeout = (work, wait, ...more) => (wait === 10_000 ? -1 : setTimeout(work, wait, ...more));
  });
  const page = await stage.open(franz, { context });
  await page.getByRole("button", { name: "Notify me" }).click();
  await page.locator("#notify[aria-pressed=true]").waitFor();
  const isAway = (away) =>
    page.evaluate((away) => {
      globalThis.isAway = away;
      document.dispatchEvent(new Event("visibilitychange"));
    }, away);
  const opens = (count, word) =>
    until(page, ({ count, word }) => globalThis.shown.length === count && globalThis.shown[count - 1].title.startsWith(word), { count, word });
  const open = () => page.evaluate(() => globalThis.shown.map(({ isOpen }) => isOpen));
  return { page, isAway, opens, open };
}

scene("each question has a notification of its own, which is closed when it is over or the person looks", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--gate", "ask");
  const { page, isAway, opens, open } = await notified(stage, franz);
  await isAway(true);
  await model.say("```python\ndrag(1, 2, 3, 4)\ndrag(5, 6, 7, 8)\n```");
  await opens(1, "Waiting for you");
  const { question } = await franz.state();
  const body = JSON.stringify({ do: "approve", key: question.nonce });
  const decided = await franz.fetch("/api/control", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  assert.equal(decided.status, 200);
  await opens(2, "Waiting for you");
  assert.deepEqual(await open(), [false, true]);
  await isAway(false);
  assert.deepEqual(await open(), [false, false]);
  // If one question follows another at once, the page is told of both as one change.
  await isAway(true);
  await page.route("**/api/state", async (route) => {
    const answer = await route.fetch();
    const state = await answer.json();
    state.question.nonce = "another";
    await route.fulfill({ response: answer, json: state });
  });
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await opens(3, "Waiting for you");
  assert.equal(await page.evaluate(() => new Set(globalThis.shown.map(({ tag }) => tag)).size), 3);
});

scene("a server that fails again and again is one piece of news", async (stage) => {
  const model = await stage.model();
  const { page, isAway, opens, open } = await notified(stage, await stage.run(model));
  await isAway(true);
  await model.drop();
  await opens(1, "Failed");
  await model.asked();
  await says(page, "status-words", "attempt 2: waiting for the model,");
  await model.drop();
  await opens(2, "Failed");
  // The browser replaces the first one without a sound, because it is open and has the same tag.
  assert.deepEqual(await open(), [true, true]);
  assert.equal(await page.evaluate(() => new Set(globalThis.shown.map(({ tag }) => tag)).size), 1);
});
