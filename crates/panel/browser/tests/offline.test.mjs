// A run in a single file: the dashboard's own page, without a panel.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { says, shows } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const AXE = new URL("../node_modules/axe-core/axe.min.js", import.meta.url).pathname;

/** Exports the run and opens it in a page without a server. */
async function opened(stage, { turns, options = {}, words = [] }) {
  const said = await stage.export("--html", "run.html", ...words);
  const context = await stage.context(null, options);
  await context.setOffline(true);
  const page = await context.newPage();
  await page.goto(pathToFileURL(stage.path("run.html")).href);
  await shows(page, turns);
  return { page, said };
}

/** Returns the colours at these points of the picture on display. */
const colours = (page, points) =>
  page.evaluate(async (points) => {
    const image = document.querySelector("#layers img");
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return points.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3).join());
  }, points);

/** How many frames it may take until a picture is drawn. */
const TRIES = 600;
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));

/** Waits until the turn's picture has these colours. It is drawn after the turn is shown, with or without marks. */
async function hasColours(page, turn, points, wanted) {
  await page.locator(`#layers img[alt="Screenshot of turn ${turn}"]`).waitFor();
  for (let tries = 0; tries < TRIES && String(await colours(page, points)) !== String(wanted); tries += 1) await frame(page);
  assert.deepEqual(await colours(page, points), wanted, `turn ${turn}`);
}

/** Waits until the turn's picture is drawn as it was recorded: a white bar on black and, if it has marks, a red square. */
async function isDrawn(page, turn, marks = true) {
  const bar = (turn * 7) % 492;
  const points = [[bar, 60], [bar + 19, 60], [bar + 20, 60], [0, 0], [220, 120]];
  const isMarked = marks || (bar <= 220 && 220 < bar + 20);
  const red = isMarked ? (marks ? "255,0,0" : "255,255,255") : "0,0,0";
  const wanted = ["255,255,255", "255,255,255", "0,0,0", "0,0,0", red];
  await hasColours(page, turn, points, wanted);
}

scene("an exported run is viewed with keys and sends no requests", async (stage) => {
  record(stage.path("run"), 45);
  const { page, said } = await opened(stage, { turns: 45 });
  assert.match(said, /^wrote run\.html\n$/);
  await says(page, "status-words", "Recorded run");
  await isDrawn(page, 45);
  await says(page, "reply-text", "the reply of turn 45.");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 44);
  await isDrawn(page, 44);
  // Jump between distant turns, past pictures that others are drawn over.
  for (const turn of [1, 20, 21, 33]) {
    await page.keyboard.press("g");
    await page.keyboard.type(String(turn));
    await page.keyboard.press("Enter");
    await shows(page, turn);
    await isDrawn(page, turn);
    await says(page, "feedback-text", `OK: the feedback of turn ${turn}.`);
  }
  await page.keyboard.press("m");
  await page.waitForFunction(() => document.getElementById("marks").getAttribute("aria-pressed") === "false");
  await isDrawn(page, 33, false);
  await says(page, "story-text", "the reply of turn 32.");
  await page.keyboard.press("4");
  await says(page, "request-note", "The request of this turn is not in the file.");
  await page.keyboard.press("4");
  await page.waitForFunction(() => {
    const thumbnails = [...document.querySelectorAll("#film img")];
    return thumbnails.length > 5 && thumbnails.every(({ naturalWidth }) => naturalWidth === 320);
  });
});

scene("an exported run is searched, filtered and played", async (stage) => {
  record(stage.path("run"), 45, { change: (line) => void (line.turn === 9 && (line.errors = ["it broke"])) });
  const { page } = await opened(stage, { turns: 45 });
  await page.keyboard.press("/");
  await page.keyboard.type("THE REPLY OF TURN 7.");
  await page.locator("#hits button").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => ["7", "8"].includes(document.getElementById("number").value));
  await page.locator("#filter").selectOption("failed");
  await shows(page, 9);
  await page.locator("#filter").selectOption("");
  await page.keyboard.press("h");
  await page.locator("#history-rows [data-turn]").first().waitFor();
  assert.equal(await page.locator("a[download]").count(), 0, "there is nothing to save");
  await page.keyboard.press("Escape");
  await page.locator("#speed").selectOption("8");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => Number(document.getElementById("number").value) > 10);
});

scene("an exported run shows a missing picture in grey, and only the chosen turns", async (stage) => {
  record(stage.path("run"), 12);
  writeFileSync(stage.path("run", readdirSync(stage.path("run")).find((name) => name === "turn_0008.png")), "no picture");
  const { page, said } = await opened(stage, { turns: 9, words: ["--turns", "5..9"] });
  assert.match(said, /turn 8: the picture is damaged/);
  await says(page, "range", "5 to 9");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 8);
  await hasColours(page, 8, [[3, 3]], ["96,96,96"]);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 7);
  await isDrawn(page, 7);
  await page.keyboard.press("Home");
  await shows(page, 5);
  assert.equal(await page.locator("#previous").isDisabled(), true);
});

const PHONE = { width: 390, height: 844 };

/** What a person can open in an exported run: the key that opens it, what then appears, and the key that closes it. */
const PARTS = [
  ["", "#sheet img", ""],
  ["h", "#history-rows [data-turn]", "Escape"],
  ["/", "#search[open]", "Escape"],
  ["?", "#help[open]", "Escape"],
  ["d", "#changes-text ins", "d"],
  ["b", "#compare[aria-pressed=true]", "b"],
  ["4", "#request-note", "4"],
  ["1", "#sheet img", "1"],
];

for (const scheme of ["light", "dark"])
  scene(`axe finds nothing wrong with any part of an exported run (${scheme})`, async (stage) => {
    record(stage.path("run"), 30);
    const { page } = await opened(stage, { turns: 30, options: { colorScheme: scheme, bypassCSP: true, reducedMotion: "reduce" } });
    await isDrawn(page, 30);
    await page.addScriptTag({ path: AXE });
    for (const size of [page.viewportSize(), PHONE]) {
      await page.setViewportSize(size);
      for (const [opens, appears, closes] of PARTS) {
        if (opens) await page.keyboard.press(opens);
        await page.locator(appears).first().waitFor();
        const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], preload: false }));
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
        assert.deepEqual(found, [], `${opens || "the page"} at ${size.width}`);
        if (closes) await page.keyboard.press(closes);
      }
    }
  });
