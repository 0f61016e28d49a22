// A panel that is killed and comes back.

import assert from "node:assert/strict";
import { once } from "node:events";

import { drawing } from "../stage/model.mjs";
import { choose, neverFades, passes, says, shows, waits } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

scene("a page whose panel was killed waits for it, and the new link shows the run as it continues", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  // The panel's own address could be taken by something else before the panel is back.
  const front = await stage.front(franz);
  const page = await stage.open(front);
  const other = await stage.open(front, { context: page.context() });
  await model.say(drawing(1));
  await model.say(drawing(2));
  await waits(page, 3);
  // Turns that were viewed before can still be shown without the panel.
  await page.keyboard.press("Home");
  await shows(page, 1);
  await says(page, "reply-text", "Reply 1.");
  await page.keyboard.press("Space");
  await waits(page, 3);
  await model.asked();
  await franz.kill();
  for (const each of [page, other]) {
    await says(each, "status-words", "Disconnected, trying again");
    await says(each, "banner-text", "The panel is not responding");
    assert.equal(await each.locator("#pending").textContent(), "");
    assert.ok(await each.getByRole("button", { name: "Pause" }).isDisabled());
  }
  await page.keyboard.press("Home");
  await says(page, "reply-text", "Reply 1.");

  model.goOn((request) => drawing(request));
  const again = await stage.franz("run", "--no-open", "--resume", "run", "--upstream", model.address, "--dashboard", "127.0.0.1:0");
  // If the token had been read from a file, whoever wrote that file might know it.
  assert.notEqual(again.token, franz.token);
  front.franz = again;
  for (const each of [page, other]) {
    await says(each, "status-words", "This link is no longer valid");
    await says(each, "banner-text", "franz open");
  }
  await page.goto(front.link);
  await passes(page, 3);
  await page.locator("#banner").waitFor({ state: "hidden" });
  await page.locator("#status-words").filter({ hasNotText: "Disconnected" }).waitFor();
});

scene("a page whose events ended while the panel still answered keeps asking", async (stage) => {
  record(stage.path("run"), 3);
  const front = await stage.front(await stage.replay());
  const page = await stage.open(front);
  await shows(page, 3);
  front.endEvents();
  await says(page, "status-words", "Disconnected, trying again");
  while (!front.answered) await once(front.server, "request");
  front.expire();
  await says(page, "status-words", "This link is no longer valid");
});

scene("a page whose panel has another token says where the new link is", async (stage) => {
  record(stage.path("run"), 3);
  const franz = await stage.replay();
  const front = await stage.front(franz);
  const page = await stage.open(front);
  await shows(page, 3);
  await franz.kill();
  await says(page, "status-words", "Disconnected, trying again");
  const again = await stage.replay();
  assert.notEqual(again.token, franz.token);
  front.franz = again;
  await says(page, "status-words", "This link is no longer valid");
  await says(page, "banner-text", "franz open");
});

scene("a page whose port has another run by now begins anew with that run", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const front = await stage.front(franz);
  const page = await stage.open(front);
  await model.say(drawing(1));
  await waits(page, 2);
  const field = page.getByPlaceholder("Tell the model something");
  await field.fill("a hat for the cat");
  await franz.kill();
  await says(page, "status-words", "Disconnected, trying again");
  front.franz = await stage.franz("run", "--no-open", "--run-dir", "other", "--upstream", model.address, "--dashboard", "127.0.0.1:0");
  await says(page, "status-words", "This link is no longer valid");
  // The new page gets the cookie, which admits the old one, too.
  await stage.open(front, { context: page.context() });
  await says(page, "run", "other");
  await waits(page, 1);
  assert.equal(await field.inputValue(), "", "what was meant for the run before is not sent to this one");
});

scene("a model server that goes away is reported and can be retried, and its return is shown", async (stage) => {
  const model = await stage.model(drawing);
  const page = await stage.open(await stage.run(model));
  await passes(page, 1);
  model.refuse({ status: 503, headers: { "Retry-After": "60" }, body: "the model is being loaded" });
  await says(page, "status-words", /waiting for the model server|not reachable/);
  await says(page, "pending", /again in \d+ s/);
  model.refuse(null);
  const turn = Number(await page.locator("#number").inputValue());
  const now = page.getByRole("button", { name: "Try now" });
  await now.click();
  await passes(page, turn);
  await now.waitFor({ state: "hidden" });
  await choose(page, /^Notices/);
  await says(page, "notices-list", "attempt 1 failed");
  await page.reload();
  await choose(page, /^Notices/);
  await says(page, "notices-list", "attempt 1 failed");
  assert.match(await page.locator("#notices-list time").first().getAttribute("title"), /\d{4}.*\d:\d\d:\d\d \S+/);
});

scene("a page without a network says so, comes back by itself, and misses nothing", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await neverFades(page);
  const context = page.context();
  await waits(page, 1);
  const field = page.getByPlaceholder("Tell the model something");
  await field.focus();
  await context.setOffline(true);
  await says(page, "status-words", "Disconnected");
  await says(page, "banner-text", "The panel is not responding");
  assert.ok(await page.locator("#pause").isDisabled());
  // Whoever was typing goes on, and no key becomes a shortcut.
  await page.keyboard.type("help");
  await page.keyboard.press("Enter");
  await says(page, "toasts", "The panel is not responding");
  assert.equal(await field.inputValue(), "help");
  await field.blur();
  for (const turn of [1, 2, 3]) await model.say(drawing(turn));
  await model.asked();
  await context.setOffline(false);
  await waits(page, 4);
  await page.locator("#banner").waitFor({ state: "hidden" });
  await page.locator("#pause:enabled").waitFor();
  await page.keyboard.press("h");
  await page.locator("#history-rows [data-turn='2']").filter({ hasText: "Reply 2." }).waitFor();
});

scene("an open history catches up with what the page missed", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await waits(page, 1);
  const row = (turn, text) => page.locator(`#history-rows [data-turn="${turn}"]`).filter({ hasText: text }).waitFor();
  await page.keyboard.press("h");
  await row(1, "waiting for the model");
  await page.context().setOffline(true);
  await says(page, "status-words", "Disconnected");
  for (const turn of [1, 2, 3]) await model.say(drawing(turn));
  await model.asked();
  await page.context().setOffline(false);
  await row(4, "waiting for the model");
  await row(1, "Reply 1.");
  await says(page, "history-range", "turns 1 to 4");
});
