// The timeline: pictures, marks, previews, playing and filtering.

import assert from "node:assert/strict";

import { box, nodes, number, passes, says, shows, until } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const TURNS = 10_000;

const outcome = (outcome) => [{ action: "left_click(500, 250)", outcome, why: null }];

/** Records a run of thirty turns in which everything happens once, and opens it. */
async function eventful(stage, turns = 30) {
  record(stage.path("run"), turns, {
    change: (line) => {
      line.acted = outcome(line.turn % 2 ? "done" : "ignored");
      if (line.turn === 4) Object.assign(line, { status: "failed", reply: null, attempts: 3, errors: ["503"], image: null });
      if (line.turn === 8) line.acted = outcome("held");
      if (line.turn === 12) line.acted = outcome("refused");
      if (line.turn >= 16) line.goal = "Draw a dog.";
      if (line.turn >= 20) line.mode = "monitoring";
      if (line.turn === 24) line.feedback = "OK.\nMESSAGE FROM THE PERSON: a hat, too";
    },
  });
  const page = await stage.open(await stage.replay());
  await shows(page, turns);
  return page;
}

const frame = (page, turn) => page.locator(`#film [data-turn="${turn}"]`);
/** Waits until a frame has this label. The marks might arrive later than the turns. */
const isLabelled = (page, turn, label) => page.locator(`#film [data-turn="${turn}"][aria-label="${label}"]`).waitFor({ state: "attached" });

scene("each turn has its picture, the turn on display is in the middle, and a click opens a turn", async (stage) => {
  const page = await eventful(stage);
  await frame(page, 30).locator("img").waitFor();
  assert.equal(await frame(page, 30).getAttribute("aria-current"), "true");
  await frame(page, 27).click();
  await shows(page, 27);
  await until(page, () => [...document.querySelectorAll("#film [aria-current]")].map(({ dataset }) => dataset.turn).join() === "27");
  for (let times = 0; times < 12; times += 1) await page.keyboard.press("ArrowLeft");
  await shows(page, 15);
  await until(page, () => {
    const [film, middle] = ["#film", '#film [data-turn="15"]'].map((selector) => document.querySelector(selector)?.getBoundingClientRect());
    return middle && Math.abs(film.x + film.width / 2 - (middle.x + middle.width / 2)) < 5;
  });
  await page.locator('#film [data-turn="15"] img[src^="/thumb/"]').waitFor();
  assert.match(await frame(page, 15).locator("img").getAttribute("src"), /^\/thumb\/[0-9a-f]{64}$/);
  await isLabelled(page, 12, "Turn 12, refused or blocked");
});

scene("what happened is marked on the track and described in words", async (stage) => {
  const page = await eventful(stage);
  // In the order of their places, which a busy browser may give them later than their words.
  await until(page, () => {
    const marks = [...document.querySelectorAll("#track-marks i")].map((mark) => [mark.dataset.kind, mark.getBoundingClientRect().x]);
    return marks.sort(([, one], [, other]) => one - other).map(([kind]) => kind).join() === "failed,held,refused,goal,mode,message";
  });
  await page.locator("#number").fill("4");
  await page.keyboard.press("Enter");
  await shows(page, 4);
  await isLabelled(page, 4, "Turn 4, asked again, an error, failed");
});

scene("the mouse over the track shows the picture there, and dragging moves through the turns", async (stage) => {
  const page = await eventful(stage);
  const track = await box(page, "#scrubber");
  await page.mouse.move(track.x + track.width / 2, track.y + track.height / 2);
  const peek = page.locator("#peek");
  await peek.locator("img").waitFor();
  assert.match(await peek.innerText(), /^Turn 1[4-7]/);
  const { y, height } = await peek.boundingBox();
  assert.ok(y + height < track.y, "above the track");
  assert.equal(await number(page), 30, "nothing moves yet");
  await page.mouse.down();
  await page.mouse.move(track.x + 3, track.y + 10, { steps: 5 });
  await page.mouse.up();
  await shows(page, 1);
  await page.mouse.move(10, 10);
  await peek.waitFor({ state: "hidden" });
});

/** Enough turns for playback to be stopped before the end. */
const LONG = 40;

scene("a finished run is played with Space, at the chosen speed, to its end", async (stage) => {
  const page = await eventful(stage, LONG);
  await page.locator("#speed").selectOption("8");
  await page.locator("#speed").blur();
  await page.keyboard.press("Space");
  assert.equal(await page.getByRole("button", { name: "Stop playing" }).getAttribute("aria-pressed"), "true");
  // Each turn is shown for an eighth of a second.
  await passes(page, 2);
  await page.getByRole("button", { name: "Stop playing" }).click();
  const here = await number(page);
  assert.ok(here < LONG);
  await until(page, (here) => location.hash.endsWith(`/${here}`), here);
  const places = await page.evaluate(() => history.length);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await shows(page, LONG);
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  await until(page, (last) => location.hash.endsWith(`/${last}`), LONG);
  assert.equal(await page.evaluate(() => history.length), places, "turns that were played are not in the browser's history");
});

scene("a filter shows only turns that failed, acted or were held", async (stage) => {
  const page = await eventful(stage);
  const filter = page.getByRole("combobox", { name: "Filter turns" });
  await page.locator("#track-marks [data-kind=held]").waitFor({ state: "attached" });
  await filter.selectOption("held");
  await shows(page, 12);
  await until(page, () => [...document.querySelectorAll("#film [data-turn]")].map(({ dataset }) => dataset.turn).join() === "8,12");
  await filter.blur();
  await page.keyboard.press("ArrowLeft");
  await shows(page, 8);
  await filter.selectOption("failed");
  await shows(page, 4);
  await filter.selectOption("acted");
  await filter.blur();
  await page.keyboard.press("ArrowRight");
  await shows(page, 5);
  await page.keyboard.press("ArrowRight");
  await shows(page, 7);
  await filter.selectOption("all turns");
  await filter.blur();
  await page.keyboard.press("ArrowRight");
  await shows(page, 8);
});

scene("a filter that is chosen before it is known what happened applies as soon as it is", async (stage) => {
  record(stage.path("run"), 30, { change: (line) => void (line.turn === 4 && (line.errors = ["it broke"])) });
  const franz = await stage.replay();
  const context = await stage.context(franz);
  let release;
  const released = new Promise((done) => (release = done));
  await context.route("**/api/marks?*", async (route) => {
    await released;
    await route.continue();
  });
  const page = await stage.open(franz, { context });
  await shows(page, 30);
  await page.getByRole("combobox", { name: "Filter turns" }).selectOption("failed");
  release();
  await shows(page, 4);
  await page.locator('#film [data-turn="4"][aria-current=true]').waitFor();
});

scene("the action under the mouse or focus is shown in the picture, and so is the area that changed", async (stage) => {
  record(stage.path("run"), 3, {
    change: (line) => {
      line.change = { area: [100, 200, 300, 400] };
      line.acted = ["left_click(250, 500)", "drag(10, 20, 30, 40)", "scroll(-3, 700, 600, dx=2)", 'type("(1, 2)", 300, 400, replace=True)', "drag(points=[[1, 2], [3, 4], [5, 6]])", 'press("a", count=2)'].map((action) => ({ action, outcome: "done", why: null }));
    },
  });
  const page = await stage.open(await stage.replay());
  await shows(page, 3);
  await page.locator("#sheet img").waitFor();
  const rows = page.locator("#actions li");
  const inked = (paths) => until(page, (paths) => [...document.querySelectorAll("#places .ink")].map((path) => path.getAttribute("d")).join() === paths, paths.join());
  for (const [row, paths] of [[0, ["M250 500h0"]], [1, ["M10 20L30 40", "M10 20h0"]], [2, ["M700 600h0"]], [3, ["M300 400h0"]], [4, ["M1 2L3 4L5 6", "M1 2h0"]], [5, []]]) {
    await rows.nth(row).hover();
    await inked(paths);
    await page.mouse.move(5, 5);
    await inked([]);
    await rows.nth(row).focus();
    await inked(paths);
  }
  await rows.nth(0).focus();
  await inked(["M250 500h0"]);
  const [sheet, at] = [await box(page, "#sheet"), await box(page, "#places .dot.ink")];
  assert.ok(Math.abs(at.x + at.width / 2 - (sheet.x + sheet.width / 4)) < 2 && Math.abs(at.y + at.height / 2 - (sheet.y + sheet.height / 2)) < 2);
  await page.keyboard.press("c");
  await inked(["M100 200H300V400H100Z", "M250 500h0"]);
  assert.equal(await page.getByRole("button", { name: "Changed" }).getAttribute("aria-pressed"), "true");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 2);
  await inked(["M100 200H300V400H100Z"]);
});

scene(`${TURNS} turns: the film contains only visible pictures, and one mark stands for many`, async (stage) => {
  record(stage.path("run"), TURNS, { pictures: 20, change: (line) => void (line.errors = line.turn % 3 ? [] : ["an error"]) });
  const page = await stage.open(await stage.replay());
  await shows(page, TURNS);
  await page.locator("#track-marks i").first().waitFor();
  assert.ok((await page.locator("#film [data-turn]").count()) < 40);
  assert.ok((await page.locator("#track-marks i").count()) < 150);
  await page.locator("#film").evaluate((film) => (film.scrollLeft = film.scrollWidth / 2));
  await frame(page, TURNS / 2).waitFor();
  assert.ok((await page.locator("#film [data-turn]").count()) < 40);
  await page.locator("#film").evaluate((film) => (film.scrollLeft = 0));
  await frame(page, 1).locator("img").waitFor();
  assert.ok((await nodes(page)) < 1000);
  await says(page, "reply-text", `the reply of turn ${TURNS}.`);
});

scene("marks and previews that could not be fetched are fetched again", async (stage) => {
  record(stage.path("run"), 30, {
    change: (line) => {
      if (line.turn === 8) line.acted = outcome("held");
    },
  });
  const franz = await stage.replay();
  const context = await stage.context(franz);
  for (const address of ["**/api/marks?*", "**/api/turns?*"]) await context.route(address, (route) => route.abort());
  const page = await stage.open(franz, { context });
  await shows(page, 30);
  await frame(page, 30).waitFor();
  await context.unrouteAll();
  await page.locator("#track-marks [data-kind=held]").waitFor({ state: "attached" });
  await page.keyboard.press("Home");
  await shows(page, 1);
  await page.keyboard.press("End");
  await frame(page, 30).locator("img").waitFor();
});
