// Moving through the turns of a recorded run with buttons, keys, numbers and the scrubber.

import assert from "node:assert/strict";

import { box, choose, neverFades, number, says, shows } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

async function recorded(stage, turns = 30) {
  record(stage.path("run"), turns);
  return stage.open(await stage.replay());
}

scene("buttons go to the first, previous, next and last turn", async (stage) => {
  const page = await recorded(stage);
  await shows(page, 30);
  for (const [name, turn] of [["First turn", 1], ["Next turn", 2], ["Next turn", 3], ["Previous turn", 2], ["Last turn", 30], ["Previous turn", 29]]) {
    await page.getByRole("button", { name, exact: true }).click();
    await shows(page, turn);
    await says(page, "reply-text", `the reply of turn ${turn}.`);
    await says(page, "feedback-text", `the feedback of turn ${turn}.`);
    if (turn > 1) await says(page, "story-text", `the reply of turn ${turn - 1}.`);
  }
});

scene("keys do the same without the mouse", async (stage) => {
  const page = await recorded(stage);
  await shows(page, 30);
  const keys = [["Home", 1], ["ArrowRight", 2], ["j", 3], ["J", 4], ["ArrowLeft", 3], ["k", 2], ["K", 1], ["End", 30]];
  for (const [key, turn] of keys) {
    await page.keyboard.press(key);
    await shows(page, turn);
  }
  await page.keyboard.press("g");
  await page.keyboard.type("17");
  await page.keyboard.press("Enter");
  await shows(page, 17);
});

scene("the scrubber goes anywhere, with mouse and keys", async (stage) => {
  const page = await recorded(stage);
  const scrubber = page.locator("#scrubber");
  const place = await box(page, "#scrubber");
  await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
  const middle = await number(page);
  assert.ok(middle > 12 && middle < 19, `turn ${middle}`);
  await shows(page, middle);
  await scrubber.press("ArrowLeft");
  await shows(page, middle - 1);
  await scrubber.press("Home");
  await shows(page, 1);
  assert.equal(await scrubber.getAttribute("aria-valuetext"), "turn 1 of 30");
});

scene("a number out of range goes to the nearest turn, and anything else goes nowhere", async (stage) => {
  const page = await recorded(stage);
  for (const [text, turn] of [["7", 7], ["9999", 30], ["0", 1], ["x", 1], ["-3", 1], ["12.9", 12]]) {
    await page.getByRole("textbox", { name: "Turn", exact: true }).fill(text);
    await page.keyboard.press("Enter");
    await shows(page, turn);
  }
  await choose(page, /^Notices/);
  await says(page, "notices-list", "There is no turn 9999; showing turn 30.");
});

scene("the turn on display survives a reload, and the token disappears from the address", async (stage) => {
  const page = await recorded(stage);
  assert.equal(new URL(page.url()).search, "");
  await page.keyboard.press("Home");
  await page.waitForURL((url) => url.hash === "#run/1");
  await page.reload();
  await shows(page, 1);
  await page.getByRole("button", { name: "Next turn" }).click();
  await shows(page, 2);
});

scene("the browser's history keeps each turn, even the one that the person went back to", async (stage) => {
  const page = await recorded(stage);
  const goes = async (key, turn) => {
    await page.keyboard.press(key);
    await page.waitForURL((url) => url.hash === `#run/${turn}`);
  };
  const back = async (turn) => {
    await page.goBack();
    await shows(page, turn);
    // Longer than the page waits until it writes its address.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
  };
  await shows(page, 30);
  await goes("Home", 1);
  await goes("ArrowRight", 2);
  await goes("ArrowRight", 3);
  await back(2);
  await goes("End", 30);
  await back(2);
});

scene("no key is a shortcut while somebody types or a dialog is open", async (stage) => {
  const page = await recorded(stage);
  await shows(page, 30);
  const typed = "jk[]dmbhpn?10 g/zec";
  await page.locator("#number").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(typed);
  assert.equal(await page.locator("#number").inputValue(), typed);
  assert.equal(await page.locator("dialog[open]").count(), 0);
  assert.equal(await page.locator("#tab-changes").getAttribute("aria-selected"), "false");
  await page.keyboard.press("Enter");
  await shows(page, 30);
  await page.keyboard.press("/");
  await page.locator("#query").pressSequentially(typed);
  assert.equal(await page.locator("#query").inputValue(), typed);
  await page.keyboard.press("Escape");
  await page.locator("#search").waitFor({ state: "hidden" });
  await page.keyboard.press("?");
  await page.locator("#help[open]").waitFor();
  await page.keyboard.press("k");
  await page.keyboard.press("Control+ArrowLeft");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Meta+ArrowLeft");
  await shows(page, 30);
});

scene("a newcomer is shown the first keys until one is pressed", async (stage) => {
  const page = await recorded(stage, 3);
  await shows(page, 3);
  await says(page, "hint", /^Space plays · \? all keys$/);
  await page.keyboard.press("x");
  await says(page, "hint", /plays/);
  await page.keyboard.press("Home");
  await shows(page, 1);
  await page.locator("#hint").waitFor({ state: "hidden" });
  await page.waitForURL((url) => url.hash === "#run/1");
  await page.reload();
  await shows(page, 1);
  await page.locator("#hint").waitFor({ state: "hidden" });
});

scene("a turn that cannot be fetched is reported, and the page stays at the turn that it shows", async (stage) => {
  const page = await recorded(stage);
  await shows(page, 30);
  const go = async (turn) => {
    await page.locator("#number").fill(String(turn));
    await page.keyboard.press("Enter");
  };
  await neverFades(page);
  await page.route("**/api/turns/5", (route) => route.abort());
  await go(5);
  await says(page, "toasts", "Cannot show turn 5. The panel is not responding.");
  await shows(page, 30);
  await page.unroute("**/api/turns/5");
  await go(5);
  await shows(page, 5);
});

scene("the bar says if there are more violations than the panel lists", async (stage) => {
  record(stage.path("run"), 1001, { pictures: 0 });
  const franz = await stage.replay();
  const context = await stage.context(franz);
  const violations = Object.fromEntries(Array.from({ length: 1000 }, (_, before) => [before + 2, true]));
  await context.route("**/api/state", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), violations } });
  });
  const page = await stage.open(franz, { context });
  await says(page, "violations", "1,000+ violations");
  await page.keyboard.press("[");
  await shows(page, 1000);
});
