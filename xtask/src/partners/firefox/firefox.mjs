// The dashboard in a real Firefox, over WebDriver BiDi: the main things that a person does, by mouse and keys, and how
// long the first paint takes. Prints a row for each.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import puppeteer from "puppeteer-core";

import { Franz } from "../../../../crates/panel/browser/stage/franz.mjs";
import { drawing, Model } from "../../../../crates/panel/browser/stage/model.mjs";
import { record } from "../../../../crates/panel/browser/stage/recording.mjs";

const PATIENCE_MS = 45_000;
/** The lengths of two recorded runs whose first paints are compared, and how often each is opened. */
const TURNS = [100, 10_000];
const LOADS = 9;

const directory = await mkdtemp(join(tmpdir(), "franz-firefox-"));
const browser = await puppeteer.launch({ browser: "firefox", executablePath: process.env.FIREFOX, headless: true });
const programs = [];
const models = [];
let bad = 0;

async function franz(...words) {
  const program = new Franz(directory, [...words, "--dashboard", "127.0.0.1:0"]);
  programs.push(program);
  await program.ready();
  return program;
}

async function run(name, ...more) {
  const model = await Model.start();
  models.push(model);
  const settings = ["loop.executing_delay_s=0", "loop.patience=0", "loop.rest_s=0"].flatMap((setting) => ["--set", setting]);
  const program = await franz("run", "--no-open", "--run-dir", name, "--upstream", model.address, ...settings, ...more);
  return [program, model];
}

async function open(program, width = 1366, height = 768) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.setViewport({ width, height });
  await page.goto(program.link);
  return page;
}

/** Waits until the element with this ID contains this text. */
const says = (page, id, text) =>
  page.waitForFunction((id, text) => document.getElementById(id)?.textContent.includes(text), {}, id, text);

/** Waits until this turn is displayed. */
const shows = (page, turn) => page.waitForFunction((turn) => document.getElementById("number").value === String(turn), {}, turn);

/** Does one thing, and prints whether it works. */
async function tries(what, act) {
  try {
    await act();
    console.log(`| Firefox | ${what} | works |`);
  } catch (error) {
    bad += 1;
    console.log(`| Firefox | ${what} | ${String(error.message).split("\n")[0]} |`);
  }
}

/** Returns the median. */
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

try {
  console.log(`| ${await browser.version()} | what | result |\n|---|---|---|`);
  const [program, model] = await run("live", "--gate", "ask", "Draw a line");
  const page = await open(program);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));

  await tries("a run is shown, and its picture", async () => {
    await says(page, "status-words", "waiting for the model");
    await page.waitForFunction(() => document.querySelector("#sheet img")?.naturalWidth > 0);
  });
  await tries("a reply appears as it is written", async () => {
    const reply = await model.stream();
    reply.write("I draw ");
    await says(page, "reply-text", "I draw");
    reply.write(`a line.\n\n\`\`\`python\ndrag(10, 10, 500, 500)\n\`\`\``);
    reply.end();
    await says(page, "question", "drag(10, 10, 500, 500)");
  });
  await tries("an action is approved by a key", async () => {
    await page.waitForSelector("#approve:enabled");
    await page.keyboard.press("Enter");
    await shows(page, 2);
  });
  await tries("an action is refused by a click, with words", async () => {
    await model.say(drawing(2));
    await page.waitForSelector("#approve:enabled");
    await page.type("#question-words", "not there");
    await page.click("#refuse");
    assert.match(await model.told(3), /not there/);
  });
  await tries("a message is sent", async () => {
    await page.type("#say-field", "make it red");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.getElementById("say-field").value);
    assert.match(await model.told(4), /make it red/);
  });
  await tries("a run is paused and resumed by a click", async () => {
    await page.click("#pause");
    await says(page, "status-words", "Paus");
    await page.click("#resume");
    await page.waitForFunction(() => !document.getElementById("status-words").textContent.includes("Paus"));
  });
  await tries("the panes fit a phone", async () => {
    await page.setViewport({ width: 390, height: 844 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `the page is ${width} px wide`);
  });
  await tries("a panel that is gone is noticed", async () => {
    await program.kill();
    await says(page, "status-words", "Disconnected");
  });
  await tries("no script failed", async () => assert.deepEqual(errors, []));
  await page.close();

  for (const turns of TURNS) record(join(directory, `recorded_${turns}`), turns, { pictures: 30 });
  const recorded = await franz("replay", join(directory, `recorded_${TURNS[0]}`), "--no-open");
  const replay = await open(recorded);
  await tries("turns are browsed by keys and search", async () => {
    await shows(replay, TURNS[0]);
    await replay.keyboard.press("ArrowLeft");
    await shows(replay, TURNS[0] - 1);
    await replay.keyboard.press("Home");
    await shows(replay, 1);
    await replay.keyboard.press("/");
    await replay.keyboard.type("reply of turn 42");
    await says(replay, "search-note", "hit");
    await replay.keyboard.press("Enter");
    await shows(replay, 42);
  });
  await tries("the timeline is dragged", async () => {
    const { x, y, width, height } = await (await replay.$("#scrubber")).boundingBox();
    await replay.mouse.move(x + width - 2, y + height / 2);
    await replay.mouse.down();
    await replay.mouse.move(x + width / 4, y + height / 2, { steps: 4 });
    await replay.mouse.up();
    await replay.waitForFunction(() => Math.abs(document.getElementById("number").value - 25) < 5);
  });
  await replay.close();
  await tries("an exported run opens from its file", async () => {
    const file = join(directory, "run.html");
    const exported = new Franz(directory, ["export", join(directory, `recorded_${TURNS[0]}`), "--html", file, "--turns", "1..30"]);
    await exported.done();
    const player = await browser.newPage();
    await player.goto(`file://${file}`);
    await player.waitForFunction(() => document.getElementById("number")?.value === "30" && document.querySelector("#sheet img, #sheet canvas"));
    await player.close();
  });

  const paints = {};
  for (const turns of TURNS) {
    const program = await franz("replay", join(directory, `recorded_${turns}`), "--no-open");
    paints[turns] = [];
    for (let load = 0; load < LOADS; load += 1) {
      const page = await open(program);
      await shows(page, turns);
      paints[turns].push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
      await page.close();
    }
  }
  const [few, many] = TURNS.map((turns) => median(paints[turns].slice(1)));
  console.log(`| Firefox | first paint of ${TURNS[0]} and of ${TURNS[1]} turns, median of ${LOADS - 1} | ${few.toFixed(0)} and ${many.toFixed(0)} ms |`);
} finally {
  await browser.close();
  await Promise.all(programs.map((program) => program.end()));
  for (const model of models) model.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
process.exitCode = bad ? 1 : 0;
