// Controlling the run from the page.

import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync } from "node:fs";

import { drawing } from "../stage/model.mjs";
import { answered, choose, neverFades, number, passes, pauses, says, shows, until, waits } from "../stage/page.mjs";
import { scene } from "../stage/stage.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
/** How long the page waits for the second click on stop. */
const SURE_MS = 4000;

/** Clicks on stop, and on the question that follows, until the page takes that for an answer. */
async function stops(page) {
  const sent = commands(page);
  while (!sent.some((command) => command.do === "stop")) await page.locator("#stop").click({ timeout: SURE_MS }).catch(() => {});
}

scene("pause holds the run, step runs one turn, resume continues, and stop ends the run after a second click", async (stage) => {
  const model = await stage.model(drawing);
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await passes(page, 1);
  await button(page, "Pause").click();
  await says(page, "status-words", /^Paused before turn \d+$/);
  const held = (await franz.state()).turns.last;
  await shows(page, held);
  const asked = model.requests.length;
  assert.equal(asked, held);
  for (const step of [1, 2]) {
    await button(page, "One step").click();
    await shows(page, held + step);
    await says(page, "status-words", `Paused before turn ${held + step + 1}`);
    assert.equal(model.requests.length, held + step);
  }
  await button(page, "Resume").click();
  await passes(page, held + 4);
  await button(page, "Pause").waitFor();
  await stops(page);
  const code = await franz.ended;
  assert.equal(code, 130, franz.said);
  await says(page, "status-words", "The run has ended");
  await says(page, "banner-text", /^The run has ended.*franz replay run.*franz run --resume run/);
  for (const name of ["Pause", "One step", "Stop", "Edit goal", "Send"]) assert.equal(await button(page, name).count(), 0, name);
  assert.ok(await page.locator("#settings-open").isHidden());
  await says(page, "reply-text", /\S/);
  assert.equal((await number(page)) >= held + 5, true);
});

scene("a pause that waits for the model is shown immediately and can be undone", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.asked();
  await page.keyboard.press("p");
  await says(page, "status-words", "Pausing… Turn 1: waiting for the model");
  await page.keyboard.press("p");
  await button(page, "Pause").waitFor();
  await model.say(drawing(1));
  await waits(page, 2);
  await page.keyboard.press("n");
  await says(page, "status-words", "Pausing…");
  await pauses(page, model, drawing);
});

scene("neither a single nor a double click on stop ends the run, nor Enter that is held down", async (stage) => {
  const model = await stage.model(drawing);
  const page = await stage.open(await stage.run(model));
  const turn = await passes(page, 0);
  const [asks, ...isPrevented] = await page.locator("#stop").evaluate((stop) => {
    stop.focus();
    stop.click();
    stop.click();
    return [stop.textContent, ...[false, true].map((repeat) => !stop.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", repeat, cancelable: true })))];
  });
  assert.equal(asks, "Really stop?");
  assert.deepEqual(isPrevented, [false, true]);
  await page.locator("#reply").focus();
  await button(page, "Stop").waitFor();
  await passes(page, turn + 2);
});

scene("an edited goal is in the next request to the model", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say(drawing(1));
  await model.asked();
  await button(page, "Edit goal").click();
  const field = page.getByRole("textbox", { name: "Goal", exact: true });
  await until(page, () => document.getElementById("goal-field").value.includes("cat"));
  await field.fill('Draw a "house"\nwith a garden.');
  await button(page, "Save goal").click();
  await page.locator("#goal-dialog").waitFor({ state: "hidden" });
  await model.say(drawing(2));
  const told = await model.told(3);
  assert.ok(told.includes('house\\\\\\"\\\\nwith a garden') || told.includes('house\\"\\nwith a garden'), told);
  await model.say(drawing(3));
  await says(page, "goal", "with a garden.");
});

scene("an edited live setting applies to the next request", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say(drawing(1));
  await model.asked();
  assert.equal(model.requests.at(-1).temperature, 0.7);
  await choose(page, "Settings");
  await page.getByRole("searchbox", { name: "Filter settings" }).fill("temperature");
  const field = page.getByLabel("model.temperature", { exact: true });
  assert.equal(await field.inputValue(), "0.7");
  await field.fill("0.25");
  await button(page, "Save model.temperature").click();
  await page.getByText("✓ saved").waitFor();
  await page.keyboard.press("Escape");
  await model.say(drawing(2));
  await model.asked();
  assert.equal(model.requests.at(-1).temperature, 0.25);
});

scene("an invalid value is refused with a reason, and a valid one is saved", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model, "--set", "protocol.tools.drag=false", "--max-turns", "50"));
  await model.say(drawing(1));
  await waits(page, 2);
  const file = stage.path("run", "config.toml");
  const before = readFileSync(file, "utf8");
  await choose(page, "Settings");
  const save = async (key, value, answer) => {
    const field = page.getByLabel(key, { exact: true });
    const held = await field.inputValue();
    await field.fill(value);
    await button(page, `Save ${key}`).click();
    const said = page.locator("form.setting", { has: field }).locator("small").last();
    await said.filter({ hasText: answer }).waitFor();
    return { held, now: await field.inputValue(), said: await said.textContent() };
  };
  const { held, now, said } = await save("loop.executing_delay_s", "soon", /^✗ /);
  assert.match(said, /number|executing_delay_s/i);
  assert.equal(now, held);
  assert.equal(readFileSync(file, "utf8"), before);

  await save("loop.max_turns", "51", /^✓ /);
  const drag = page.getByRole("switch", { name: "protocol.tools.drag" });
  assert.equal(await drag.isChecked(), false);
  await drag.check();
  await page.locator("form.setting", { has: drag }).getByText("✓ saved").waitFor();
  const about = page.locator("form.setting", { has: page.getByLabel("loop.max_turns", { exact: true }) });
  await about.getByText(/number.*; from config\.toml/).waitFor();
  // Everything else can only be read.
  const fixed = (key) => page.locator("div.setting").filter({ has: page.getByText(key, { exact: true }) });
  for (const [key, value] of [["model.upstream", model.address], ["screen.kind", "canvas"], ["record.keep_pictures", /^10/]]) {
    await fixed(key).locator(".text").filter({ hasText: value }).waitFor();
    await fixed(key).getByText(/; from config\.toml:\d+$/).waitFor();
    assert.equal(await fixed(key).locator("input, textarea, button").count(), 0);
  }
  const keys = await page.evaluate(() => fetch("/api/settings").then((answer) => answer.json()).then(({ keys }) => keys.length));
  assert.equal(await page.locator(".setting").count(), keys, "each value in effect is shown");
  assert.match(readFileSync(file, "utf8"), /^max_turns = 51$[^]*^drag = true$/m);
});

scene("settings that were changed elsewhere are not overwritten, and what the person typed is kept", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say(drawing(1));
  await waits(page, 2);
  const file = stage.path("run", "config.toml");
  await button(page, "Edit goal").click();
  await until(page, () => document.getElementById("goal-field").value.includes("cat"));
  await page.locator("#goal-field").fill("mine");
  appendFileSync(file, "\n# by hand\n");
  await button(page, "Save goal").click();
  await says(page, "goal-note", "changed elsewhere");
  assert.match(await page.locator("#goal-note").innerText(), /The goal is now: .*cat/);
  assert.equal(await page.locator("#goal-field").inputValue(), "mine");
  await page.locator("#goal-field").pressSequentially(" now");
  await button(page, "Save goal").click();
  await page.locator("#goal-dialog").waitFor({ state: "hidden" });
  assert.match(readFileSync(file, "utf8"), /"mine now"[^]*# by hand/);

  await choose(page, "Settings");
  const field = page.getByLabel("model.temperature", { exact: true });
  await field.fill("0.1");
  appendFileSync(file, "\n# by hand again\n");
  await button(page, "Save model.temperature").click();
  await says(page, "settings-note", "changed elsewhere");
  assert.equal(await field.inputValue(), "0.1");
  assert.doesNotMatch(readFileSync(file, "utf8"), /^temperature = 0\.1$/m);
  await button(page, "Save model.temperature").click();
  await page.getByText("✓ saved").waitFor();
  assert.match(readFileSync(file, "utf8"), /^temperature = 0\.1$[^]*# by hand again/m);
});

scene("values in the explanations of settings are shown as code, without backticks", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.asked();
  await choose(page, "Settings");
  const about = page.locator("[id='setting-model.stream-about']");
  await about.waitFor();
  assert.match(await about.innerText(), /^Stream replies: auto if the server can, on always, off never/);
  assert.deepEqual(await about.locator("code").allInnerTexts(), ["auto", "on", "off"]);
  // The settings that are fixed during the run are below the others.
  await page.locator("#settings-list h3 ~ .setting code").first().waitFor();
  assert.doesNotMatch((await page.locator("#settings-list small").allInnerTexts()).join("\n"), /`/);
});

scene("a message that is kept in the task is in the settings of every page", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await model.asked();
  await choose(page, "Settings");
  await page.getByLabel("prompt.goal", { exact: true }).waitFor();
  const said = await franz.fetch("/api/control", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"do":"say","value":"with a chimney","keep":true}' });
  assert.equal(said.status, 200);
  await until(page, () => document.getElementById("setting-prompt.goal").value.includes("with a chimney"));
});

scene("a final answer is shown even after it has ended the run", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--profile", "operator", "--screen", "canvas", "What is the answer?");
  const page = await stage.open(franz);
  await model.say({ content: '"I look."', calls: '[{"id":"a","type":"function","function":{"name":"observe","arguments":"{}"}}]' });
  await model.say({ content: '""', calls: '[{"id":"b","type":"function","function":{"name":"finish","arguments":"{\\"answer\\":\\"The <b>answer</b> is 42.\\"}"}}]' });
  await franz.ended;
  await says(page, "banner-text", "Final answer: The <b>answer</b> is 42.");
  await says(page, "status-words", "The run has ended");
});

scene("an agent that dies is restarted, and the page says so", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--set", "panel.restart_s=15");
  const page = await stage.open(franz);
  await model.say(drawing(1));
  await waits(page, 2);
  // The next agent starts soon, so the page itself watches for everything at once.
  await page.evaluate(() => {
    const text = (id) => document.getElementById(id).innerText;
    const look = () => {
      const isTold = text("status-words").startsWith("Restarting") && text("range") === "of 1";
      const isShown = document.title.includes("Turn 1 · ") && document.getElementById("number").value === "1" && document.getElementById("after").textContent === "turn 1";
      if (isTold && isShown && text("reply-text").includes("Reply 1.")) window.hasSeenIt = true;
      else requestAnimationFrame(look);
    };
    look();
  });
  franz.killChildren();
  await until(page, () => window.hasSeenIt);
  await waits(page, 2);
  model.goOn(drawing);
  await passes(page, 2);
  // The newest turn is not checked until it has been answered. This one has been answered.
  await page.locator("#number").fill("2");
  await page.locator("#number").press("Enter");
  await shows(page, 2);
  await says(page, "verdict", /Story (unchanged|sent again)/);
});

scene("an agent that keeps dying has failed, and the page says so", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--set", "panel.max_deaths=1", "--stay");
  const page = await stage.open(franz);
  await waits(page, 1);
  franz.killChildren();
  await says(page, "status-words", /^Ended: gave up: /);
  await says(page, "state", "Failed");
  await says(page, "banner-text", "View it again with “franz replay run”; continue it with “franz run --resume run”.");
});

scene("an agent that a full disk stopped says so, with its last words and how to go on", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--set", "panel.restart_s=600");
  const page = await stage.open(franz);
  await model.say(drawing(1));
  await waits(page, 2);
  // A disk cannot be filled here, so the page is told what the panel says then.
  await page.route("**/api/state", async (route) => {
    const answer = await route.fetch();
    const state = await answer.json();
    Object.assign(state.agent, { state: "restarting", detail: "the agent ended with exit code 1: cannot append run/turns_0001_1000.jsonl: the disk is full; free some space, or lower record.keep_pictures; it restarts in 4 s" });
    await route.fulfill({ response: answer, json: state });
  });
  await page.reload();
  await says(page, "status-words", /^The disk is full$/);
  await says(page, "state", "Failed");
  await says(page, "banner-text", /^The disk is full, so the agent cannot record anything\. The agent ended with exit code 1: cannot append .*it restarts in 4 s\. If it does not come back, stop the run and continue it with “franz run --resume run”\.$/);
  assert.equal(await page.locator("#banner").getAttribute("class"), "bad");
  if (process.env.BROWSER_PICTURES) await page.screenshot({ path: `${process.env.BROWSER_PICTURES}/disk-full-1366.png` });
});

const asks = (...more) => ["--gate", "ask", ...more];

scene("a waiting action is approved, changed or refused with mouse and keyboard", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, ...asks());
  const page = await stage.open(franz);
  await neverFades(page);
  const before = Array.from({ length: 6 }, (_, index) => `drag(1, 2, 3, ${index})`);
  await model.say(`\`\`\`python\n${before.join("\n")}\ndrag(5, 6, 7, 8)\ndrag(9, 9, 8, 8)\n\`\`\``);
  const waitsFor = (action) => says(page, "question-text", action);
  const settled = () => page.locator("#approve:enabled").waitFor();
  /** Presses in the first half second do not count. The button's state shows whether this one was among them when it came. */
  const pressesTooEarly = async (action) => {
    await waitsFor(action);
    await page.evaluate(() => addEventListener("keydown", () => (window.wasTooEarly = document.getElementById("approve").disabled), { capture: true, once: true }));
    await page.keyboard.press("Enter");
    return page.evaluate(() => window.wasTooEarly);
  };
  let index = 0;
  while (!(await pressesTooEarly(before[index]))) index += 1;
  await page.evaluate(() => document.getElementById("approve").click());
  await settled();
  await page.evaluate(() => document.getElementById("approve").click());
  await waitsFor(before[index]);
  for (; index < before.length; index += 1) {
    await waitsFor(before[index]);
    await settled();
    await page.keyboard.press("Enter");
  }
  await waitsFor("drag(5, 6, 7, 8)");
  await settled();
  await page.keyboard.press("e");
  await page.getByLabel("Action", { exact: true }).fill("drag(5, 6, 7, 1001)");
  await button(page, "Do this instead").click();
  await page.locator("#toasts").filter({ hasText: "is not an action" }).waitFor();
  await page.getByLabel("Action", { exact: true }).fill("drag(5, 6, 7, 9)");
  await button(page, "Do this instead").click();
  await waitsFor("drag(9, 9, 8, 8)");
  await settled();
  await page.getByLabel("Why not").fill("enough");
  await button(page, "Refuse").click();
  await page.locator("#question").waitFor({ state: "hidden" });
  await waits(page, 2);
  const feedback = await model.told(2);
  for (const words of ["the person changed it to drag(5, 6, 7, 9)", 'refused by the person: \\"enough\\"'])
    assert.ok(feedback.includes(words), feedback);
});

scene("a message reaches the model immediately", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.asked();
  await page.getByPlaceholder("Tell the model something").fill("a hat, too");
  await page.keyboard.press("Enter");
  await until(page, () => !document.getElementById("say-field").value);
  await says(page, "feedback-text", "MESSAGE FROM THE PERSON: a hat, too");
});

scene("a key that is held down from one question to the next decides only the first", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model, ...asks()));
  const decisions = [];
  page.on("request", (request) => request.url().endsWith("/api/control") && decisions.push(request.postDataJSON().do));
  const waitsFor = async (number) => {
    await says(page, "question-text", `action ${number} is waiting`);
    await page.locator("#approve:enabled").waitFor();
  };
  await model.say("```python\n" + "drag(1, 2, 3, 4)\n".repeat(2) + "```");
  await waitsFor(1);
  await page.keyboard.down("Enter");
  await waitsFor(2);
  await page.keyboard.down("Enter");
  await page.evaluate(() => new Promise(requestAnimationFrame));
  assert.deepEqual(decisions, ["approve"]);
});

scene("a decision made with a key is carried out immediately", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model, ...asks()));
  const drawn = stage.path("run", "canvas.jsonl");
  const lines = () => (existsSync(drawn) ? readFileSync(drawn, "utf8").split("\n").length : 0);
  await page.exposeFunction("pressed", () => (pressed = performance.now()));
  await page.evaluate(() => addEventListener("keydown", () => window.pressed(), { capture: true }));
  let pressed;
  const took = [];
  await model.say("```python\n" + "drag(1, 2, 3, 4)\n".repeat(10) + "```");
  for (let round = 0; round < 10; round++) {
    await says(page, "question-text", `action ${round + 1} is waiting`);
    await page.locator("#approve:enabled").waitFor();
    const before = lines();
    await page.keyboard.press("Enter");
    while (lines() === before || !pressed) await new Promise((next) => setImmediate(next));
    took.push(performance.now() - pressed);
    pressed = undefined;
  }
  took.sort((one, other) => one - other);
  stage.say(`a decision made with a key is on the canvas after ${Math.round(took[5])} ms (median of 10), at most ${Math.round(took.at(-1))} ms`);
});

scene("a message can be kept in the task", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.asked();
  await page.getByPlaceholder("Tell the model something").fill("with a chimney");
  await page.getByLabel("Keep it in the task").check();
  await page.keyboard.press("Enter");
  await button(page, "Send").click();
  await until(page, () => /\nwith a chimney$/.test(document.getElementById("goal").textContent));
  await until(page, () => !document.getElementById("say-keep").checked);
  assert.match(readFileSync(stage.path("run", "config.toml"), "utf8"), /with a chimney/);
});

scene("the person sets the mode of a profile that has modes", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model, "--profile", "companion", "--screen", "canvas", "Draw a cat"));
  await model.asked();
  await button(page, "Only watch").click();
  await says(page, "mode", "monitoring");
  assert.match(await model.told(2), /Current mode: monitoring.*NOTICE: the person has set the mode to monitoring: only look/);
  await button(page, "Let it act").click();
  await says(page, "mode", "executing");
  await says(page, "goal", "Draw a cat");
  assert.match(await model.told(3), /Current mode: executing.*NOTICE: the person has set the mode to executing: act on your goal/);
});

scene("the person replies in place of the model", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say(drawing(1));
  await model.asked();
  await waits(page, 2);
  await page.getByRole("button", { name: "Answer myself" }).click();
  const field = page.getByLabel("Your reply");
  await until(page, () => document.getElementById("own-field").value.includes("drag("));
  await field.fill("```python\ndrag(1, 2, 3, 4)\n```");
  await page.locator("#own-form").getByRole("button", { name: "Reply" }).click();
  await waits(page, 3);
  assert.match(await model.told(3), /drag\(1, 2, 3, 4\)/);
  // The first answer goes to the request that was broken off.
  for (const turn of [2, 3]) await model.say(drawing(turn));
  await waits(page, 4);
  await page.keyboard.press("ArrowLeft");
  await page.locator("#verdict").filter({ hasText: "By you" }).waitFor();
});

scene("the model's question is answered, and A leads to the answer", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model, "--profile", "operator", "--screen", "canvas", "Draw a house"));
  await model.say({ content: '""', calls: JSON.stringify([{ id: "c1", type: "function", function: { name: "ask", arguments: '{"question":"Which <b>colour</b>?"}' } }]) });
  await says(page, "question-text", "Which <b>colour</b>?");
  const field = page.getByLabel("Your answer");
  await page.locator("#approve:enabled").waitFor();
  await page.locator("#texts").click({ position: { x: 5, y: 5 } });
  assert.ok(!(await field.evaluate((field) => field === document.activeElement)));
  await page.keyboard.press("?");
  const row = page.locator("#keys div").filter({ hasText: "Answer the model's question" });
  await row.getByText("A", { exact: true }).waitFor();
  assert.equal(await page.locator("#keys").getByText("Edit what is waiting for you").count(), 0, "there is nothing to edit");
  await page.keyboard.press("Escape");
  await page.locator("#help").waitFor({ state: "hidden" });
  await page.keyboard.press("a");
  await until(page, () => document.activeElement.id === "question-call");
  await page.keyboard.type("A red one");
  await page.keyboard.press("Enter");
  await page.locator("#question").waitFor({ state: "hidden" });
  assert.match(await model.told(2), /A red one/);
  // Without a question, A opens the reply in place of the model.
  await page.locator("#texts").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("a");
  await page.locator("#own-dialog[open]").waitFor();
});

scene("a value that is changed while an earlier one is being saved does not count as saved", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model, "--set", "protocol.tools.drag=false"));
  await model.say(drawing(1));
  await waits(page, 2);
  const config = () => readFileSync(stage.path("run", "config.toml"), "utf8");
  const held = [];
  await page.route("**/api/control", (route) => held.push(route));
  const saving = async () => {
    while (!held.length) await new Promise((next) => setImmediate(next));
    return held.shift();
  };
  await choose(page, "Settings");
  const said = (field, text) => page.locator("form.setting", { has: field }).locator("small").last().filter({ hasText: text }).waitFor();

  const drag = page.getByRole("switch", { name: "protocol.tools.drag" });
  await drag.check();
  const first = await saving();
  await drag.uncheck();
  await first.continue();
  await (await saving()).continue();
  await said(drag, "✓ saved");
  assert.match(config(), /^drag = false$/m);

  const field = page.getByLabel("model.temperature", { exact: true });
  const save = button(page, "Save model.temperature");
  await field.fill("0.1");
  await save.click();
  await (await saving()).continue();
  await said(field, "✓ saved");
  await field.fill("0.2");
  await save.click();
  const second = await saving();
  await field.fill("0.3");
  await second.continue();
  await until(page, () => document.getElementById("setting-model.temperature-said").textContent === "");
  assert.ok(await save.isEnabled());
  assert.match(config(), /^temperature = 0\.2$/m);
});

/** Holds back all requests to these addresses with this method, and returns a function that lets them go. */
async function holdBack(page, addresses, method) {
  let release;
  const released = new Promise((done) => (release = done));
  await page.route(addresses, async (route) => {
    if (route.request().method() === method) await released;
    await route.continue();
  });
  return release;
}

const commands = (page) => {
  const sent = [];
  page.on("request", (request) => request.url().endsWith("/api/control") && sent.push(request.postDataJSON()));
  return sent;
};

scene("a key that is held down pauses once, and asks for one turn", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.asked();
  const sent = commands(page);
  for (const key of ["p", "n"]) {
    for (const _ of [1, 2, 3]) {
      await page.keyboard.down(key);
      await says(page, "status-words", /^Pausing/);
    }
    await page.keyboard.up(key);
  }
  await page.evaluate(() => new Promise(requestAnimationFrame));
  assert.deepEqual(sent.map((command) => command.do), ["pause", "step"]);
});

scene("a goal that is typed before the current one has arrived is kept", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.asked();
  const release = await holdBack(page, "**/api/settings", "GET");
  await answered(page, "**/api/settings", async () => {
    await button(page, "Edit goal").click();
    await page.locator("#goal-field").fill("Draw a dog.");
    release();
  });
  assert.equal(await page.locator("#goal-field").inputValue(), "Draw a dog.");
  await button(page, "Save goal").click();
  await page.locator("#goal-dialog").waitFor({ state: "hidden" });
  assert.match(readFileSync(stage.path("run", "config.toml"), "utf8"), /"Draw a dog\."/);
});

scene("what was typed in a dialog survives a press beside it, and an unsaved goal also Escape", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say(drawing(1));
  await waits(page, 2);
  const pressBeside = () => page.mouse.click(5, 5);
  const field = page.locator("#goal-field");
  await button(page, "Edit goal").click();
  await until(page, () => document.getElementById("goal-field").value.includes("cat"));
  await field.fill("Draw a dog.");
  await pressBeside();
  assert.ok(await field.isVisible());
  await page.keyboard.press("Escape");
  await page.locator("#goal-dialog").waitFor({ state: "hidden" });
  await button(page, "Edit goal").click();
  await until(page, () => /^The goal is now: .*cat/.test(document.getElementById("goal-note").textContent));
  assert.equal(await field.inputValue(), "Draw a dog.");
  await button(page, "Save goal").click();
  await page.locator("#goal-dialog").waitFor({ state: "hidden" });
  assert.match(readFileSync(stage.path("run", "config.toml"), "utf8"), /"Draw a dog\."/);

  await choose(page, "Settings");
  const temperature = page.getByLabel("model.temperature", { exact: true });
  await temperature.fill("0.4");
  await pressBeside();
  assert.equal(await temperature.inputValue(), "0.4");
  await page.keyboard.press("Escape");
  await page.locator("#settings").waitFor({ state: "hidden" });

  await choose(page, "Notices");
  await page.locator("#notices[open]").waitFor();
  await pressBeside();
  await page.locator("#notices").waitFor({ state: "hidden" });
});

scene("settings that are saved at the same time are all saved", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.say(drawing(1));
  await waits(page, 2);
  await choose(page, "Settings");
  const release = await holdBack(page, "**/api/control", "POST");
  const rows = [["loop.max_turns", "61"], ["model.temperature", "0.3"]].map(([key, value]) => ({ key, value, field: page.getByLabel(key, { exact: true }) }));
  for (const { key, value, field } of rows) {
    await field.fill(value);
    await button(page, `Save ${key}`).click();
  }
  release();
  for (const { value, field } of rows) {
    await page.locator("form.setting", { has: field }).getByText("✓ saved").waitFor();
    assert.equal(await field.inputValue(), value);
  }
  const file = readFileSync(stage.path("run", "config.toml"), "utf8");
  assert.ok(/^max_turns = 61$/m.test(file) && /^temperature = 0\.3$/m.test(file), file);
});

scene("news of a save that arrives after a later save leaves the settings as they are", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await model.asked();
  await choose(page, "Settings");
  const key = "model.temperature";
  const field = page.getByLabel(key, { exact: true });
  await field.fill("0.1");
  await button(page, `Save ${key}`).click();
  const saved = page.getByText("✓ saved");
  await saved.waitFor();
  const save = async (value) => {
    const { hash } = await (await franz.fetch("/api/settings")).json();
    const headers = { "Content-Type": "application/json", "If-Match": `"${hash}"` };
    const answer = await franz.fetch("/api/control", { method: "POST", headers, body: JSON.stringify({ do: "set", key, value }) });
    assert.equal(answer.status, 200);
  };
  // The page asks for the settings after the first save, and gets the same as before because of the second.
  const release = await holdBack(page, "**/api/settings", "GET");
  const asked = page.waitForRequest("**/api/settings");
  await save("0.2");
  await asked;
  await save("0.1");
  await answered(page, "**/api/settings", release);
  assert.ok(await saved.isVisible());
  assert.equal(await field.inputValue(), "0.1");
});

scene("a setting that is being changed is kept when another page changes one", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await model.say(drawing(1));
  await waits(page, 2);
  const other = await stage.open(franz, { context: page.context() });
  await choose(page, "Settings");
  const field = page.getByLabel("model.temperature", { exact: true });
  await field.waitFor();
  const release = await holdBack(page, "**/api/settings", "GET");
  const asked = page.waitForRequest("**/api/settings");
  await choose(other, "Settings");
  await other.getByLabel("loop.max_turns", { exact: true }).fill("62");
  await button(other, "Save loop.max_turns").click();
  await asked;
  await answered(page, "**/api/settings", async () => {
    await field.fill("0.4");
    release();
  });
  assert.equal(await field.inputValue(), "0.4");
});

scene("a message that is typed while another is being sent is kept", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await model.asked();
  await neverFades(page);
  const sent = commands(page);
  const field = page.getByPlaceholder("Tell the model something");
  const release = await holdBack(page, "**/api/control", "POST");
  await field.fill("a hat");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("a dog");
  release();
  await says(page, "toasts", "Sent.");
  assert.equal(await field.inputValue(), "a dog");
  assert.deepEqual(sent, [{ do: "say", value: "a hat", keep: false }]);

  await page.unroute("**/api/control");
  let fail;
  await page.route("**/api/control", (route) => (fail = () => route.abort()));
  const asked = page.waitForRequest("**/api/control");
  await page.keyboard.press("Enter");
  await asked;
  await page.keyboard.type("a cat");
  while (!fail) await new Promise((next) => setImmediate(next));
  await fail();
  await says(page, "toasts", "The panel is not responding");
  assert.equal(await field.inputValue(), "a dog\na cat", "nothing is lost");
});

scene("the example for the person's own reply is the last reply, unless they have changed it", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  const offers = async (text) => {
    await button(page, "Answer myself").click();
    await until(page, (text) => document.getElementById("own-field").value.includes(text), text);
  };
  const close = async () => {
    await page.keyboard.press("Escape");
    await page.locator("#own-dialog").waitFor({ state: "hidden" });
  };
  await model.say(drawing(1));
  await waits(page, 2);
  await offers("Reply 1.");
  await close();
  await model.say(drawing(2));
  await waits(page, 3);
  await offers("Reply 2.");
  await page.getByLabel("Your reply").fill("My own.");
  await close();
  await offers("My own.");
});

scene("a last reply that is too long to be sent is not offered as an example", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  const lines = Array.from({ length: 3000 }, (_, i) => `Line ${i}.`).join("\n");
  const offer = async (turn, bytes) => {
    await model.say(lines.slice(0, bytes));
    await waits(page, turn + 1);
    await button(page, "Answer myself").click();
  };
  await offer(1, 16_384);
  await until(page, () => document.getElementById("own-field").value.length === 16_384);
  await page.keyboard.press("Escape");
  await page.locator("#own-dialog").waitFor({ state: "hidden" });
  await offer(2, 16_385);
  await says(page, "own-note", "you can send at most 16 kB");
  assert.equal(await page.getByLabel("Your reply").inputValue(), "");
});
