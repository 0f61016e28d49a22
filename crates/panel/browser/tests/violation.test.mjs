// Stories that were changed on their way back to the model.

import assert from "node:assert/strict";

import { Client } from "../stage/client.mjs";
import { says, shows, until } from "../stage/page.mjs";
import { scene } from "../stage/stage.mjs";

const CHANGED = 300;
/** The mark of a difference, which is 40 units long, would end within the character at this position. */
const WIDE = CHANGED + 39;

/** Its first words have a fixed length, so that positions are the same in every turn. */
const story = (turn) => {
  const text = `Story ${String(turn).padStart(4, "0")}. ${"All as it was. ".repeat(40)}The end.`;
  return `${text.slice(0, WIDE)}😀${text.slice(WIDE + 2)}`;
};

scene("a single changed unit turns the badge red and is shown with its position and both versions, and keys jump between violations", async (stage) => {
  const model = await stage.model(story);
  const franz = await stage.panel(model);
  const page = await stage.open(franz);
  await says(page, "status-words", "No run is live");
  for (const name of ["Settings", "Edit goal"]) assert.equal(await page.getByRole("button", { name }).count(), 0, "another agent's settings cannot be changed");
  const client = new Client(franz.relay);
  let reply = { content: '""' };
  for (let turn = 1; turn <= 9; turn += 1) {
    const text = JSON.parse(reply.content);
    const sent = turn % 3 === 0 ? `${text.slice(0, CHANGED)}#${text.slice(CHANGED + 1)}` : text;
    reply = { content: await client.ask(sent) };
    await shows(page, turn);
    await says(page, "verdict", turn === 1 ? "✓ First story" : turn % 3 === 0 ? `✗ Story changed at ${CHANGED}` : "✓ Story unchanged");
  }
  await says(page, "violations", "3 violations");
  assert.ok(await page.locator("#verdict").evaluate((badge) => badge.classList.contains("bad")));
  // A screen reader announces each violation once, and not the verdict of each turn that is shown.
  assert.equal(await page.locator("#verdict").getAttribute("role"), null);
  assert.equal(await page.locator("#violations").getAttribute("role"), "status");
  await says(page, "difference", `First difference at ${CHANGED}.`);
  const sides = await page.locator("#difference dd .text").allInnerTexts();
  assert.equal(sides.length, 2);
  assert.ok(!sides[0].includes("#") && sides[1].includes("#"), sides.join("\n"));
  assert.match(await page.locator("#difference").innerText(), /Received[^]*Sent/);
  await page.getByRole("button", { name: "Show in the story" }).click();
  assert.match(await page.locator("#story-text mark").innerText(), /^#/);
  assert.doesNotMatch(await page.locator("#story-text").innerText(), /‹/, "half a character is the sign of damage");
  await until(page, () => {
    const [mark, body] = [document.querySelector("#story-text mark"), document.querySelector("#story")].map((element) => element.getBoundingClientRect());
    return mark.top >= body.top - 1 && mark.bottom <= body.bottom + 1;
  });

  for (const [key, turn] of [["[", 6], ["[", 3], ["[", 3], ["]", 6], ["]", 9], ["]", 9]]) {
    await page.keyboard.press(key);
    await shows(page, turn);
    await says(page, "verdict", "Story changed");
  }
  await page.getByRole("button", { name: "Previous violation" }).click();
  await shows(page, 6);
  await page.keyboard.press("ArrowRight");
  await shows(page, 7);
  await says(page, "verdict", "✓ Story unchanged");
  assert.ok(await page.locator("#difference").isHidden());
  await page.waitForURL((url) => url.hash === "#0001/7/story");
  await page.reload();
  await shows(page, 7);
  await says(page, "violations", "3 violations");
});
