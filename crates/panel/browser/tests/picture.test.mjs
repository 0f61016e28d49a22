// The picture that the model saw.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { box, says, shows, until } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const WIDTH = 512;

async function recorded(stage) {
  record(stage.path("run"), 5);
  const page = await stage.open(await stage.replay());
  await shows(page, 5);
  await page.locator("#sheet img").waitFor();
  return page;
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
const source = (page, which = 0) => page.locator("#sheet img").nth(which).getAttribute("src");
const width = async (page) => Math.round((await box(page, "#sheet")).width);
const blob = (stage, file) => `/blob/${createHash("sha256").update(readFileSync(stage.path("run", file))).digest("hex")}`;

scene("the picture is fitted, or shown at actual size, enlarged and reduced", async (stage) => {
  const page = await recorded(stage);
  const stageBox = await box(page, "#stage");
  const fitted = await width(page);
  assert.ok(fitted <= stageBox.width && fitted > 100, `${fitted} of ${stageBox.width}`);
  assert.equal(await button(page, "Fit").getAttribute("aria-pressed"), "true");
  await button(page, "1:1").click();
  assert.equal(await width(page), WIDTH);
  await says(page, "zoom", "100%");
  for (const [act, factor] of [
    [() => button(page, "Zoom in").click(), 1.25],
    [() => page.keyboard.press("-"), 1],
    [() => page.keyboard.press("+"), 1.25],
    [() => page.keyboard.press("="), 1.5625],
    [() => button(page, "Zoom out").click(), 1.25],
    [() => page.keyboard.press("z"), 1],
  ]) {
    await act();
    await says(page, "zoom", `${Math.round(factor * 100)}%`);
    assert.equal(await width(page), WIDTH * factor);
  }
  await page.keyboard.press("0");
  assert.equal(await width(page), fitted);
  await page.mouse.move(stageBox.x + 200, stageBox.y + 100);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  await until(page, (fitted) => document.getElementById("sheet").offsetWidth > fitted + 5, fitted);
});

scene("a picture that does not fit is moved by dragging", async (stage) => {
  const page = await recorded(stage);
  await button(page, "1:1").click();
  for (let times = 0; times < 5; times += 1) await button(page, "Zoom in").click();
  const before = await page.evaluate(() => [document.getElementById("stage").scrollLeft, document.getElementById("stage").scrollTop]);
  const { x, y, width, height } = await box(page, "#stage");
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 - 60, y + height / 2 - 40, { steps: 3 });
  await page.mouse.up();
  const moved = await page.evaluate(() => [document.getElementById("stage").scrollLeft, document.getElementById("stage").scrollTop]);
  assert.deepEqual([moved[0] - before[0], moved[1] - before[1]], [60, 40]);
});

scene("marks are shown or hidden, and the full-size picture opens in a new tab", async (stage) => {
  const page = await recorded(stage);
  const marks = button(page, "Marks");
  const [marked, plain] = [blob(stage, "turn_0005.png"), blob(stage, "turn_0005.plain.png")];
  assert.equal(await source(page), marked);
  await marks.click();
  await until(page, (plain) => document.querySelector("#sheet img")?.getAttribute("src") === plain, plain);
  assert.equal(await marks.getAttribute("aria-pressed"), "false");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 4);
  await until(page, (plain) => document.querySelector("#sheet img")?.getAttribute("src") === plain, blob(stage, "turn_0004.plain.png"));
  await page.keyboard.press("m");
  await until(page, (marked) => document.querySelector("#sheet img")?.getAttribute("src") === marked, blob(stage, "turn_0004.png"));
  const [tab] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "Full size" }).click()]);
  await tab.waitForLoadState();
  assert.equal(new URL(tab.url()).pathname, blob(stage, "turn_0004.png"));
  assert.equal(await tab.evaluate(() => document.images[0].naturalWidth), WIDTH);
});

scene("a turn is compared with the previous one or any other", async (stage) => {
  const page = await recorded(stage);
  await page.keyboard.press("b");
  assert.equal(await button(page, "Compare").getAttribute("aria-pressed"), "true");
  await until(page, () => document.querySelectorAll("#sheet img").length === 2);
  assert.deepEqual([await source(page, 0), await source(page, 1)], [blob(stage, "turn_0005.png"), blob(stage, "turn_0004.png")]);
  const clip = () => page.locator("#sheet img").nth(1).evaluate((image) => getComputedStyle(image).clipPath);
  const wipe = page.getByRole("slider", { name: "Before and after" });
  assert.match(await clip(), /50%/);
  await wipe.press("Home");
  assert.match(await clip(), /100%/);
  await wipe.press("ArrowRight");
  assert.match(await clip(), /99%/);
  await page.locator("#before").fill("2");
  await page.keyboard.press("Enter");
  await until(page, (other) => document.querySelectorAll("#sheet img")[1]?.getAttribute("src") === other, blob(stage, "turn_0002.png"));
  await button(page, "Compare").click();
  await until(page, () => document.querySelectorAll("#sheet img").length === 1);
});

const pointed = (target, place) => ({ action: `left_click(target="${target}")`, outcome: "done", why: null, found: { action: place, model: "ui-tars", said: "", ms: 9 } });

scene("a ring shows where a target was found, over the picture that the grounder saw", async (stage) => {
  const acted = [pointed("Save", "left_click(250, 62.5)"), pointed("Load", "drag(990, 1000, 1, 2)"), pointed("Far", "left_click(5000, 1)"), pointed("None", null)];
  record(stage.path("run"), 3, { change: (line) => void (line.acted = line.turn === 3 ? acted : []) });
  const page = await stage.open(await stage.replay(), { viewport: { width: 390, height: 844 } });
  await shows(page, 3);
  const rings = page.locator(".ring");
  assert.equal(await rings.count(), 0);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 2);
  await until(page, () => document.querySelectorAll(".ring").length === 2);
  const [save, load] = [page.getByRole("img", { name: 'left_click(target="Save"), found by ui-tars' }), rings.last()];
  const sheet = await box(page, "#sheet");
  const ring = await save.boundingBox();
  const middle = [ring.x + ring.width / 2 - sheet.x, ring.y + ring.height / 2 - sheet.y];
  assert.ok(Math.abs(middle[0] - sheet.width / 4) < 1 && Math.abs(middle[1] - sheet.height / 16) < 1, `${middle} of ${sheet.width}x${sheet.height}`);

  for (const [i, [one, look]] of [
    [save, () => save.hover()],
    [load, () => load.focus()],
  ].entries()) {
    assert.equal(await one.locator("span").isVisible(), false);
    await look();
    // A ring and its label can be made anew between two looks at them.
    const seen = await until(page, (i) => {
      const label = document.querySelectorAll(".ring")[i]?.querySelector("span");
      return label?.checkVisibility() && label.getBoundingClientRect().toJSON();
    }, i);
    const label = await seen.jsonValue();
    assert.ok(label.x >= sheet.x && label.x + label.width <= sheet.x + sheet.width, "the label is cut off at a side");
    assert.ok(label.y >= sheet.y && label.y + label.height <= sheet.y + sheet.height, "the label is cut off at the top or bottom");
  }
  await page.keyboard.press("m");
  await until(page, () => !document.querySelector(".ring"));
  await page.keyboard.press("m");
  await rings.first().waitFor();
  await page.keyboard.press("b");
  await until(page, () => document.querySelectorAll("#sheet img").length === 2 && !document.querySelector(".ring"));
});
