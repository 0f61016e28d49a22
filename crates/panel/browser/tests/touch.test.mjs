// Everything that a person does with a finger, on a phone.

import assert from "node:assert/strict";

import { Client } from "../stage/client.mjs";
import { drawing } from "../stage/model.mjs";
import { box, says, shows, until, waits } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const PICTURES = process.env.BROWSER_PICTURES;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const button = (page, name) => page.getByRole("button", { name, exact: true });

/**
 * Moves a finger from one place to another, in CSS pixels, and slowly enough that it does not throw anything. Calls
 * `held` before the finger is lifted, or before the touch ends as `end` says.
 */
async function drag(page, [x, y], [right, bottom], held, end = "touchEnd") {
  const session = await page.context().newCDPSession(page);
  let timestamp = Date.now() / 1000 - 10;
  const touch = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints, timestamp: (timestamp += 1) });
  await touch("touchStart", { x, y });
  for (const part of [0.25, 0.5, 0.75, 1]) await touch("touchMove", { x: x + (right - x) * part, y: y + (bottom - y) * part });
  await held?.();
  await touch(end);
}

/** Checks that nothing makes the page wider than the phone. */
async function fits(page) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.viewport.width, `the page is ${width} px wide`);
}

scene("an action is edited and another one refused, and the model is told something", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model, "--gate", "ask"), PHONE);
  await model.say(drawing(1));
  await page.locator("#approve:enabled").waitFor();
  await fits(page);
  await button(page, "Edit").tap();
  await page.getByLabel("Action", { exact: true }).fill("drag(1, 2, 3, 4)");
  await button(page, "Do this instead").tap();
  await page.locator("#question").waitFor({ state: "hidden" });
  await model.asked();
  assert.match(await model.told(2), /drag\(1, 2, 3, 4\)/);
  await model.say(drawing(2));
  await page.locator("#approve:enabled").waitFor();
  await page.getByLabel("Why not").fill("not there");
  await button(page, "Refuse").tap();
  await page.locator("#question").waitFor({ state: "hidden" });
  assert.match(await model.told(3), /not there/);
  await page.getByLabel("Message", { exact: true }).tap();
  await page.keyboard.type("Use the left half");
  await button(page, "Send").tap();
  assert.match(await model.told(4), /Use the left half/);
});

scene("a mask is drawn with a finger", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model), PHONE);
  await waits(page, 1);
  await button(page, "Mask").tap();
  await page.locator("#mask-box").waitFor();
  await page.locator("#sheet").scrollIntoViewIfNeeded();
  const { x, y, width, height } = await box(page, "#sheet");
  // A touch that the phone takes away, as for a gesture of its own, keeps nothing.
  await drag(page, [x + width * 0.4, y + height * 0.4], [x + width * 0.6, y + height * 0.6], undefined, "touchCancel");
  assert.ok(await page.locator("#mask-box").isVisible());
  await drag(page, [x + width * 0.25, y + height * 0.25], [x + width * 0.75, y + height * 0.75]);
  await page.locator("#mask-box").waitFor({ state: "hidden" });
  await button(page, "Mask").tap();
  const masks = page.locator("#mask-bar button");
  await masks.waitFor();
  const area = (await masks.innerText()).match(/\d+/g).map(Number);
  assert.equal(area.length, 4);
  area.forEach((side, i) => assert.ok(Math.abs(side - [250, 250, 750, 750][i]) < 15, `${area}`));
});

scene("the timeline is scrubbed, and a pane is chosen", async (stage) => {
  record(stage.path("run"), 20);
  const page = await stage.open(await stage.replay(), PHONE);
  await shows(page, 20);
  await fits(page);
  await page.locator("#scrubber").scrollIntoViewIfNeeded();
  const { x, y, width, height } = await box(page, "#scrubber");
  await drag(page, [x + width - 8, y + height / 2], [x + 8, y + height / 2]);
  await shows(page, 1);
  await button(page, "Next turn").tap();
  await shows(page, 2);
  await page.getByRole("tab", { name: "Story" }).tap();
  await says(page, "story-text", "This is the reply of turn 1.");
});

scene("a turn is opened from the history", async (stage) => {
  record(stage.path("run"), 20);
  const page = await stage.open(await stage.replay(), PHONE);
  await shows(page, 20);
  await page.locator("#menu-open").tap();
  await page.locator("#history-open").tap();
  const row = page.locator('#history-rows [data-turn="19"]');
  await row.locator("img").waitFor({ state: "attached" });
  await row.getByRole("button", { name: "Turn 19", exact: true }).tap();
  await page.locator("#history").waitFor({ state: "hidden" });
  await shows(page, 19);
});

scene("the picture of the turn is above the finger that scrubs", async (stage) => {
  record(stage.path("run"), 20);
  const page = await stage.open(await stage.replay(), PHONE);
  await shows(page, 20);
  await page.locator("#scrubber").scrollIntoViewIfNeeded();
  const { x, y, width, height } = await box(page, "#scrubber");
  const peek = page.locator("#peek");
  // What happened in a turn is part of its label, once it is known.
  await page.locator('#film [aria-label*=","]').first().waitFor({ state: "attached" });
  await drag(page, [x + width - 8, y + height / 2], [x + width / 2, y + height / 2], async () => {
    const turn = await page.locator("#scrubber").inputValue();
    await peek.filter({ hasText: `Turn ${turn},` }).waitFor();
    await peek.locator("img").waitFor();
    const place = await peek.boundingBox();
    assert.ok(place.y >= 0 && place.y + place.height <= y && place.x >= 0 && place.x + place.width <= PHONE.viewport.width, JSON.stringify(place));
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/scrubbing-390.png` });
  });
  await peek.waitFor({ state: "hidden" });
});

scene("the request is read, and another run chosen", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const franz = await stage.panel(model);
  const page = await stage.open(franz, PHONE);
  const client = new Client(franz.relay);
  await client.ask("");
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await shows(page, 1);
  await stage.settles(page);
  await page.getByRole("tab", { name: "Request" }).tap();
  const attempt = page.getByRole("region", { name: "Attempt 1" });
  await attempt.getByText("You draw.").waitFor();
  const folded = attempt.locator("details").filter({ hasText: "response" });
  await folded.locator("summary").tap();
  await until(page, () => [...document.querySelectorAll("#exchanges details")].at(-1).open);
  await fits(page);
  const { height } = await button(page, "Copy as curl").boundingBox();
  assert.ok(height >= 44, `${height} px are too small for a finger`);

  await fetch(`${franz.relay}/v1/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "stage-model", messages: [{ role: "user", content: "Something else." }] }),
  });
  await says(page, "runs-count", "2");
  await page.locator("#runs-open").tap();
  await page.locator("#runs-list a").filter({ hasText: "Something else." }).tap();
  await page.waitForURL((url) => url.pathname === "/run/0002/");
  await shows(page, 1);
});
