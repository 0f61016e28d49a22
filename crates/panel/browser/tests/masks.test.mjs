// Masks that are drawn over the picture.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { drawing } from "../stage/model.mjs";
import { box, until, waits } from "../stage/page.mjs";
import { scene } from "../stage/stage.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const masks = (stage) => /^mask = (.*)$/m.exec(readFileSync(stage.path("run", "config.toml"), "utf8"))[1];

/** Opens a page that shows the second turn while the model is thinking about it. */
async function opened(stage) {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say(drawing(1));
  await model.asked();
  await waits(page, 2);
  await page.locator("#sheet img").waitFor();
  return page;
}

/** Presses the mouse button at one position and moves to another. Positions are fractions of the picture's size. */
async function pull(page, from, to) {
  const { x, y, width, height } = await box(page, "#sheet");
  await page.mouse.move(x + width * from[0], y + height * from[1]);
  await page.mouse.down();
  await page.mouse.move(x + width * to[0], y + height * to[1], { steps: 4 });
}

const closed = (page) => page.locator("#mask-box").waitFor({ state: "hidden" });

scene("a dragged rectangle becomes a mask, and can be removed again", async (stage) => {
  const page = await opened(stage);
  assert.equal(masks(stage), "[]");
  await button(page, "Mask").click();
  await pull(page, [0.5, 0.75], [0.1, 0.25]);
  await page.mouse.up();
  await closed(page);
  await button(page, "Mask").click();
  const remove = page.getByRole("button", { name: /^Remove \{ area/ });
  await remove.waitFor();
  const area = JSON.parse(/\[\d.*\]/.exec(await remove.textContent())[0]);
  for (const [side, wanted] of area.map((side, i) => [side, [100, 250, 500, 750][i]])) assert.ok(Math.abs(side - wanted) < 5, `${area}`);
  assert.equal(masks(stage), `[{ area = [${area.join(", ")}] }]`);
  await remove.click();
  await remove.waitFor({ state: "detached" });
  await page.locator("#stage:focus").waitFor();
  assert.equal(masks(stage), "[]");
});

scene("an edit that the panel does not answer holds back no later one", async (stage) => {
  const page = await opened(stage);
  await page.evaluate(() => {
    // Time runs out when the test says so.
    const limits = [];
    AbortSignal.timeout = () => {
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    };
    globalThis.timeOut = () => limits.forEach((limit) => limit.abort(new DOMException("too late", "TimeoutError")));
  });
  const asked = page.waitForRequest("**/api/settings");
  await page.route("**/api/settings", () => {}, { times: 1 });
  await button(page, "Mask").click();
  await asked;
  await page.keyboard.press("Enter");
  await closed(page);
  await page.evaluate(() => globalThis.timeOut());
  await button(page, "Mask").click();
  await page.getByRole("button", { name: /^Remove \{ area/ }).waitFor();
  assert.match(masks(stage), /^\[\{ area = /);
});

scene("a click on the picture hides nothing", async (stage) => {
  const page = await opened(stage);
  await button(page, "Mask").click();
  await pull(page, [0.5, 0.5], [0.5, 0.5]);
  await page.mouse.up();
  assert.ok(await page.locator("#mask-box").isVisible());
  await page.keyboard.press("Escape");
  await closed(page);
  await button(page, "Mask").click();
  await pull(page, [0.1, 0.1], [0.3, 0.3]);
  await page.mouse.up();
  await closed(page);
  await button(page, "Mask").click();
  await page.getByRole("button", { name: /^Remove/ }).waitFor();
  assert.equal(masks(stage).match(/area/g).length, 1, "only the dragged rectangle is a mask");
});

scene("a mask is placed with the keyboard, and Escape cancels", async (stage) => {
  const page = await opened(stage);
  await button(page, "Mask").click();
  await page.locator("#mask-box:focus").waitFor();
  for (const key of ["ArrowLeft", "ArrowUp", "Shift+ArrowRight", "Shift+ArrowDown", "Shift+ArrowDown"]) await page.keyboard.press(key);
  let reopen;
  const reopened = new Promise((resolve) => (reopen = resolve));
  await page.route("**/api/settings", (route) => reopened.then(() => route.continue()));
  await page.keyboard.press("Enter");
  await closed(page);
  await button(page, "Mask").click();
  await page.locator("#mask-box:focus").waitFor();
  reopen();
  await page.getByRole("button", { name: /^Remove/ }).waitFor();
  assert.equal(masks(stage), "[{ area = [390, 390, 600, 610] }]");
  await page.keyboard.press("Escape");
  await closed(page);
  await page.locator("#stage:focus").waitFor();
  await button(page, "Mask").click();
  await pull(page, [0.2, 0.2], [0.4, 0.4]);
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await closed(page);
  await button(page, "Mask").click();
  await until(page, () => document.querySelectorAll("#mask-bar button").length === 1);
  assert.equal(masks(stage), "[{ area = [390, 390, 600, 610] }]");
});

scene("two masks are removed by two quick clicks", async (stage) => {
  const page = await opened(stage);
  for (const key of ["ArrowLeft", "ArrowRight"]) {
    await button(page, "Mask").click();
    await page.locator("#mask-box:focus").waitFor();
    await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await closed(page);
  }
  await button(page, "Mask").click();
  const remove = page.getByRole("button", { name: /^Remove/ });
  await remove.nth(1).waitFor();
  let answer;
  const clicked = new Promise((resolve) => (answer = resolve));
  await page.route("**/api/settings", (route) => clicked.then(() => route.continue()));
  for (const mask of [0, 1]) await remove.nth(mask).click();
  answer();
  await until(page, () => !document.querySelector("#mask-bar button"));
  assert.equal(masks(stage), "[]");
});
