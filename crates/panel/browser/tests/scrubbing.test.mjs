// Moving quickly through the turns with the slider.

import assert from "node:assert/strict";
import { test } from "node:test";

import { newest } from "../../assets/pace.js";
import { box, says, shows, until } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const PICTURES = process.env.BROWSER_PICTURES;
const TURNS = 60;
/** How many turns to scrub through. A measurement needs many. */
const MEASURED = process.env.BROWSER_MEASURES ? 1000 : 100;
/** How long the slider has to rest. No other timer of a page that is scrubbed waits for as long. */
const REST_MS = 150;

/** Lets the slider rest only when the test calls `rest()` in the page, so that no machine is too slow to scrub. */
const neverRests = (context) =>
  context.addInitScript((ms) => {
    const { setTimeout, clearTimeout } = window;
    let resting = null;
    window.setTimeout = (work, wait, ...more) => (wait === ms ? ((resting = work), -1) : setTimeout(work, wait, ...more));
    window.clearTimeout = (timer) => (timer === -1 ? (resting = null) : clearTimeout(timer));
    window.rest = () => resting();
  }, REST_MS);

/** Waits until the picture is the thumbnail of the turn at which the slider is, and returns that turn. */
async function passes(page) {
  const passed = await page.waitForFunction(() => {
    const [image, { value }] = [document.querySelector("#sheet img"), document.getElementById("scrubber")];
    const isThere = document.getElementById("picture-title").textContent === `Turn ${value}` && image?.alt === `Screenshot of turn ${value}`;
    return isThere && image.naturalWidth === 320 && new URL(image.src).pathname.startsWith("/thumb/") && Number(value);
  });
  return passed.jsonValue();
}

scene("the picture is the thumbnail of each turn that the slider passes, and the full picture follows at rest", async (stage) => {
  record(stage.path("run"), TURNS);
  const franz = await stage.replay();
  const context = await stage.context(franz);
  await neverRests(context);
  const page = await stage.open(franz, { context });
  await shows(page, TURNS);
  // The picture before the last one is fetched ahead, and once more if the browser has already dropped it.
  await until(page, () => new Set(performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.includes("/blob/"))).size === 2);
  const fetched = [];
  page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  const sheet = await box(page, "#sheet");
  const { x, y, width, height } = await box(page, "#scrubber");
  const move = (share) => page.mouse.move(x + width * share, y + height / 2);
  await move(0.98);
  await page.mouse.down();
  const passed = [];
  for (const share of [0.9, 0.7, 0.75, 0.3, 0.1, 0.2]) {
    await move(share);
    passed.push(await passes(page));
    assert.deepEqual(await box(page, "#sheet"), sheet, "nothing moves");
    await page.locator("#peek").waitFor({ state: "hidden" });
  }
  assert.equal(new Set(passed).size, 6, `${passed}`);
  await says(page, "reply-text", `the reply of turn ${TURNS}.`);
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/scrubbing-1366.png` });
  await page.mouse.up();
  const full = fetched.filter((path) => path.startsWith("/blob/") || passed.some((turn) => path === `/api/turns/${turn}`));
  assert.deepEqual(full, [], "nothing is fetched in full");
  await page.evaluate(() => window.rest());
  const last = passed.at(-1);
  await shows(page, last);
  await until(page, () => document.querySelector("#sheet img")?.src.includes("/blob/"));
  assert.equal(await page.locator("#sheet img").getAttribute("alt"), `Screenshot of turn ${last}`);
  assert.deepEqual(await box(page, "#sheet"), sheet);
  await says(page, "reply-text", `the reply of turn ${last}.`);
  for (const turn of [last - 1, last + 1]) await page.locator(`#film [data-turn="${turn}"] img`).waitFor();

  // Back to the same turn: its full picture comes back, too.
  await page.locator("#scrubber").press("ArrowRight");
  await passes(page);
  await page.locator("#scrubber").press("ArrowLeft");
  await passes(page);
  await page.evaluate(() => window.rest());
  await until(page, () => document.querySelector("#sheet img")?.src.includes("/blob/"));
  await shows(page, last);
});

scene("a turn without a picture says so while the slider passes it", async (stage) => {
  record(stage.path("run"), 3, { pictures: 2 });
  const franz = await stage.replay();
  const context = await stage.context(franz);
  await neverRests(context);
  const page = await stage.open(franz, { context });
  await shows(page, 3);
  await page.locator("#scrubber").press("ArrowLeft");
  assert.equal(await passes(page), 2);
  await page.locator("#scrubber").press("ArrowRight");
  await says(page, "picture-note", "This turn has no picture.");
  assert.equal(await page.locator("#sheet img").count(), 0);
});

test("only the newest value is worked on, and none takes the place of a newer one", async () => {
  const [begun, used] = [[], []];
  const ends = new Map();
  const pass = newest(
    (value) => {
      begun.push(value);
      return new Promise((done, failed) => ends.set(value, { done, failed }));
    },
    (value, result) => used.push([value, result]),
    2,
  );
  const turn = () => new Promise((next) => setImmediate(next));
  for (const value of [1, 2, 3, 4, 5]) pass(value);
  assert.deepEqual(begun, [1, 2]);
  ends.get(2).done("two");
  await turn();
  assert.deepEqual(begun, [1, 2, 5], "3 and 4 are out of date");
  ends.get(1).done("one");
  await turn();
  ends.get(5).failed(new Error("gone"));
  await turn();
  assert.deepEqual(used, [[2, "two"], [5, null]]);
});

scene(`${MEASURED} turns: the slider is moved to the first one, and rests here and there`, async (stage) => {
  record(stage.path("run"), MEASURED, { large: true, verdicts: false });
  const page = await stage.open(await stage.replay());
  await shows(page, MEASURED);
  await until(page, () => [...document.querySelectorAll("#film img")].every(({ complete }) => complete));
  const measured = await page.evaluate(async (turns) => {
    const [layers, scrubber] = ["layers", "scrubber"].map((id) => document.getElementById(id));
    const seen = new Set();
    let onPicture = () => {};
    new MutationObserver(() => onPicture(layers.querySelector("img"))).observe(layers, { childList: true });
    const to = (turn) => {
      scrubber.value = turn;
      scrubber.dispatchEvent(new Event("input"));
    };
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    onPicture = (image) => seen.add(image?.alt);
    const began = performance.now();
    // Every third turn, so that each frame asks for another one.
    for (let turn = turns; turn >= 1; turn -= 3) {
      to(turn);
      await frame();
    }
    const took = performance.now() - began;
    const rests = [];
    for (let times = 0; times < 5; times += 1) {
      const came = new Promise((done) => (onPicture = (image) => image?.src.includes("/blob/") && done(performance.now())));
      to(Math.round(turns * (0.1 + times * 0.15)));
      const rested = performance.now();
      rests.push(Math.round((await came) - rested));
    }
    return { rate: Math.round((seen.size * 1000) / took), rests: rests.sort((a, b) => a - b) };
  }, MEASURED);
  stage.say(`scrubbing, thumbnails a second: ${measured.rate}`);
  stage.say(`full picture after rest, ms: ${measured.rests.join(", ")}`);
  await shows(page, Math.round(MEASURED * 0.7));
});
