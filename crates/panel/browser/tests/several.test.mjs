// Several conversations below one panel, which are listed, and which a person can switch between.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";

import { Client } from "../stage/client.mjs";
import { answered, fetchAgain, says, shows, waits } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

/** More tabs than a browser has connections to one panel. */
const TABS = 8;
/** What the page says about a run that waits for nobody. */
const RUNNING = /^(Running|Turn \d+: (waiting for the model|acting))/;
const PICTURES = new URL("../../../../target/browser/", import.meta.url).pathname;

const talk = (franz, messages) =>
  fetch(`${franz.relay}/v1/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "stage-model", messages }),
  }).then((response) => response.json());

/** Opens the page of a run on the panel's page. */
const openRun = (stage, panel, context, name) =>
  stage.open({ link: panel.link.replace("/?", `/run/${name}/?`), clients: () => panel.clients() }, { context });

/** Begins this many conversations, and opens each in a tab of its own. Returns their messages and pages. */
async function begin(stage, panel, context, count) {
  const all = [];
  for (let number = 1; number <= count; number += 1) {
    const name = String(number).padStart(4, "0");
    const messages = [{ role: "system", content: "s" }, { role: "user", content: `Talk ${number}.` }];
    messages.push((await talk(panel, messages)).choices[0].message);
    // The answer arrives before the panel has recorded it.
    const isRecorded = async () => {
      const state = await panel.fetch(`/run/${name}/api/state`);
      return state.ok && (await state.json()).turns.last === 1;
    };
    while (!(await isRecorded())) await new Promise((next) => setImmediate(next));
    const page = await openRun(stage, panel, context, name);
    await shows(page, 1);
    all.push({ messages, page });
  }
  return all;
}

scene(`${TABS} tabs with different runs all get their turns`, async (stage) => {
  const panel = await stage.panel(await stage.model((turn) => `Answer ${turn}.`));
  const all = await begin(stage, panel, await stage.context(panel), TABS);
  let answers = TABS;
  for (const turn of [2, 3]) {
    for (const one of all) {
      one.messages.push({ role: "user", content: "More." });
      one.messages.push((await talk(panel, one.messages)).choices[0].message);
    }
    for (const { page } of all) {
      await shows(page, turn);
      await says(page, "reply-text", `Answer ${(answers += 1)}.`);
    }
  }
});

scene("a hidden tab among many learns of a question that waits for the person", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const panel = await stage.panel(model);
  const context = await stage.context(panel);
  await begin(stage, panel, context, TABS - 1);
  model.goOn(null);
  await stage.franz("run", "--no-open", "--run-dir", "asks", "--upstream", model.address, "--dashboard", "127.0.0.1:0", "--gate", "ask");
  await context.addInitScript(() => Object.defineProperty(document, "hidden", { get: () => true }));
  const page = await openRun(stage, panel, context, "asks");
  await waits(page, 1);
  await model.say("```python\ndrag(5, 6, 7, 8)\n```");
  await says(page, "question-text", "drag(5, 6, 7, 8)");
});

scene("the messages of a conversation stay folded when its turn is fetched again", async (stage) => {
  const panel = await stage.panel(await stage.model((turn) => `Answer ${turn}.`));
  const [{ page, messages }] = await begin(stage, panel, await stage.context(panel), 1);
  await talk(panel, [...messages, { role: "user", content: "More." }]);
  await shows(page, 2);
  const first = page.locator("#messages details").first();
  await first.locator("summary").click();
  assert.equal(await first.getAttribute("open"), null);
  await answered(page, "**/api/exchanges/2", () => fetchAgain(page));
  assert.equal(await first.getAttribute("open"), null);
  assert.equal(await page.locator("#messages details").count(), 4);
});

scene("conversations are listed and can be chosen with mouse and keys, even on a phone", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const franz = await stage.panel(model);
  const page = await stage.open(franz);
  assert.ok(await page.locator("#runs-open").isHidden(), "there is nothing to switch between");
  const client = new Client(franz.relay);
  await client.ask("");
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await shows(page, 1);
  await says(page, "reply-text", "Answer 1.");

  const opening = [{ role: "system", content: "s" }, { role: "user", content: "Paint <b>me</b> \u202egnihtemos." }];
  await talk(franz, opening);
  // The answer arrives before the panel has recorded it.
  await page.waitForFunction(() => fetch("/run/0002/api/state").then(async (answer) => answer.ok && (await answer.json()).turns.last === 1));
  await talk(franz, [...opening, { role: "assistant", content: "Answer 2." }, { role: "user", content: "More." }]);
  await says(page, "runs-count", "2");
  await shows(page, 1);
  await says(page, "reply-text", "Answer 1.");

  await page.keyboard.press("r");
  const links = page.locator("#runs-list a");
  await links.nth(1).waitFor();
  // The list is updated while it is open.
  await links.nth(0).filter({ hasText: "2 turns" }).waitFor();
  assert.deepEqual(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href"))), ["/run/0002/", "/run/0001/"]);
  assert.equal(await page.locator("#runs-list [aria-current]").getAttribute("href"), "/run/0001/");
  assert.match(await links.nth(0).innerText(), /2 turns/);
  assert.match(await links.nth(0).innerText(), /<b>me<\/b>/);
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}runs.png` });
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === "/run/0002/");
  await shows(page, 2);
  await says(page, "reply-text", "Answer 3.");
  // There is no picture, so its room is for the messages.
  await says(page, "messages", /Paint <b>me<\/b> ‹202E›gnihtemos\.[^]*Answer 2\.[^]*More\./);
  await page.waitForFunction((names) => [...document.querySelectorAll("#messages summary b")].map((name) => name.textContent).join() === names, "system,user,assistant,user");
  await page.goto(`${franz.address}/run/0001/`);
  await says(page, "reply-text", "Answer 1.");

  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator("#runs-open").click();
  await links.nth(1).waitFor();
  const box = await links.nth(0).boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.height >= 44, JSON.stringify(box));
  await page.screenshot({ path: `${PICTURES}runs-phone.png` });
  await links.nth(0).click();
  await page.waitForURL((url) => url.pathname === "/run/0002/");
  await shows(page, 2);

  // Each conversation has its own events, so a turn of the other one changes nothing here.
  await client.ask("Answer 1.");
  await says(page, "range", /^of 2$/);
});

scene("a standing panel without runs says how to begin, and its line works", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const franz = await stage.panel(model);
  const page = await stage.open(franz);
  await says(page, "status-words", "No run is live");
  const start = page.locator("#start");
  await start.getByText('franz run "Draw a house"', { exact: true }).waitFor();
  const line = await start.getByText(/^OPENAI_BASE_URL=/).innerText();
  for (const [width, height] of [[390, 844], [1440, 900]])
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const { x, width: wide } = await start.boundingBox();
      assert.ok(x >= 0 && x + wide <= width, "nothing is cut");
      await page.screenshot({ path: `${PICTURES}standing-empty-${colorScheme}-${width}.png` });
    }
  await page.evaluate(() => {
    window.copies = [];
    navigator.clipboard.writeText = async (text) => window.copies.push(text);
  });
  for (const button of await start.getByRole("button", { name: "Copy" }).all()) await button.click();
  const copies = await page.waitForFunction(() => window.copies.length === 2 && window.copies);
  assert.deepEqual(await copies.jsonValue(), ['franz run "Draw a house"', line]);
  const base = line.slice("OPENAI_BASE_URL=".length);
  assert.equal(base, `${franz.relay}/v1`);
  await fetch(`${base}/chat/completions`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ model: "stage-model", messages: [{ role: "user", content: "Hello." }] }) });
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await says(page, "reply-text", "Answer 1.");
  assert.ok(await start.isHidden());
});

scene("the chosen run stays chosen while the list is fetched again", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const franz = await stage.panel(model);
  const page = await stage.open(franz);
  const asks = (words) => talk(franz, [{ role: "system", content: "s" }, { role: "user", content: words }]);
  await asks("One.");
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await asks("Two.");
  await says(page, "runs-count", "2");
  await page.keyboard.press("r");
  await page.locator("#runs-list a:focus[href='/run/0001/']").waitFor();
  let [begun, fetched] = [];
  const [fetching, fetches] = [new Promise((done) => (begun = done)), new Promise((done) => (fetched = done))];
  await page.route("**/api/runs", async (route) => {
    begun();
    await fetches;
    await route.continue();
  });
  await asks("Three.");
  await fetching;
  await page.keyboard.press("ArrowUp");
  fetched();
  await page.locator("#runs-list a").nth(2).waitFor();
  assert.equal(await page.locator("#runs-list a:focus").getAttribute("href"), "/run/0002/");

  await page.unroute("**/api/runs");
  await page.getByRole("button", { name: "Compare with 0003" }).focus();
  await asks("Four.");
  await page.locator("#runs-list a").nth(3).waitFor();
  await page.locator("#runs-list button[aria-label='Compare with 0003']:focus").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#runs").waitFor({ state: "hidden" });
  const arrived = new Promise((done) => (fetched = done));
  await page.route("**/api/runs", async (route) => {
    await arrived;
    await route.continue();
  });
  await page.keyboard.press("r");
  await page.getByLabel("Search runs").fill("000");
  fetched();
  await page.locator("#runs-list a").nth(3).waitFor();
  await page.locator("#runs-filter:focus").waitFor();
});

scene("the list of runs is fetched once at a time, and once more if it has changed meanwhile", async (stage) => {
  const franz = await stage.panel(await stage.model((turn) => `Answer ${turn}.`));
  const page = await stage.open(franz);
  const asks = (words) => talk(franz, [{ role: "system", content: "s" }, { role: "user", content: words }]);
  await asks("One.");
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await says(page, "runs-count", "1");
  let [asked, open, most] = [0, 0, 0];
  let release;
  const released = new Promise((done) => (release = done));
  await page.route("**/api/runs", async (route) => {
    asked += 1;
    open += 1;
    most = Math.max(most, open);
    await released;
    open -= 1;
    await route.continue();
  });
  await page.keyboard.press("r");
  while (!asked) await new Promise((next) => setImmediate(next));
  await asks("Two.");
  await says(page, "runs-count", "2");
  release();
  await page.locator("#runs-list a").nth(1).waitFor();
  while (asked < 2) await new Promise((next) => setImmediate(next));
  assert.equal(most, 1);
  await page.locator("#runs-list a:focus[href='/run/0001/']").waitFor();
});

scene("a list of runs that is opened again at once keeps what was typed into its filter", async (stage) => {
  const panel = await stage.panel(await stage.model((turn) => `Answer ${turn}.`));
  const [{ page }] = await begin(stage, panel, await stage.context(panel), 1);
  await page.locator("#runs-open").click();
  await page.getByLabel("Search runs").fill("000");
  const typed = await page.evaluate(async () => {
    const dialog = document.querySelector("dialog[open]");
    const closed = new Promise((done) => dialog.addEventListener("close", done, { once: true }));
    dialog.close();
    document.getElementById("runs-open").click();
    await closed;
    return document.getElementById("runs-filter").value;
  });
  assert.equal(typed, "000");
  await page.locator("#runs-list a").waitFor();
});

scene("a link to another run leads there, even if the list of runs comes late", async (stage) => {
  const panel = await stage.panel(await stage.model((turn) => `Answer ${turn}.`));
  for (const words of ["One.", "Two."]) await talk(panel, [{ role: "system", content: "s" }, { role: "user", content: words }]);
  const context = await stage.context(panel);
  let release;
  const released = new Promise((done) => (release = done));
  await context.route("**/api/runs", async (route) => {
    await released;
    await route.continue();
  });
  const page = await stage.open({ link: `${panel.link.replace("/?", "/run/0001/?")}#0002/1`, clients: () => panel.clients() }, { context });
  await page.waitForURL((url) => url.hash === "#0001/1");
  release();
  await page.waitForURL((url) => url.pathname === "/run/0002/");
  await says(page, "reply-text", "Answer 2.");
});

scene("on a phone, the name of a run is on one line, above its state, and a panel of ended runs says that none is live", async (stage) => {
  const name = "run_20260101_000002";
  record(stage.path("runs", name), 3);
  const panel = await stage.panel(await stage.model((turn) => `Answer ${turn}.`));
  const page = await stage.open(panel, { viewport: { width: 390, height: 844 } });
  await says(page, "runs-count", "1");
  await says(page, "status-words", "No run is live");
  await page.locator("#start").getByText("Start a run:").waitFor();
  await page.locator("#runs-open").click();
  const row = page.locator("#runs-list a");
  await row.getByText(name, { exact: true }).waitFor();
  const [heading, state] = await row.locator("b, i").evaluateAll((all) =>
    all.map((part) => {
      const words = document.createRange();
      words.selectNodeContents(part);
      const { top, bottom } = words.getBoundingClientRect();
      return { top, bottom, lines: new Set([...words.getClientRects()].map((line) => line.top)).size };
    }),
  );
  assert.equal(heading.lines, 1);
  assert.ok(state.top >= heading.bottom, JSON.stringify({ heading, state }));
});

scene("the page of a standing panel lists the runs of other processes, pauses them all, and decides for each", async (stage) => {
  const model = await stage.model(() => "```python\nleft_click(100, 200)\n```");
  const panel = await stage.panel(model);
  const page = await stage.open(panel);
  const start = (name, ...more) =>
    stage.franz(
      ...["run", "--no-open", "--run-dir", name, "--upstream", model.address, "--dashboard", "127.0.0.1:0"],
      ...["--set", "loop.executing_delay_s=0.3", "--set", "loop.patience=0", ...more],
    );
  await start("first");
  await page.waitForURL((url) => url.pathname === "/run/first/");
  await says(page, "status-words", RUNNING);
  await says(page, "runs-count", "1");

  const other = await start("other", "--gate", "ask");
  await page.waitForFunction(() => document.title.startsWith("(1) "));
  await page.keyboard.press("r");
  const links = page.locator("#runs-list a");
  await links.nth(1).waitFor();
  assert.deepEqual(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href"))), ["/run/other/", "/run/first/"]);
  assert.match(await links.nth(0).innerText(), /waiting for you/);
  assert.equal(await page.locator("#runs-list [aria-current]").getAttribute("href"), "/run/first/");
  // Each run has its newest picture, from its own dashboard.
  const shots = page.locator("#runs-list .shot img");
  await shots.nth(1).waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll("#runs-list .shot img")].every(({ naturalWidth }) => naturalWidth > 0));
  assert.deepEqual(await shots.evaluateAll((all) => all.map(({ src }) => new URL(src).pathname.replace(/\w+$/, "…"))), ["/run/other/thumb/…", "/run/first/thumb/…"]);
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}runs-standing.png` });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.screenshot({ path: `${PICTURES}runs-standing-dark.png` });
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByLabel("Search runs").fill("OTH");
  await links.nth(1).waitFor({ state: "hidden" });
  assert.ok(await links.nth(0).isVisible());
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator("#runs-list a:focus").getAttribute("href"), "/run/other/");
  await page.getByLabel("Search runs").fill("");
  await links.nth(1).waitFor();
  const late = await stage.open(panel, { context: page.context() });
  await late.waitForURL((url) => url.pathname === "/run/other/");
  await late.setViewportSize({ width: 390, height: 844 });
  await late.locator("#runs-open").click();
  await late.locator("#runs-list a").nth(1).waitFor();
  await late.screenshot({ path: `${PICTURES}runs-standing-phone.png` });
  await late.close();
  await page.locator("#runs-pause").click();
  await says(page, "status-words", /^Paus/);

  await links.nth(0).click();
  await page.waitForURL((url) => url.pathname === "/run/other/");
  await page.locator("#approve").click();
  await page.waitForFunction(() => !document.title.startsWith("("));
  assert.equal((await other.fetch("/api/control", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"do":"stop"}' })).status, 200);
  // The run's process is gone; its page says how it ended, and shows what it recorded.
  await other.ended;
  await says(page, "status-words", "Ended: stopped");
  await says(page, "banner-text", /^The run has ended: stopped\. View it again/);
  await says(page, "state", "Ended");
  await says(page, "reply-text", /left_click/);
});

scene("the page of an ended run shows that it is resumed, and learns of runs that begin", async (stage) => {
  const model = await stage.model(() => "```python\nleft_click(100, 200)\n```");
  const panel = await stage.panel(model);
  const page = await stage.open(panel);
  const start = (...words) => stage.franz("run", "--no-open", "--upstream", model.address, "--dashboard", "127.0.0.1:0", "--set", "loop.executing_delay_s=0.3", "--set", "loop.patience=0", ...words);
  const first = await start("--run-dir", "first");
  await page.waitForURL((url) => url.pathname === "/run/first/");
  await says(page, "status-words", RUNNING);
  await first.fetch("/api/control", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"do":"stop"}' });
  await first.ended;
  await says(page, "status-words", "Ended: stopped");
  await page.reload();
  await says(page, "status-words", "Ended: stopped");
  await says(page, "runs-count", "1");
  await page.keyboard.press("r");
  await page.locator("#runs-list a span[dir]", { hasText: /^stopped/ }).waitFor();
  await page.keyboard.press("Escape");
  await start("--run-dir", "other");
  await says(page, "runs-count", "2");
  await start("--resume", "first");
  await says(page, "status-words", RUNNING);
  assert.equal(new URL(page.url()).pathname, "/run/first/");
});

scene("the page of a standing panel also lists earlier runs, and says why one cannot be shown", async (stage) => {
  record(stage.path("runs", "run_20260101_000002"), 3);
  record(stage.path("runs", "run_20260101_000003"), 2, { change: (line) => Object.assign(line, { v: 99 }) && undefined });
  mkdirSync(stage.path("runs", "run_20260101_000004"), { recursive: true });
  writeFileSync(stage.path("runs", "run_20260101_000004", "state.json"), "{not json");
  mkdirSync(stage.path("runs", "notes"), { recursive: true });
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const page = await stage.open(await stage.panel(model));
  await says(page, "runs-count", "4");
  await page.keyboard.press("r");
  const rows = page.locator("#runs-list li");
  await rows.nth(3).waitFor();
  assert.equal(await page.locator("#runs-list a").count(), 1);
  const texts = await page.locator("#runs-list .unreadable").allInnerTexts();
  const of = (name) => texts.find((text) => text.startsWith(name)) ?? texts.join();
  assert.match(of("run_20260101_000003"), /a newer FRANZ recorded it \(version 99/);
  assert.match(of("run_20260101_000004"), /state\.json is damaged/);
  assert.match(of("notes"), /contains no run/);
  await page.screenshot({ path: `${PICTURES}runs-earlier.png` });
  assert.match(await rows.nth(0).innerText(), /ended, 3 turns, 1 Jan/);
  await page.locator("#runs-list a").click();
  await page.waitForURL((url) => url.pathname === "/run/run_20260101_000002/");
  await shows(page, 3);
  await says(page, "status-words", "Ended");
  await says(page, "reply-text", "This is the reply of turn 3.");
});

scene("another program's request that is held back shows as waiting until it may pass", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const panel = await stage.panel(model);
  const page = await stage.open(panel);
  const client = new Client(panel.relay);
  await client.ask("");
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await shows(page, 1);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await says(page, "status-words", "Paused: its requests are held");
  const asking = client.ask("Answer 1.");
  await says(page, "status-words", "Paused: 1 request waiting");
  assert.equal(model.requests.length, 1);
  await page.getByRole("button", { name: "Resume" }).click();
  await asking;
  await shows(page, 2);
  await says(page, "status-words", "Running");
});

scene("a list of runs that could not be fetched is fetched again", async (stage) => {
  record(stage.path("run"), 3);
  const franz = await stage.replay();
  const context = await stage.context(franz);
  await context.route("**/api/state", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), others: { live: 0, waiting: 0, change: 1 } } });
  });
  const run = { name: "other", live: false, waits: false, since: 0, state: "stopped", turn: 1 };
  let lost = true;
  await context.route("**/api/panel", (route) => (lost ? route.abort() : route.fulfill({ json: { runs: [run], conversations: 0 } })));
  const failed = context.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/panel"));
  const page = await stage.open(franz, { context });
  await failed;
  assert.ok(await page.locator("#runs-open").isHidden());
  lost = false;
  // As the browser does when the network comes back.
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await says(page, "runs-count", "1");
});
