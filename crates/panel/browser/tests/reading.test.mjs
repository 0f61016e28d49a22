// Finding things in a run: searching, and showing what changed between two stories.

import assert from "node:assert/strict";

import { choose, says, shows, until } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

async function recorded(stage, change) {
  record(stage.path("run"), 30, { change });
  const page = await stage.open(await stage.replay());
  await shows(page, 30);
  return page;
}

scene("search finds text in any turn, with keys alone", async (stage) => {
  const page = await recorded(stage, (line) => {
    if (line.turn === 12) line.reply += "\nÜber the <b>Zebra</b> crossing.";
    if (line.turn === 5) line.feedback += " A zebra!";
  });
  await page.keyboard.press("/");
  await page.keyboard.type("ZEBRA");
  await says(page, "search-note", /^2 hits$/);
  const hits = await page.locator("#hits li").allInnerTexts();
  assert.deepEqual(hits.map((hit) => /Turn (\d+)\s+(\w+)/.exec(hit).slice(1).join(" ")), ["12 reply", "5 feedback"]);
  assert.deepEqual(await page.locator("#hits mark").allTextContents(), ["Zebra", "zebra"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator("#search").waitFor({ state: "hidden" });
  await shows(page, 5);
  await choose(page, "Search");
  await page.locator("#query").fill("über the");
  await says(page, "search-note", /^1 hit$/);
  await page.keyboard.press("Enter");
  await page.locator("#search").waitFor({ state: "hidden" });
  await shows(page, 12);
  await until(page, () => [...(CSS.highlights.get("hit") ?? [])].map(String).includes("Über the"));
  // Whoever comes back to the turn keeps their tab.
  await page.getByRole("tab", { name: "Story" }).click();
  for (const [key, turn] of [["ArrowLeft", 11], ["ArrowRight", 12]]) {
    await page.keyboard.press("Escape");
    await page.locator("#number").blur();
    await page.locator("#next").press(key);
    await shows(page, turn);
  }
  assert.equal(await page.getByRole("tab", { name: "Story" }).getAttribute("aria-selected"), "true");
  await page.keyboard.press("/");
  await page.locator("#query").fill("no such words");
  await says(page, "search-note", "Nothing found.");
  await page.locator("#query").fill("feedback of turn 1");
  await says(page, "search-note", /^11 hits$/);
  await page.locator("#hits button").last().click();
  await shows(page, 1);
});

scene("what a reply changed in the story is shown word by word", async (stage) => {
  const page = await recorded(stage);
  await page.keyboard.press("d");
  assert.equal(await page.getByRole("tab", { name: "Changes" }).getAttribute("aria-selected"), "true");
  await page.locator("#changes-text ins").first().waitFor();
  const gone = await page.locator("#changes-text del").allTextContents();
  const added = await page.locator("#changes-text ins").allTextContents();
  assert.ok(gone.includes("29") && added.includes("30"), `${gone} became ${added}`);
  assert.ok(!added.join(" ").includes("WHAT"), "unchanged text is not marked");
  await says(page, "changes-note", /Compared with the story: \d+ characters added, \d+ removed\./);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 29);
  await page.locator("#changes-text ins").filter({ hasText: /^29$/ }).first().waitFor();
  await page.keyboard.press("d");
  await says(page, "reply-text", "the reply of turn 29.");
  assert.ok(await page.locator("#changes").isHidden());
});

scene("a hit is highlighted in its text and scrolled to, in whichever pane it is", async (stage) => {
  const page = await recorded(stage, (line) => {
    if (line.turn === 7) line.reply = `${"A line of many.\n".repeat(200)}The needle.\n${"A line of many.\n".repeat(200)}`;
    if (line.turn === 9) line.feedback = `${"Nothing.\n".repeat(100)}A thimble.`;
  });
  const find = async (words) => {
    await page.keyboard.press("/");
    await page.locator("#query").fill(words);
    await says(page, "search-note", /^1 hit$/);
    await page.keyboard.press("Enter");
  };
  /** Waits until the highlighted text is visible in this pane. */
  const seen = (words, pane) =>
    until(page, ({ words, pane }) => {
      const [range] = CSS.highlights.get("hit") ?? [];
      if (String(range) !== words) return false;
      const [place, window] = [range.getBoundingClientRect(), document.querySelector(pane).getBoundingClientRect()];
      return place.top >= window.top && place.bottom <= window.bottom && place.height > 0;
    }, { words, pane });
  await page.keyboard.press("1");
  await find("needle");
  await shows(page, 7);
  await seen("needle", "#reply");
  await page.keyboard.press("4");
  await find("thimble");
  await shows(page, 9);
  await seen("thimble", "#feedback .body");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 8);
  await until(page, () => !CSS.highlights.has("hit"));
});

scene("replies of any two turns are compared, and long ones without blocking the page", async (stage) => {
  const long = (turn) => Array.from({ length: 12_000 }, (_, line) => `Line ${line} of ${(line * 7 + turn) % 5}, ${line % 900 ? "as before" : `turn ${turn}`}.`).join("\n");
  record(stage.path("run"), 9, { change: (line) => void (line.turn >= 8 && (line.reply = long(line.turn))) });
  const page = await stage.open(await stage.replay());
  await shows(page, 9);
  await page.keyboard.press("Home");
  await shows(page, 1);
  for (let turn = 1; turn < 7; turn += 1) await page.keyboard.press("ArrowRight");
  await shows(page, 7);
  await page.keyboard.press("d");
  await page.getByLabel("Compare with turn").fill("2");
  await page.keyboard.press("Enter");
  await says(page, "changes-note", "Compared with the reply of turn 2");
  await page.locator("#changes-text ins").filter({ hasText: "7" }).first().waitFor();
  await page.locator("#changes-text del").filter({ hasText: "2" }).first().waitFor();
  await page.getByLabel("Compare with turn").fill("77");
  await page.keyboard.press("Enter");
  await says(page, "changes-note", /^(?!Compar).*turn/);

  // Two texts of 400 kB.
  await page.getByLabel("Compare with turn").fill("8");
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration)))).observe({ entryTypes: ["longtask"] });
  });
  const worker = page.waitForEvent("worker");
  await page.keyboard.press("Enter");
  await page.locator("#last").click();
  await shows(page, 9);
  assert.match((await worker).url(), /\/assets\/diff\.js$/);
  await says(page, "changes-note", /Compared with the reply of turn 8: .* characters added/);
  stage.say(`the page was busy for at most ${Math.round(await page.evaluate(() => window.longest))} ms at a time`);
});
