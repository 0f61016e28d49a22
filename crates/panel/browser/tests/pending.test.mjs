// The turn in progress. Everything that was sent to the model can be seen before it answers.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";

import { drawing } from "../stage/model.mjs";
import { says, shows, until, waits } from "../stage/page.mjs";
import { scene } from "../stage/stage.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Returns the address of a picture in the run's directory. */
const blob = (stage, file) => `/blob/${createHash("sha256").update(readFileSync(stage.path("run", file))).digest("hex")}`;

/** Waits until the picture at this address is drawn. */
const draws = (page, address) => until(page, (address) => document.querySelector("#sheet img")?.getAttribute("src") === address, address);

/**
 * Waits until the second turn is shown, while the model is thinking about it, with everything that follows from `Reply
 * 1.`.
 */
async function waitsForTheSecond(stage, page) {
  await waits(page, 2);
  await says(page, "story-text", "Reply 1.");
  await says(page, "feedback-text", /\S/);
  await says(page, "actions", /drag\(37, 100, 500, 900\)/);
  await draws(page, blob(stage, "turn_0002.png"));
  await says(page, "pending", /^the model is thinking, \d+ s$/);
  await says(page, "reply-note", "No reply yet. The previous one:");
  await says(page, "verdict", "Not checked yet");
  await says(page, "reply-text", "Reply 1.");
}

scene("picture, feedback, actions and story are shown before the reply, which then completes the turn without fetching the picture again", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await waits(page, 1);
  await says(page, "story-note", "First turn: there was no earlier reply to send.");
  await draws(page, blob(stage, "turn_0001.png"));
  await model.say(drawing(1));
  await waitsForTheSecond(stage, page);
  assert.deepEqual((await franz.state()).turns, { first: 1, last: 1, count: 1 });

  await button(page, "Pause").click();
  await says(page, "status-words", "Pausing…");
  const sheet = await page.locator("#sheet img").elementHandle();
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await model.say(drawing(2));
  await says(page, "reply-text", "Reply 2.");
  await shows(page, 2);
  await says(page, "range", /^of 2$/);
  await until(page, () => !document.getElementById("pending").textContent);
  await says(page, "verdict", "Story unchanged");
  assert.ok(await sheet.evaluate((image) => image.isConnected), "the picture stays");
  // The picture before it is fetched ahead again if the browser has already dropped it.
  const before = blob(stage, "turn_0001.png");
  assert.ok(asked.includes("/api/turns/2") && !asked.some((path) => path.startsWith("/blob/") && path !== before), asked.join("\n"));
});

scene("a page that is opened while the model is thinking shows the turn and its other picture, and can leave it and return", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  await model.say(drawing(1));
  await model.asked();
  while ((await franz.state()).pending !== 2);
  const page = await stage.open(franz);
  await waitsForTheSecond(stage, page);
  await button(page, "Marks").click();
  await draws(page, blob(stage, "turn_0002.plain.png"));
  await page.keyboard.press("m");
  await page.keyboard.press("b");
  await until(page, () => document.querySelectorAll("#sheet img").length === 2);
  await page.keyboard.press("b");
  assert.ok(await button(page, "Next turn").isDisabled());
  await button(page, "Previous turn").click();
  await shows(page, 1);
  await says(page, "reply-text", "Reply 1.");
  await says(page, "range", /^of 2$/);
  await button(page, "Next turn").click();
  await waits(page, 2);
  await page.keyboard.press("Home");
  await shows(page, 1);
  await page.keyboard.press("End");
  await waits(page, 2);
  await page.waitForURL((url) => url.hash === "#run/2");
  await page.reload();
  await waitsForTheSecond(stage, page);
});

scene("the list of turns shows the turn in progress, and then the finished turn", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say(drawing(1));
  await waits(page, 2);
  await page.keyboard.press("h");
  const row = page.locator('#history-rows [data-turn="2"]');
  await row.getByText("waiting for the model").waitFor();
  await row.getByText("Reply 1.").waitFor();
  await row.locator("img").waitFor();
  await model.say(drawing(2));
  await row.getByText("Reply 2.").waitFor();
  await row.getByText("Story unchanged").waitFor();
  assert.equal(await row.getByText("waiting for the model").count(), 0);
  const next = page.locator('#history-rows [data-turn="3"]');
  await next.getByText("waiting for the model").waitFor();
  await next.getByRole("heading", { name: "Turn 3" }).dblclick();
  await waits(page, 3);
});

scene("the turn in progress disappears with its agent, and no record, search or export contains it", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--set", "panel.restart_s=60");
  const page = await stage.open(franz);
  await model.say(drawing(1));
  await waits(page, 2);
  await page.keyboard.press("h");
  await page.locator('#history-rows [data-turn="2"]').getByText("waiting for the model").waitFor();
  const lines = await (await franz.fetch("/export/turns.jsonl")).text();
  assert.equal(lines.trim().split("\n").length, 1);
  franz.killChildren();
  await page.locator('#history-rows [data-turn="2"]').waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await shows(page, 1);
  await says(page, "range", /^of 1$/);
  await says(page, "reply-text", "Reply 1.");
  await franz.kill();

  assert.ok(existsSync(stage.path("run", "turn_0002.png")), "its picture exists, and is replaced when the run continues");
  const replayed = await stage.replay();
  assert.deepEqual((await replayed.state()).turns, { first: 1, last: 1, count: 1 });
  assert.equal((await replayed.fetch(blob(stage, "turn_0002.png"))).status, 404);
});
