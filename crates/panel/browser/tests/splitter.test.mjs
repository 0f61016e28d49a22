// The bars between the panes.

import assert from "node:assert/strict";

import { box, until } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const place = (page, id) => page.locator(id).getAttribute("aria-valuenow").then(Number);

async function recorded(stage) {
  record(stage.path("run"), 3);
  return stage.open(await stage.replay());
}

for (const [id, axis, orientation, less, more, start, first] of [
  ["#split-x", "x", "vertical", "ArrowLeft", "ArrowRight", 64, "#picture"],
  ["#split-y", "y", "horizontal", "ArrowUp", "ArrowDown", 62, "#texts"],
]) {
  scene(`the ${orientation} bar is a separator that the mouse moves, and stays between 15 and 85`, async (stage) => {
    const page = await recorded(stage);
    const bar = page.locator(id);
    assert.equal(await bar.getAttribute("role"), "separator");
    assert.equal(await bar.getAttribute("aria-orientation"), orientation);
    assert.deepEqual([await bar.getAttribute("aria-valuemin"), await bar.getAttribute("aria-valuemax"), await place(page, id)], ["15", "85", start]);
    const whole = await box(page, axis === "x" ? "main" : "#side");
    const length = axis === "x" ? whole.width : whole.height;
    for (const [to, expected] of [[0.3, 30], [0.7, 70], [0, 15], [0.99, 85], [0.4, 40]]) {
      const { x, y, width, height } = await box(page, id);
      await page.mouse.move(x + width / 2 + (axis === "y" ? 40 : 0), y + height / 2 + (axis === "x" ? 40 : 0));
      await page.mouse.down();
      if (axis === "x") await page.mouse.move(whole.x + length * to, whole.y + 60, { steps: 4 });
      else await page.mouse.move(whole.x + 60, whole.y + length * to, { steps: 4 });
      await page.mouse.up();
      assert.ok(Math.abs((await place(page, id)) - expected) <= 1, `${await place(page, id)} is not ${expected}`);
    }
    const story = await box(page, first);
    const share = (axis === "x" ? story.width / whole.width : story.height / whole.height) * 100;
    assert.ok(Math.abs(share - 40) < 3, `the first pane takes up ${share} %`);
    await page.mouse.move(whole.x + 5, whole.y + 5);
    assert.ok(Math.abs((await place(page, id)) - 40) <= 1, "a bar stays where it was released");
  });

  scene(`the ${orientation} bar is moved with keys, and its position is remembered`, async (stage) => {
    const page = await recorded(stage);
    const bar = page.locator(id);
    await bar.focus();
    for (const [key, expected] of [["Enter", start], [more, start + 2], [less, start], [`Shift+${less}`, start - 10], ["Home", 15], [less, 15], ["End", 85], [more, 85], ["Enter", start], [`Shift+${less}`, start - 10]]) {
      await bar.press(key);
      assert.equal(await place(page, id), expected, key);
    }
    await page.reload();
    await until(page, ({ id, place }) => document.querySelector(id)?.getAttribute("aria-valuenow") === String(place), { id, place: start - 10 });
    await bar.dblclick({ position: axis === "x" ? { x: 4, y: 40 } : { x: 40, y: 4 } });
    assert.equal(await place(page, id), start);
  });
}
