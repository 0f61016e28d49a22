// Every state and every overlay, dark and light. They must be accessible, and can be saved as pictures for people to
// look at.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { Client } from "../stage/client.mjs";
import { drawing } from "../stage/model.mjs";
import { choose, passes, pauses, says, shows, until, waits } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { saveSheet } from "../stage/sheet.mjs";
import { scene } from "../stage/stage.mjs";

const SCHEMES = ["dark", "light"];
const SMALL = { width: 1366, height: 768 };
const LARGE = { width: 2560, height: 1440 };
const PHONE = { width: 390, height: 844 };
const TABLET = { width: 768, height: 1024 };
const DESK = { width: 1440, height: 900 };
/** A desk at 200 %. */
const ENLARGED = { width: 720, height: 450 };
const PICTURES = process.env.BROWSER_PICTURES;
/** Where to save a picture of each state at all sizes, if anywhere. */
const SHEETS = process.env.BROWSER_SHEETS;

const AXE = new URL("../node_modules/axe-core/axe.min.js", import.meta.url).pathname;

/** Checks at each size that axe finds nothing wrong with the page, and saves a picture of it, in each colour scheme. */
async function look(page, name, sizes = [SMALL]) {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const size of sizes) {
      await page.setViewportSize(size);
      const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], preload: false }));
      const found = violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ html }) => html.slice(0, 200)).join("\n  ")}`);
      assert.ok(!found.length, `${name}, ${colorScheme}, ${size.width} px:\n${found.join("\n")}`);
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}-${size.width}.png` });
    }
    await page.setViewportSize(SMALL);
    if (SHEETS && colorScheme === "dark") await saveSheet(page, `${SHEETS}/${name}.jpg`);
  }
}

for (const directory of [PICTURES, SHEETS]) if (directory) mkdirSync(directory, { recursive: true });

async function open(stage, franz) {
  const context = await stage.context(franz, { reducedMotion: "reduce" });
  await context.addInitScript({ path: AXE });
  return stage.open(franz, { context });
}

const press = (page, name) => page.getByRole("button", { name }).click();

scene("axe finds a deliberate mistake", async (stage) => {
  record(stage.path("run"), 1);
  const page = await open(stage, await stage.replay());
  await page.evaluate(() => document.body.append(document.createElement("input")));
  await assert.rejects(look(page, "never"), /label: /);
});

scene("a recorded run and its overlays", async (stage) => {
  record(stage.path("run"), 30, {
    change: (line) => {
      if (line.turn === 20) Object.assign(line, { status: "failed", reply: null, attempts: 5, errors: ["503 Service Unavailable", "timed out"], image: null });
    },
  });
  const page = await open(stage, await stage.replay());
  await shows(page, 30);
  await look(page, "recorded", [SMALL, LARGE]);
  await page.keyboard.press("d");
  await page.locator("#changes-text ins").first().waitFor();
  await look(page, "changes");
  await page.keyboard.press("d");
  await page.keyboard.press("b");
  await until(page, () => document.querySelectorAll("#sheet img").length === 2);
  await look(page, "compare");
  await page.keyboard.press("b");
  await page.locator("#number").fill("20");
  await page.keyboard.press("Enter");
  await shows(page, 20);
  await look(page, "failed");
  await page.keyboard.press("h");
  await page.locator("#history-rows .columns img").first().waitFor();
  await look(page, "history", [SMALL, LARGE]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("line 1");
  await says(page, "search-note", /\d+ hits/);
  await look(page, "search");
  await page.keyboard.press("Escape");
  await page.locator("#search").waitFor({ state: "hidden" });
  await page.keyboard.press("?");
  await page.locator("#help[open]").waitFor();
  await look(page, "help");
});

scene("a run in a single file", async (stage) => {
  record(stage.path("run"), 30);
  await stage.export("--html", "run.html");
  const context = await stage.context(null, { bypassCSP: true, reducedMotion: "reduce" });
  await context.addInitScript({ path: AXE });
  const page = await context.newPage();
  await page.goto(pathToFileURL(stage.path("run.html")).href);
  await shows(page, 30);
  await until(page, () => document.querySelector("#sheet img")?.naturalWidth);
  await look(page, "player", [SMALL, LARGE, PHONE]);
});

scene("two runs beside one another", async (stage) => {
  record(stage.path("cat"), 9);
  record(stage.path("hat"), 12, { change: (line) => void (line.turn > 6 && Object.assign(line, { model: "other-model", reply: line.reply.replace("I draw", "I erase") })) });
  writeFileSync(stage.path("hat", "state.json"), '{"v":1,"turn":12,"story":"","forked_from":{"run":"cat","turn":7}}');
  const page = await open(stage, await stage.franz("replay", stage.path("cat"), "--compare", stage.path("hat"), "--no-open", "--dashboard", "127.0.0.1:0"));
  await says(page, "pair-note", "Turn 7 is the first with a difference");
  await page.locator("#pair mark").first().waitFor();
  await look(page, "pair", [SMALL, PHONE, TABLET, ENLARGED, DESK]);
});

scene("a target that a grounder found", async (stage) => {
  const found = { action: "left_click(420, 415)", model: "ui-tars", said: "click(start_box='(215,119)')", ms: 120 };
  const acted = [{ action: 'left_click(target="the red square")', outcome: "done", why: null, found }];
  record(stage.path("run"), 2, { change: (line) => void (line.acted = line.turn === 2 ? acted : []) });
  const page = await open(stage, await stage.replay());
  await shows(page, 2);
  await look(page, "grounder", [SMALL, PHONE]);
  await page.keyboard.press("ArrowLeft");
  await page.locator(".ring").focus();
  await look(page, "found", [SMALL, PHONE]);
});

scene("a live run, waiting, paused, with its dialogs, and disconnected", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await open(stage, franz);
  await waits(page, 1);
  await look(page, "waiting");
  for (const turn of [1, 2, 3]) await model.say(drawing(turn));
  await waits(page, 4);
  await look(page, "live", [SMALL, LARGE]);
  await choose(page, "History");
  await page.locator("#history-rows .columns img").first().waitFor();
  await look(page, "live-history");
  await page.keyboard.press("Escape");
  await choose(page, "Settings");
  await page.locator("#settings-list form").first().waitFor();
  await look(page, "settings");
  await page.keyboard.press("Escape");
  await press(page, "Edit goal");
  await until(page, () => document.getElementById("goal-field").value);
  await look(page, "goal");
  await page.keyboard.press("Escape");
  await press(page, "Stop");
  await look(page, "really-stop");
  await press(page, "Pause");
  await pauses(page, model, drawing);
  await look(page, "paused");
  await choose(page, "Clear display");
  await page.keyboard.press("Escape");
  await look(page, "cleared");
  await choose(page, "Show all turns");
  await page.keyboard.press("Escape");
  await press(page, "Resume");
  await model.asked();
  model.refuse({ status: 503, body: "the model is being loaded" });
  await model.drop();
  await says(page, "pending", /again in/);
  await look(page, "retrying");
  await choose(page, /^Notices/);
  await says(page, "notices-list", "attempt 1 failed");
  await look(page, "notices");
  await page.keyboard.press("Escape");
  await franz.kill();
  await says(page, "status-words", "Disconnected");
  await look(page, "disconnected");
});

scene("a waiting action, the menu, the request, and a maximised pane", async (stage) => {
  const model = await stage.model();
  const page = await open(stage, await stage.run(model, "--gate", "ask"));
  await model.say(drawing(1));
  await page.locator("#approve:enabled").waitFor();
  await look(page, "question", [SMALL, PHONE]);
  await page.keyboard.press("e");
  await look(page, "question-edited", [SMALL, PHONE]);
  await page.locator("#menu-open").click();
  await look(page, "menu", [SMALL, PHONE]);
  await page.keyboard.press("Escape");
  await page.locator("#texts").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("4");
  await page.locator("#exchanges section").waitFor();
  await look(page, "request", [SMALL, PHONE]);
  await page.keyboard.press("1");
  await look(page, "picture-largest", [SMALL, PHONE]);
});

scene("a run that has ended, and a link that is no longer valid", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--max-turns", "1");
  const front = await stage.front(franz);
  const page = await open(stage, front);
  await model.say(drawing(1));
  await franz.ended;
  await says(page, "banner-text", "The run has ended");
  await look(page, "ended");
  const again = await stage.replay();
  assert.notEqual(again.token, franz.token);
  front.franz = again;
  await says(page, "status-words", "This link is no longer valid");
  await look(page, "expired");
});

scene("a violation", async (stage) => {
  const model = await stage.model((turn) => `A story of turn ${turn} that goes on for a while.`);
  const franz = await stage.panel(model);
  const page = await open(stage, franz);
  const client = new Client(franz.relay);
  await client.ask("");
  // An answer arrives before the panel has recorded it.
  await shows(page, 1);
  await client.ask("A story of turn 1 that goes on for awhile.");
  await says(page, "verdict", "Story changed");
  await look(page, "violation");
});

const calls = (name, given) => ({ content: '""', calls: JSON.stringify([{ id: `c-${name}`, type: "function", function: { name, arguments: JSON.stringify(given) } }]) });

scene("a question of the model, and its final answer", async (stage) => {
  const model = await stage.model();
  const page = await open(stage, await stage.run(model, "--profile", "operator", "--screen", "canvas", "Draw a house"));
  await model.say(calls("ask", { question: "Which colour should the roof have?" }));
  await page.locator("#approve:enabled").waitFor();
  await look(page, "asked", [SMALL, PHONE]);
  await page.getByLabel("Your answer").fill("Red");
  await page.keyboard.press("Enter");
  await model.say(calls("finish", { answer: "The house has a red roof.", success: true }));
  await says(page, "banner-text", "The house has a red roof.");
  await look(page, "answer", [SMALL, PHONE]);
});

scene("a mask that is being drawn, and a reply in place of the model", async (stage) => {
  const model = await stage.model();
  const page = await open(stage, await stage.run(model));
  await model.say(drawing(1));
  await waits(page, 2);
  await page.locator("#sheet img").waitFor();
  await press(page, "Mask");
  await page.locator("#mask-box").waitFor();
  await look(page, "masking", [SMALL, PHONE]);
  await page.keyboard.press("Escape");
  await press(page, "Answer myself");
  await until(page, () => document.getElementById("own-field").value);
  await look(page, "own", [SMALL, PHONE]);
});

scene("a screen that is taken over", async (stage) => {
  const model = await stage.model();
  const page = await open(stage, await stage.run(model, "--screen", "virtual", "--set", 'screen.start=["xterm"]'));
  await model.asked();
  await press(page, "Take over");
  await until(page, () => document.getElementById("live-screen").dataset.picture);
  await look(page, "takeover", [SMALL, PHONE]);
});

scene("an agent that is being restarted", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--set", "panel.restart_s=600");
  const page = await open(stage, franz);
  await model.asked();
  franz.killChildren();
  await says(page, "banner-text", "The agent is restarting");
  await look(page, "restarting", [SMALL, PHONE]);
});

scene("a standing panel: empty, with another program's conversation, and with runs", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const panel = await stage.panel(model);
  const page = await open(stage, panel);
  await page.locator("#start").getByText(/^OPENAI_BASE_URL=/).waitFor();
  await look(page, "standing-empty", [SMALL, PHONE]);
  const messages = [{ role: "system", content: "You plan trips." }, { role: "user", content: "Two days in Ghent?" }];
  for (const words of ["Answer 1.", null]) {
    await fetch(`${panel.relay}/v1/chat/completions`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ model: "stage-model", messages }) });
    if (!words) break;
    // The answer arrives before the panel has recorded it.
    await shows(page, 1);
    messages.push({ role: "assistant", content: words }, { role: "user", content: "And by bicycle?" });
  }
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await shows(page, 2);
  await page.locator("#messages summary").nth(3).waitFor();
  await look(page, "standing-conversation", [SMALL, PHONE]);
  model.goOn(null);
  await stage.franz("run", "--no-open", "--run-dir", "cat", "--upstream", model.address, "--dashboard", "127.0.0.1:0");
  await says(page, "runs-count", "2");
  await model.say(drawing(1));
  await model.asked();
  await page.keyboard.press("r");
  await page.locator("#runs-list .shot img").waitFor();
  await page.locator("#runs-list a").filter({ hasText: /[12] turns?/ }).nth(1).waitFor();
  await look(page, "runs", [SMALL, PHONE]);
});

scene("animations stop if the person prefers that, and colours follow the system", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await says(page, "status-words", "waiting for the model");
  const animated = () => page.evaluate(() => document.getAnimations().length);
  assert.ok((await animated()) > 0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await until(page, () => document.getAnimations().length === 0);
  const grounds = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).reduce((sum, part) => sum + Number(part), 0)));
  }
  assert.ok(grounds[0] < 150 && grounds[1] > 600, `${grounds}`);
});

/** Returns how different the colours are in a picture of this part of the page: 0 if it is of one colour. */
async function contrast(page, clip) {
  const png = (await page.screenshot({ clip })).toString("base64");
  return page.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const light = [];
    for (let i = 0; i < data.length; i += 4) light.push(data[i] + data[i + 1] + data[i + 2]);
    return Math.max(...light) - Math.min(...light);
  }, png);
}

scene("with forced colours, states and positions stay visible", async (stage) => {
  record(stage.path("run"), 30, { change: (line) => void Object.assign(line, { acted: [], errors: line.turn === 20 ? ["an error"] : [] }) });
  const page = await open(stage, await stage.replay());
  await page.emulateMedia({ forcedColors: "active" });
  await page.locator("#number").fill("10");
  await page.keyboard.press("Enter");
  await shows(page, 10);
  await until(page, () => document.querySelector('#film [data-turn="10"] img')?.naturalWidth);
  await look(page, "forced-colors", [SMALL, PHONE]);
  const border = (selector) => page.locator(selector).first().evaluate((element) => getComputedStyle(element).borderTop);
  const plain = await border("#compare");
  for (const selector of ["#fit[aria-pressed=true]", "[role=tab][aria-selected=true]", "#status"]) assert.notEqual(await border(selector), plain, selector);
  assert.notEqual(await page.locator("#film [aria-current] .shot").evaluate((shot) => getComputedStyle(shot).outlineStyle), "none");
  const track = await page.locator("#scrubber").boundingBox();
  // The thumb of a range is 14 px wide here, most of which is margin.
  const at = track.x + 7 + ((track.width - 14) * 9) / 29;
  const thumb = { x: at - 6, y: track.y + 4, width: 12, height: track.height - 8 };
  const beside = { ...thumb, x: at + 30 };
  assert.ok((await contrast(page, beside)) > 300, "the track is visible");
  // The track is a line in the middle, and the slider's thumb is taller.
  const top = (clip) => ({ ...clip, height: 4 });
  assert.equal(await contrast(page, top(beside)), 0);
  assert.ok((await contrast(page, top(thumb))) > 100, "so is the slider's position");
  const bar = await page.locator("#bar").boundingBox();
  assert.ok((await contrast(page, bar)) > 100, "and so are the times of a turn's stages");
});

scene("everything can be reached with keys, and the focus is visible", async (stage) => {
  const model = await stage.model(drawing);
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await passes(page, 1);
  await page.locator("#pause").focus();
  await page.keyboard.press("Enter");
  await says(page, "status-words", "Paused");
  await page.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let times = 0; times < 60; times += 1) {
    await page.keyboard.press("Tab");
    const [id, outline] = await page.evaluate(() => {
      const { activeElement } = document;
      return [activeElement.id || activeElement.closest("[id]")?.id, getComputedStyle(activeElement).outlineStyle];
    });
    if (!id) continue;
    if (reached.has(id) && id === "goal-edit") break;
    reached.add(id);
    assert.notEqual(outline, "none", `the focus on ${id} is not visible`);
  }
  for (const id of ["goal-edit", "resume", "step", "stop", "menu-open", "marks", "changed", "compare", "mask", "fit", "zoom-in", "full", "stage", "tab-reply", "reply", "feedback", "say-field", "first", "previous", "number", "scrubber", "follow", "split-x", "split-y"]) {
    assert.ok(reached.has(id), `${id} was not reached, only ${[...reached].join(", ")}`);
  }
});
