// Recorded runs, in whatever state they are. They cannot be controlled, and can be saved in one file.

import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { neverFades, says, shows } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

scene("a recorded run has no controls", async (stage) => {
  record(stage.path("run"), 5);
  const franz = await stage.replay();
  const page = await stage.open(franz);
  await shows(page, 5);
  await says(page, "status-words", "Recorded run");
  for (const name of ["Pause", "Resume", "One step", "Stop", "Settings", "Edit goal", "Send"]) assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  assert.equal(await page.getByRole("switch").count(), 0);
  const answer = await franz.fetch("/api/control", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"do":"pause"}' });
  assert.equal(answer.status, 404);
});

scene("a run whose last line was cut off shows every turn before it", async (stage) => {
  record(stage.path("run"), 5);
  const file = stage.path("run", readdirSync(stage.path("run")).find((name) => name.startsWith("turns_")));
  const lines = readFileSync(file, "utf8");
  appendFileSync(file, lines.slice(lines.lastIndexOf("\n", lines.length - 2) + 1, -40));
  const page = await stage.open(await stage.replay());
  await shows(page, 5);
  await says(page, "range", "of 5");
  await says(page, "reply-text", "the reply of turn 5.");
});

scene("a grounder's answer is below the action that named the target", async (stage) => {
  const found = { action: "left_click(512, 300)", model: "ui-tars", said: "click(start_box='(655,216)')", ms: 120 };
  const acted = [
    { action: 'left_click(target="Save")', outcome: "done", why: null, found },
    { action: 'left_click(target="Load")', outcome: "not_applied", why: "the grounder did not answer", found: { ...found, action: null, said: "" } },
  ];
  record(stage.path("run"), 2, { change: (line) => JSON.stringify({ ...line, acted: line.turn === 2 ? acted : [] }) });
  const page = await stage.open(await stage.replay());
  await shows(page, 2);
  await says(page, "actions", /target="Save"[^]*→ left_click\(512, 300\)[^]*ui-tars: click\(start_box[^]*ui-tars: no answer/);
});

scene("a run without turns says so", async (stage) => {
  record(stage.path("run"), 0);
  writeFileSync(stage.path("run", "turns_0001_1000.jsonl"), "");
  const page = await stage.open(await stage.replay());
  await says(page, "story-note", "No turn yet");
  await says(page, "picture-note", "No picture yet.");
});

scene("missing and failed turns do not stop a person from stepping through the run", async (stage) => {
  record(stage.path("run"), 9, {
    verdicts: false,
    change: (line) => {
      if (line.turn === 4 || line.turn === 5) return "{not json";
      if (line.turn === 7) Object.assign(line, { status: "failed", reply: null, attempts: 5, errors: ["503 Service Unavailable", "timed out"], image: null });
    },
  });
  const page = await stage.open(await stage.replay());
  await shows(page, 9);
  await says(page, "verdict", "Not checked yet");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 7);
  await says(page, "reply-note", "no usable reply in 5 attempts");
  assert.ok(await page.locator("#failed").isVisible());
  await says(page, "errors", /2 errors in this turn[^]*503 Service Unavailable/);
  await says(page, "picture-note", "This turn has no picture: its request contained none.");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 6);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 3);
  await page.keyboard.press("ArrowRight");
  await shows(page, 6);
  const tried = page.waitForResponse("**/api/turns/5");
  await page.locator("#number").fill("5");
  await page.keyboard.press("Enter");
  await tried;
  await page.waitForFunction(() => ["3", "6"].includes(document.getElementById("number").value));
});

scene("a turn that cannot be read is passed over by keys and by playing, and the page says why", async (stage) => {
  record(stage.path("run"), 6, { change: (line) => void ([3, 6].includes(line.turn) && Object.assign(line, { acted: "in a later form" })) });
  const page = await stage.open(await stage.replay());
  await shows(page, 5);
  await neverFades(page);
  // The page tried turn 6 twice while it opened.
  const notices = page.locator("#notices-count");
  assert.equal(await notices.textContent(), "1");
  await page.keyboard.press("ArrowRight");
  await notices.filter({ hasText: /^2$/ }).waitFor({ state: "attached" });
  await says(page, "toasts", "Cannot show turn 6. turn 6 cannot be read");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 4);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 2);
  await says(page, "toasts", "Cannot show turn 3.");
  await page.keyboard.press("ArrowRight");
  await shows(page, 4);
  await page.keyboard.press("Home");
  await shows(page, 1);
  await page.locator("#play").click();
  await shows(page, 5);
  // Nothing behind turn 5 can be shown, so playing is over.
  await page.locator("#play[aria-pressed=false]").waitFor();
  await shows(page, 5);
});

scene("a run of which no turn can be read says so instead of waiting for a reply", async (stage) => {
  record(stage.path("run"), 1, { change: (line) => void Object.assign(line, { acted: "in a later form" }) });
  const franz = await stage.replay();
  const page = await (await stage.context(franz)).newPage();
  await page.goto(franz.link);
  await says(page, "reply-note", "Cannot show turn 1. turn 1 cannot be read");
});

scene("the page says why a picture is missing", async (stage) => {
  record(stage.path("run"), 7, {
    change: (line) => {
      if (line.turn === 6) Object.assign(line, { image: null, errors: ["the picture was not saved because it is not a PNG"] });
      if (line.turn === 7) Object.assign(line, { image: null, attempts: 0, status: "failed", reply: null, errors: ["the screen is gone"] });
    },
  });
  for (const turn of [1, 2, 4]) for (const kind of ["", ".plain"]) rmSync(stage.path("run", `turn_000${turn}${kind}.png`));
  const page = await stage.open(await stage.replay());
  for (const [turn, words] of [
    [7, "This turn has no picture: it ended before FRANZ looked at the screen."],
    [6, "This turn has no picture: the picture was not saved because it is not a PNG."],
    [4, "This picture is gone: somebody removed its file."],
    [2, "This picture was removed to make room. Those from turn 3 on are kept; record.keep_pictures sets how many."],
  ]) {
    await page.locator("#number").fill(String(turn));
    await page.locator("#number").press("Enter");
    await shows(page, turn);
    await says(page, "picture-note", words);
  }
  await page.locator("#number").fill("3");
  await page.locator("#number").press("Enter");
  await shows(page, 3);
  await page.keyboard.press("b");
  await says(page, "picture-note", "There is no picture to compare with.");
  assert.equal(await page.locator("#layers img").count(), 1);
});

scene("times are local, with date and zone in their titles", async (stage) => {
  record(stage.path("run"), 2);
  const page = await stage.open(await stage.replay(), { timezoneId: "Asia/Tokyo" });
  await shows(page, 2);
  const time = page.locator("#picture-when time");
  assert.equal(await time.getAttribute("datetime"), "2026-01-01T00:00:04.000Z");
  assert.match(await time.getAttribute("title"), /Thursday,? 1 January 2026.*09:00:04 GMT\+9/);
  assert.match(await time.innerText(), /09:00:04$/);
  assert.match(await page.locator("#picture-when").innerText(), /09:00:04 · 512 × 288$/);
});

scene("a conversation is shown as one, and its calls look like calls", async (stage) => {
  const call = (name, given) => ({ id: "1", type: "function", function: { name, arguments: given } });
  record(stage.path("run"), 2, {
    verdicts: false,
    change: (line) => Object.assign(line, { story: "", reply: null, tool_calls: [call("type", '{"text":"a \\"b\\"","times":2}'), call("wait", "5 s"), {}, null], sampling: { temperature: null, top_p: 0.9 } }) && undefined,
  });
  const page = await stage.open(await stage.replay());
  await shows(page, 2);
  await says(page, "story-note", "This agent keeps a conversation; there is no single story.");
  assert.equal(await page.locator("#tab-reply").getAttribute("title"), "What the model said");
  await says(page, "calls-text", "wait(5 s)");
  assert.equal(await page.locator("#calls-text").innerText(), 'type(text: "a "b"", times: 2)\nwait(5 s)\n?()\n?()');
  await says(page, "facts", /Sampling\s*top_p 0\.9/);
});

scene("the model's reasoning is folded above its reply", async (stage) => {
  record(stage.path("run"), 2, { change: (line) => void (line.turn === 2 && Object.assign(line, { reasoning: "The cat has\nno tail yet." })) });
  const page = await stage.open(await stage.replay());
  await shows(page, 2);
  assert.equal(await page.locator("#reasoning-text").isVisible(), false);
  await page.locator("#reasoning summary").press("Enter");
  await says(page, "reasoning-text", "The cat has\nno tail yet.");
  await page.keyboard.press("ArrowLeft");
  await shows(page, 1);
  assert.equal(await page.locator("#reasoning").isVisible(), false);
});

scene("the history in one file opens offline and shows every turn", async (stage) => {
  const turns = 12;
  record(stage.path("run"), turns);
  const page = await stage.open(await stage.replay());
  await page.keyboard.press("h");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save as one HTML file" }).click()]);
  const file = stage.path("history.html");
  await download.saveAs(file);
  await page.context().setOffline(true);
  const saved = await page.context().newPage();
  await saved.goto(pathToFileURL(file).href);
  const headings = await saved.getByRole("heading", { name: /^Turn \d+/ }).allTextContents();
  assert.deepEqual(headings.map((heading) => Number(/\d+/.exec(heading))), Array.from({ length: turns }, (_, i) => i + 1));
  for (const text of ["the reply of turn 1.", `the reply of turn ${turns}.`, `the feedback of turn ${turns}.`]) await saved.getByText(text).first().waitFor();
  const pictures = await saved.evaluate(() => Promise.all([...document.images].map((image) => image.decode().then(() => image.naturalWidth))));
  assert.deepEqual(pictures, Array(turns).fill(512));
  assert.equal(await saved.locator("script, link, iframe, object, [src^=http]").count(), 0);

  const [lines] = await Promise.all([page.waitForEvent("download"), page.context().setOffline(false).then(() => page.getByRole("link", { name: "JSONL" }).click())]);
  await lines.saveAs(stage.path("turns.jsonl"));
  const numbers = readFileSync(stage.path("turns.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line).turn);
  assert.deepEqual(numbers, Array.from({ length: turns }, (_, i) => i + 1));
});

scene("without the right token, there is nothing but a hint about where to find it", async (stage) => {
  record(stage.path("run"), 2);
  const franz = await stage.replay();
  const page = await (await stage.context(franz)).newPage();
  for (const path of ["/", "/?token=0", `/?token=${"0".repeat(32)}`]) {
    const response = await page.goto(franz.address + path);
    assert.equal(response.status(), 401);
    assert.match(await page.locator("body").innerText(), /franz open.*terminal/);
  }
  for (const path of ["/api/state", "/api/turns/1", "/events", "/assets/main.js", "/export/turns.jsonl", "/metrics"]) {
    assert.equal((await fetch(franz.address + path)).status, 401, path);
  }
  assert.equal((await (await page.goto(franz.link)).status()), 200);
  await shows(page, 2);
});
