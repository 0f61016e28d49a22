// A reply that is shown while it is being written.

import assert from "node:assert/strict";

import { says, shows, until, waits } from "../stage/page.mjs";
import { scene } from "../stage/stage.mjs";

const ROUNDS = 20;
const shown = (page) => page.locator("#reply-text").evaluate((element) => element.textContent);
const holds = (page, text) => until(page, (text) => document.getElementById("reply-text").textContent.includes(text), text);

scene("a reply is shown as it is written, even on a page that is opened later", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await model.say("The reply before.");
  await waits(page, 2);
  const isBefore = () => page.locator("#reply-text.before").isVisible();
  assert.ok(await isBefore(), "the last reply stays until the first character of the next");
  assert.equal(await shown(page), "The reply before.");
  const reply = await model.stream();
  reply.write("A cat \ud83d");
  await holds(page, "A cat ");
  assert.ok(!(await isBefore()));
  assert.equal(await shown(page), "A cat ", "half a character waits for its other half");
  await page.locator("#reply-note").waitFor({ state: "hidden" });
  reply.write("\ude00, <b>\"so\"</b>\n");
  await holds(page, "A cat 😀, <b>");
  const second = await stage.open(franz);
  await holds(second, "A cat 😀, <b>");
  reply.write("The end.");
  for (const one of [page, second]) await holds(one, "The end.");
  assert.equal(await shown(page), 'A cat 😀, <b>"so"</b>\nThe end.');
  reply.end();
  await waits(page, 3);
  assert.ok(await isBefore());
  await page.keyboard.press("ArrowLeft");
  await shows(page, 2);
  await says(page, "reply-text", "The end.");
  assert.equal(await shown(page), 'A cat 😀, <b>"so"</b>\nThe end.');
  assert.equal((await franz.state()).verdicts?.violation ?? 0, 0);
});

scene("the end of a growing reply stays visible until the person scrolls up", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  const reply = await model.stream();
  const write = async (text) => {
    const lines = Array.from({ length: 60 }, (_, line) => `Line ${line}.\n`);
    reply.write(`${lines.join("")}${text}\n`);
    await holds(page, text);
  };
  const place = () => page.locator("#reply-text").evaluate((element) => {
    const body = element.closest(".body");
    return { top: body.scrollTop, rest: body.scrollHeight - body.clientHeight - body.scrollTop };
  });
  await write("FIRST");
  await write("SECOND");
  await until(page, () => {
    const body = document.getElementById("reply-text").closest(".body");
    return body.scrollTop > 0 && body.scrollHeight - body.clientHeight - body.scrollTop < 2;
  });
  await page.locator("#reply-text").evaluate((element) => (element.closest(".body").scrollTop = 50));
  await write("THIRD");
  assert.equal((await place()).top, 50);
  reply.end();
});

scene("a reply that breaks off makes room for the next attempt", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  const first = await model.stream();
  first.write("Lost words");
  await holds(page, "Lost words");
  first.breaks();
  const second = await model.stream();
  second.write("Once more");
  await holds(page, "Once more");
  assert.equal(await shown(page), "Once more");
  second.end();
  await waits(page, 2);
});

scene("a message during a reply makes room for the reply that takes it into account", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  const cancelled = await model.stream();
  cancelled.write("Many words that are lost");
  await holds(page, "Many words that are lost");
  await page.getByPlaceholder("Tell the model something").fill("a hat, too");
  await page.keyboard.press("Enter");
  assert.match(await model.told(2), /a hat, too/);
  const reply = await model.stream();
  reply.write("A hat");
  await until(page, () => document.getElementById("reply-text").textContent === "A hat");
  reply.write(", and more words than were lost");
  await holds(page, "were lost");
  assert.equal(await shown(page), "A hat, and more words than were lost");
  reply.end();
  await waits(page, 2);
});

scene("how long the first character of a reply takes to reach the page", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  const took = [];
  for (let round = 1; round <= ROUNDS; round++) {
    await waits(page, round);
    const reply = await model.stream();
    const seen = page.evaluate((text) => {
      const element = document.getElementById("reply-text");
      return new Promise((done) => {
        const look = () => element.textContent.includes(text) && done(Date.now());
        new MutationObserver(look).observe(element, { childList: true, subtree: true, characterData: true });
      });
    }, `Round ${round}.`);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const began = Date.now();
    reply.write(`Round ${round}.`);
    took.push((await seen) - began);
    reply.end();
  }
  took.sort((one, other) => one - other);
  stage.say(`the first character is on the page after ${took[ROUNDS / 2]} ms (median of ${ROUNDS}), at most ${took.at(-1)} ms`);
});

scene("a page that leaves a turn and returns writes its reply once", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say("The reply before.");
  await waits(page, 2);
  const reply = await model.stream();
  // The page ends its request. Otherwise, whoever leaves a turn often would soon have no connection left.
  const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/api/reply?turn=2"));
  await page.keyboard.press("Home");
  await shows(page, 1);
  await ended;
  await page.keyboard.press("End");
  await waits(page, 2);
  for (const text of ["The ", "cat ", "sat."]) {
    reply.write(text);
    await holds(page, text);
  }
  assert.equal(await shown(page), "The cat sat.");
  reply.end();
});
