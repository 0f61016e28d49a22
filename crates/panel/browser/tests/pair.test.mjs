// Two runs beside one another: a run and its fork, two models, a run and its repeat, live ones and damaged ones.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

import { HOSTILE } from "../stage/hostile.mjs";
import { drawing } from "../stage/model.mjs";
import { box, nodes, says, shows, until, waits } from "../stage/page.mjs";
import { record, replyOf } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Records a run of nine turns and its fork of twelve, in which another model replies from turn 7 on. */
function recordFork(stage) {
  record(stage.path("cat"), 9);
  record(stage.path("hat"), 12, {
    change: (line) => {
      if (line.turn < 7) return;
      line.model = "other-model";
      line.reply = replyOf(line.turn).replace("I draw", "I erase");
    },
  });
  writeFileSync(stage.path("hat", "state.json"), '{"v":1,"turn":12,"story":"","forked_from":{"run":"cat","turn":7}}');
  writeFileSync(stage.path("hat", "ended.json"), '{"at":"2026-01-01T01:00:00Z","reason":"the last requested turn is done","exit_code":0}');
}

/** Starts `franz replay` for two runs. */
const compare = (stage, one, other) => stage.franz("replay", stage.path(one), "--compare", stage.path(other), "--no-open", "--dashboard", "127.0.0.1:0");

/** Waits until both runs are shown at this turn. */
const pairs = (page, turn) => until(page, (turn) => document.getElementById("pair-number").value === String(turn) && document.querySelector("#pair-body")?.innerText.includes(`reply of turn ${turn}.`), turn);

/** Returns the signs on the track, and where they are. */
const marksOf = (page) => page.locator("#pair-marks i").evaluateAll((marks) => marks.map((mark) => [mark.textContent, Number(mark.style.getPropertyValue("--at"))]));

/** Returns the hashes of all files of a run. */
const files = (directory) => readdirSync(directory).map((name) => [name, createHash("sha256").update(readFileSync(`${directory}/${name}`)).digest("hex")]);

scene("a fork begins at its first difference beside its source, and is walked through with keys and mouse", async (stage) => {
  recordFork(stage);
  const before = [files(stage.path("cat")), files(stage.path("hat"))];
  const page = await stage.open(await compare(stage, "cat", "hat"), { viewport: { width: 1440, height: 900 } });
  await pairs(page, 7);
  await says(page, "pair-note", "Turn 7 is the first with a difference: the request's settings and the reply.");
  const heads = await page.locator("#pair-heads > div").allInnerTexts();
  assert.match(heads[0], /^cat\s+9 turns · 9,000 tokens · 10\.9 s · no end recorded$/);
  assert.match(heads[1], /^hat\s+12 turns · 12,000 tokens · 14\.5 s · ended: the last requested turn is done\s+↳ forked from cat at turn 7$/);
  const differing = () => page.locator("#pair section:has(.badge) > h3").allInnerTexts();
  assert.deepEqual(await differing(), ["Reply ≠ differs", "Request ≠ differs"]);
  assert.deepEqual(await page.locator("#pair-body mark").allTextContents(), ["draw", "erase"]);
  const [left, right] = await Promise.all([0, 1].map((i) => page.locator("#pair img").nth(i).boundingBox()));
  assert.ok(left.x + left.width <= right.x && left.y === right.y, "the pictures are beside one another");
  assert.deepEqual(await page.locator("#pair img").evaluateAll((images) => images.map(({ naturalWidth }) => naturalWidth)), [512, 512]);
  assert.deepEqual(await marksOf(page), [["↳≠", 6 / 11]]);

  await page.keyboard.press("ArrowRight");
  await pairs(page, 8);
  await page.keyboard.press("End");
  await pairs(page, 12);
  await page.locator("#pair-body").getByText("There is no turn 12 in this run.").waitFor();
  assert.equal(await page.locator("#pair-next").isDisabled(), true);
  await page.keyboard.press("Home");
  await pairs(page, 1);
  assert.deepEqual(await differing(), []);
  await page.getByRole("button", { name: "First difference" }).click();
  await pairs(page, 7);
  await until(page, () => {
    const [body, reply] = [document.getElementById("pair-body"), document.querySelector("#pair section:has(.badge)")].map((element) => element.getBoundingClientRect());
    return reply.top >= body.top && reply.bottom <= body.bottom;
  });
  await page.locator("#pair-number").fill("4");
  await page.keyboard.press("Enter");
  await pairs(page, 4);
  await page.getByRole("button", { name: "Fork" }).press("Enter");
  await pairs(page, 7);
  const track = await box(page, "#pair-scrubber");
  await page.mouse.click(track.x + track.width / 2, track.y + track.height / 2);
  await until(page, () => ["6", "7"].includes(document.getElementById("pair-number").value));
  await page.locator("#pair-number").fill("5");
  await page.keyboard.press("Enter");
  await pairs(page, 5);

  await page.waitForURL((url) => url.hash === "#cat/5//hat");
  await page.reload();
  await pairs(page, 5);
  await page.goBack();
  await until(page, () => location.hash !== "#cat/5//hat");
  await page.goForward();
  await pairs(page, 5);
  await page.keyboard.press("Escape");
  await page.locator("#pair").waitFor({ state: "hidden" });
  await shows(page, 5);
  await page.waitForURL((url) => url.hash === "#cat/5");
  assert.deepEqual([files(stage.path("cat")), files(stage.path("hat"))], before, "looking changes nothing");
});

scene("the second run is chosen from the list with keys, and on a phone with a finger", async (stage) => {
  record(stage.path("runs", "cat"), 6);
  record(stage.path("runs", "repeat"), 6, { change: (line) => void (line.turn > 3 && (line.feedback += " Not quite.")) });
  const panel = await stage.panel(await stage.model());
  const link = (run) => panel.link.replace("/?", `/run/${run}/?`);
  const page = await stage.open({ ...panel, link: link("cat"), clients: () => panel.clients(), address: panel.address });
  await shows(page, 6);
  await page.keyboard.press("Home");
  await page.waitForURL((url) => url.hash === "#cat/1");
  await page.keyboard.press("r");
  await page.getByRole("button", { name: "Compare with repeat" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Compare with/ }).count(), 1, "not with itself");
  await page.getByRole("button", { name: "Compare with repeat" }).focus();
  await page.keyboard.press("Enter");
  await pairs(page, 4);
  await says(page, "pair-note", "Turn 4 is the first with a difference: the memory or feedback.");
  assert.deepEqual(await page.locator("#pair-body mark").allTextContents(), [" Not quite."]);
  assert.deepEqual(await marksOf(page), [["≠", 3 / 5]]);
  await page.waitForURL((url) => url.hash === "#cat/4//repeat");
  await page.goBack();
  await page.locator("#pair").waitFor({ state: "hidden" });
  await until(page, () => !document.getElementById("pair-rows").childElementCount);
  await shows(page, 1);
  await page.goForward();
  await pairs(page, 4);

  const phone = await stage.open({ link: link("repeat"), address: panel.address, clients: () => panel.clients() }, { ...PHONE, context: await stage.context(panel, PHONE) });
  await shows(phone, 6);
  await phone.locator("#runs-open").tap();
  await phone.getByRole("button", { name: "Compare with cat" }).tap();
  await pairs(phone, 4);
  const [upper, lower] = await Promise.all([0, 1].map((i) => phone.locator("#pair img").nth(i).boundingBox()));
  assert.ok(upper.y + upper.height <= lower.y, "the pictures are stacked");
  await phone.locator("#pair-next").tap();
  await pairs(phone, 5);
  for (const button of await phone.locator("#pair button:visible").all()) {
    const { x, width, height } = await button.boundingBox();
    assert.ok(height >= 44 && x >= 0 && x + width <= 390, await button.innerText());
  }
  const wide = await phone.evaluate(() => Math.max(document.documentElement.scrollWidth, document.getElementById("pair-body").scrollWidth));
  assert.ok(wide <= 390, `${wide} px wide`);
});

scene("a difference late in long runs is found, and nothing else is loaded", async (stage) => {
  const turns = 10_000;
  record(stage.path("one"), turns, { pictures: 0, verdicts: false });
  record(stage.path("two"), turns, { pictures: 0, verdicts: false, change: (line) => void (line.turn === 9500 && (line.acted[1].outcome = "done")) });
  const asked = [];
  const franz = await compare(stage, "one", "two");
  const context = await stage.context(franz);
  context.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const page = await stage.open(franz, { context });
  await pairs(page, 9500);
  await says(page, "pair-note", "Turn 9,500 is the first with a difference: the actions.");
  const count = (part) => asked.filter((path) => path.includes(part)).length;
  assert.ok(count("/api/trace") <= 40, `${count("/api/trace")} requests for traces`);
  assert.ok(count("/api/turns/") <= 30, `${count("/api/turns/")} turns`);
  assert.ok((await nodes(page)) < 2500);
  await page.keyboard.press("Home");
  await pairs(page, 1);
});

scene("equal runs are said to be equal, also if their marks show the time of day", async (stage) => {
  record(stage.path("one"), 3, { change: (line) => void (line.clock = `10:00:0${line.turn}`) });
  record(stage.path("two"), 4, { change: (line) => void ((line.clock = `11:00:0${line.turn}`), (line.image.sha256 = line.image.sha256.replace(/^./, (digit) => (digit === "0" ? "1" : "0")))) });
  const page = await stage.open(await compare(stage, "one", "two"));
  await pairs(page, 4);
  await says(page, "pair-note", "Equal up to turn 3. Only two goes on.");
  assert.equal(await page.locator("#pair-difference").isHidden(), true);
});

scene("what is missing or damaged is one line, and the rest stays usable", async (stage) => {
  record(stage.path("one"), 5);
  record(stage.path("two"), 5, { change: (line) => (line.turn === 3 ? "{not json" : undefined) });
  const franz = await compare(stage, "one", "two");
  const page = await stage.open(franz);
  await until(page, () => document.getElementById("pair-number").value === "3");
  await says(page, "pair-note", "Turn 3 is missing in one of the runs.");
  await page.locator("#pair-body").getByText("There is no turn 3 in this run.").waitFor();
  await page.locator("#pair-body").getByText("This is the reply of turn 3.").waitFor();
  await page.keyboard.press("ArrowRight");
  await pairs(page, 4);
  await page.goto(`${franz.address}/run/one/#one/2//nowhere`);
  await page.reload();
  await says(page, "pair-note", "nowhere cannot be shown beside this run. It is not among the runs of this panel.");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Close" }).locator("visible=true").click();
  await page.locator("#pair").waitFor({ state: "hidden" });
  await shows(page, 2);
});

scene("a run is compared with a live one, whose new turns arrive", async (stage) => {
  record(stage.path("runs", "cat"), 2);
  const model = await stage.model();
  const panel = await stage.panel(model);
  const page = await stage.open(panel);
  await stage.franz("run", "--no-open", "--run-dir", "now", "--upstream", model.address, "--dashboard", "127.0.0.1:0", "--set", "loop.executing_delay_s=0", "--set", "loop.patience=0");
  await page.waitForURL((url) => url.pathname === "/run/now/");
  await model.say(drawing(1));
  await waits(page, 2);
  await page.keyboard.press("r");
  await page.getByRole("button", { name: "Compare with cat" }).click();
  await says(page, "pair-note", /^Turn 1 is the first with a difference/);
  await page.locator("#pair-heads").getByText(/1 turn · .* still running/).waitFor();
  await model.say(drawing(2));
  await model.asked();
  await page.locator("#pair-heads").getByText(/2 turns · .* still running/).waitFor();
  await page.keyboard.press("End");
  await page.locator("#pair-body").getByText("Reply 2.").waitFor();
});

scene("text of the second run stays text", async (stage) => {
  record(stage.path("one"), 2);
  record(stage.path("two"), 2, { change: (line) => void Object.assign(line, { reply: HOSTILE, feedback: HOSTILE, model: HOSTILE, goal: HOSTILE, acted: [{ action: HOSTILE, outcome: HOSTILE, why: HOSTILE }] }) });
  writeFileSync(stage.path("two", "ended.json"), JSON.stringify({ at: "", reason: HOSTILE, exit_code: 0 }));
  const page = await stage.open(await compare(stage, "one", "two"));
  await says(page, "pair-note", /^Turn 1/);
  await page.locator("#pair-body").getByText("pwned").first().waitFor();
  assert.equal(await page.locator("#pair-body").locator("script, iframe, svg, [onerror], [onload]").count(), 0);
});
