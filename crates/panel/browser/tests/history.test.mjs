// The list of all turns, and a run of ten thousand turns.

import assert from "node:assert/strict";

import { choose, nodes, shows, until } from "../stage/page.mjs";
import { record, replyOf } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const TURNS = 10_000;
const NODES = 1000;

/** Returns the turns that are visible in the list, from top to bottom. */
const listed = (page) =>
  page.evaluate(() => {
    const window = document.getElementById("history-list").getBoundingClientRect();
    const rows = [...document.querySelectorAll("#history-rows [data-turn]")].map((row) => [Number(row.dataset.turn), row.getBoundingClientRect()]);
    return rows.filter(([, { top, bottom }]) => bottom > window.top + 1 && top < window.bottom - 1).sort((a, b) => a[1].top - b[1].top).map(([turn]) => turn);
  });

const row = (page, turn) => page.locator(`#history-rows [data-turn="${turn}"]`);

scene("the list shows every turn in full, in both orders, and double-click and Enter open a turn", async (stage) => {
  record(stage.path("run"), 40);
  const page = await stage.open(await stage.replay());
  await shows(page, 40);
  await page.keyboard.press("h");
  for (const text of ["the reply of turn 40.", "the reply of turn 39.", "the feedback of turn 40.", "drag(40, 100, 500, 900)", "Story unchanged"]) {
    await row(page, 40).getByText(text).first().waitFor();
  }
  await row(page, 40).locator("img").waitFor();
  const newest = await listed(page);
  assert.deepEqual(newest, [...newest].sort((a, b) => b - a));
  assert.equal(newest[0], 40);
  await row(page, 39).getByRole("heading", { name: "Turn 39" }).dblclick();
  await page.locator("#history").waitFor({ state: "hidden" });
  await shows(page, 39);

  await choose(page, "History");
  await page.locator("#order").click();
  await row(page, 1).waitFor();
  assert.deepEqual((await listed(page)).slice(0, 2), [1, 2]);
  await row(page, 2).focus();
  await page.keyboard.press("Enter");
  await page.locator("#history").waitFor({ state: "hidden" });
  await shows(page, 2);

  await page.keyboard.press("h");
  await page.locator("#history[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#history").waitFor({ state: "hidden" });
  await shows(page, 2);
});

scene("rows are read and reached in the order in which they are listed, even after scrolling back", async (stage) => {
  record(stage.path("run"), 40);
  const page = await stage.open(await stage.replay());
  await shows(page, 40);
  await page.keyboard.press("h");
  await row(page, 40).getByText("the reply of turn 40.").first().waitFor();
  const list = await page.locator("#history-list").boundingBox();
  await page.mouse.move(list.x + list.width / 2, list.y + list.height / 2);
  while (await row(page, 40).count()) await page.mouse.wheel(0, 300);
  while (!(await row(page, 40).count())) await page.mouse.wheel(0, -300);
  const turns = await page.locator("#history-rows [data-turn]").evaluateAll((rows) => rows.map((row) => Number(row.dataset.turn)));
  assert.ok(turns.length > 1);
  assert.deepEqual(turns, [...turns].sort((a, b) => b - a));
});

const firstPaint = (page) => page.evaluate(() => Math.round(performance.getEntriesByName("first-contentful-paint")[0].startTime));

/**
 * Measures the first paint in five windows with empty caches, in ascending order. The windows are either new, or open
 * and already drawn.
 */
async function firstPaints(stage, franz, areOpen) {
  const paints = [];
  for (let window = 0; window < 5; window++) {
    const page = await (await stage.context(franz)).newPage();
    if (areOpen) {
      await page.setContent("<p>An open window</p>");
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    }
    await page.goto(franz.link);
    await shows(page, TURNS);
    paints.push(await firstPaint(page));
    await page.close();
  }
  return paints.sort((a, b) => a - b);
}

scene(`${TURNS} turns: the page stays small while loading, stepping and scrolling`, async (stage) => {
  record(stage.path("run"), TURNS, {
    pictures: 20,
    change: (line) => {
      line.reply = replyOf(line.turn) + "\nI remember. ".repeat(50);
      if (line.turn > 20) line.image = null;
    },
  });
  const franz = await stage.replay();
  const page = await stage.open(franz);
  await shows(page, TURNS);
  stage.say(`first paint, ms, in new windows: ${(await firstPaints(stage, franz, false)).join(", ")}`);
  stage.say(`first paint, ms, in open windows: ${(await firstPaints(stage, franz, true)).join(", ")}`);
  assert.ok((await nodes(page)) <= NODES);

  await page.keyboard.press("Home");
  await shows(page, 1);
  await page.locator("#number").fill("5000");
  await page.keyboard.press("Enter");
  await shows(page, 5000);
  await page.keyboard.press("End");
  await shows(page, TURNS);

  await page.keyboard.press("h");
  await row(page, TURNS).getByText(`the reply of turn ${TURNS}.`).first().waitFor();
  assert.ok((await nodes(page)) <= NODES);
  let most = 0;
  for (const share of [0.2, 0.5, 0.8, 0.35]) {
    await page.evaluate((share) => {
      const list = document.getElementById("history-list");
      list.scrollTop = list.scrollHeight * share;
    }, share);
    await until(page, () => {
      const { top, bottom } = document.getElementById("history-list").getBoundingClientRect();
      const rows = [...document.querySelectorAll("#history-rows [data-turn]")].filter((row) => {
        const place = row.getBoundingClientRect();
        return place.bottom > top + 1 && place.top < bottom - 1;
      });
      return rows.length && rows.every((row) => row.querySelector(".columns"));
    });
    const [turn] = await listed(page);
    assert.ok(Math.abs(turn - TURNS * (1 - share)) < TURNS * 0.15, `at ${share} turn ${turn} is shown`);
    most = Math.max(most, await nodes(page));
  }
  await until(page, () => {
    const list = document.getElementById("history-list");
    list.scrollTop = list.scrollHeight;
    // Rows above that are still empty would move the last one when they are filled.
    const isFull = [...document.querySelectorAll("#history-rows [data-turn]")].every((row) => row.querySelector(".columns"));
    return isFull && document.querySelector('#history-rows [data-turn="1"] img');
  });
  assert.equal((await listed(page)).at(-1), 1);
  most = Math.max(most, await nodes(page));
  stage.say(`most elements: ${most}`);
  assert.ok(most <= NODES, `${most} elements`);
  await row(page, 1).getByRole("heading", { name: "Turn 1" }).dblclick();
  await shows(page, 1);
});
