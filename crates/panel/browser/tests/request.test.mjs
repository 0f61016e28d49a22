// The whole exchange of a turn, which can be read and copied.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

import { drawing } from "../stage/model.mjs";
import { desktopPicture, picture } from "../stage/picture.mjs";
import { answered, fetchAgain, says, shows, until, waits } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const PICTURES = process.env.BROWSER_PICTURES;

const button = (page, name) => page.getByRole("button", { name, exact: true });

scene("messages, sampling, sizes and times are shown, and the request is copied as JSON and as a command without the key", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await model.say(drawing(1));
  await waits(page, 2);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 1);
  await page.keyboard.press("4");
  const attempt = page.getByRole("region", { name: "Attempt 1" });
  await attempt.getByText(/Attempt 1: 200, sent .*, .* out without pictures, .* in/).waitFor();
  assert.deepEqual(await attempt.locator("summary b").allInnerTexts(), ["system", "user", "user", "sampling and other fields", "response"]);
  await attempt.locator("summary").filter({ hasText: "sampling" }).click();
  await attempt.getByText(/"temperature": 0\.7/).waitFor();
  await attempt.locator("img").waitFor();
  await says(page, "facts", /Sampling/);

  const json = await copied(page, "Copy as JSON");
  assert.deepEqual(JSON.parse(json), model.requests[0], "what was sent, with its picture");
  const command = await copied(page, "Copy as curl");
  assert.match(command, /\|\n {2}curl 'http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions' .*"Bearer \$OPENAI_API_KEY"/);
  const [first] = model.arrived;
  const sent = await ran(command, model);
  assert.equal(sent.path, first.path);
  assert.ok(sent.body.equals(first.body), "the same bytes");
});

scene("the command that is copied sends another program's request again, byte for byte and with all pictures", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const franz = await stage.panel(model);
  const page = await stage.open(franz);
  const seen = (number) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${picture(number, true).toString("base64")}` } });
  const messages = [{ role: "user", content: [{ type: "text", text: "Look: it's “$HOME” \\n\u202e `x`" }, seen(1)] }];
  // Pretty-printed, with escaped slashes, as some libraries write it.
  const ask = (path, more, spaces) => {
    const body = JSON.stringify({ model: "stage-model", ...more }, null, spaces).replaceAll("/", spaces ? "\\/" : "/");
    const headers = { "Content-Type": "application/json; charset=utf-8", Authorization: "Bearer sk-of-somebody", "X-Team": "it's us", "User-Agent": "somebody/1.0" };
    return fetch(franz.relay + path, { method: "POST", headers, body }).then((answer) => answer.text());
  };
  await ask("/v1/chat/completions", { messages }, 2);
  // The answer arrives before the panel has recorded it.
  await shows(page, 1);
  messages.push({ role: "assistant", content: "Answer 1." }, { role: "user", content: [{ type: "text", text: "Again." }, seen(2)] });
  await ask("/v1/chat/completions", { messages }, 2);
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await shows(page, 2);
  await page.keyboard.press("4");
  await page.getByRole("region", { name: "Attempt 1" }).locator("img").nth(1).waitFor();
  const command = await copied(page, "Copy as curl");
  assert.ok(!command.includes("sk-of-somebody"));
  const [, second] = model.arrived;
  const sent = await ran(command, model);
  assert.equal(sent.path, second.path);
  assert.ok(sent.body.equals(second.body), "the same bytes");
  for (const name of ["content-type", "x-team", "user-agent"]) assert.equal(sent.headers[name], second.headers[name]);
  assert.equal(sent.headers.authorization, "Bearer sk-of-mine");

  // Another API, at its own path.
  await fetch(`${franz.relay}/v1/messages?beta=true`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "x-api-key": "sk-of-somebody", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "stage-model", max_tokens: 9, messages: [{ role: "user", content: "Another conversation." }] }),
  });
  const third = model.arrived.at(-1);
  // The panel might open the new run only after the answer has passed.
  await until(page, () => fetch("/api/runs").then((answer) => answer.json()).then(({ below }) => below.some(({ name }) => name === "0002")));
  await page.goto(`${franz.address}/run/0002/#0002/1/request+`);
  await shows(page, 1);
  await button(page, "Copy as curl").waitFor();
  const again = await ran(await copied(page, "Copy as curl"), model);
  assert.deepEqual([again.path, again.headers["x-api-key"], again.headers["anthropic-version"]], ["/v1/messages?beta=true", "sk-of-anthropic", "2023-06-01"]);
  assert.ok(again.body.equals(third.body) && !again.headers.authorization);
});

scene("a streamed reply is shown as the message that it means, and as it was sent", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  const stream = await model.stream();
  const delta = (delta) => stream.event(JSON.stringify({ choices: [{ index: 0, delta }] }));
  delta({ role: "assistant", reasoning_content: "I should <b>look</b>" });
  delta({ reasoning_content: " first." });
  for (const content of ["Reply ", "of <i>two</i>", " pieces."]) delta({ content });
  delta({ tool_calls: [{ index: 0, id: "c", function: { name: "left_click", arguments: '{"x":1,' } }] });
  delta({ tool_calls: [{ index: 0, function: { arguments: '"y":2}' } }] });
  stream.event('{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":23,"total_tokens":123}}');
  stream.end();
  await waits(page, 2);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 1);
  await page.keyboard.press("4");
  const response = page.locator("#exchanges details").filter({ hasText: "streamed" });
  await response.getByText("I should <b>look</b> first.").waitFor();
  await response.getByText("Reply of <i>two</i> pieces.").waitFor();
  await response.getByText("left_click(x: 1, y: 2)").waitFor();
  await response.getByText("Finish: stop · Tokens: 123: 100 read, 23 written").waitFor();
  await look(page, "streamed", response);
  const raw = button(page, "Raw stream");
  await raw.click();
  await response.getByText('data: {"choices":[{"index":0,"delta":{"content":"Reply "}}]}').waitFor();
  assert.equal(await raw.getAttribute("aria-pressed"), "true");
  assert.equal(await response.getByText("I should <b>look</b> first.").count(), 0);
  await raw.click();
  await response.getByText("Reply of <i>two</i> pieces.").waitFor();

  // A stream that stops too early is shown as far as it came.
  const half = await model.stream();
  half.write("Half of a re");
  half.stops();
  await model.say("Whole.");
  await says(page, "range", "of 3");
  await page.keyboard.press("ArrowRight");
  await shows(page, 2);
  const first = page.getByRole("region", { name: "Attempt 1" });
  await first.getByText("Half of a re").waitFor();
  await first.getByText(/^✗ /).waitFor();
});

scene("the request stays unfolded and scrolled when its turn is fetched again", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  const stream = await model.stream();
  stream.write("Reply 1.");
  stream.end();
  await waits(page, 2);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 1);
  await page.keyboard.press("4");
  // The response is logged after the answer has passed.
  const raw = button(page, "Raw stream");
  await raw.click();
  const sampling = page.locator("#exchanges details").filter({ hasText: "sampling and other fields" });
  await sampling.locator("summary").click();
  const place = () => page.locator("#request").evaluate((body) => body.scrollTop);
  await page.locator("#request").evaluate((body) => body.scrollTo(0, 40));
  assert.equal(await place(), 40);
  await answered(page, "**/api/exchanges/1", () => fetchAgain(page));
  assert.equal(await sampling.getAttribute("open"), "");
  assert.equal(await raw.getAttribute("aria-pressed"), "true");
  assert.equal(await place(), 40);
});

scene("requests of other APIs are laid out as what they are", async (stage) => {
  const model = await stage.model((turn) => `Answer ${turn}.`);
  const franz = await stage.panel(model);
  const page = await stage.open(franz);
  const seen = desktopPicture(7).toString("base64");
  const schema = { type: "object", properties: {} };
  const asked = {
    "/v1/chat/completions": {
      messages: [
        { role: "user", content: "Look around." },
        { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "left_click", arguments: '{"x":1,"y":2}' } }] },
        { role: "tool", tool_call_id: "c1", content: "clicked" },
      ],
    },
    "/v1/responses": {
      instructions: "You click.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Click on it." }, { type: "input_image", image_url: `data:image/png;base64,${seen}` }] },
        { type: "reasoning", id: "r1", summary: [{ type: "summary_text", text: "It is on the left." }] },
        { type: "function_call", call_id: "c2", name: "left_click", arguments: '{"x":3}' },
        { type: "function_call_output", call_id: "c2", output: "done it" },
      ],
      tools: [{ type: "function", name: "left_click", parameters: schema }],
      temperature: 0.3,
    },
    "/v1/messages": {
      system: [{ type: "text", text: "You are careful." }],
      max_tokens: 9,
      messages: [
        { role: "user", content: [{ type: "text", text: "Open the door." }, { type: "image", source: { type: "base64", media_type: "image/png", data: seen } }] },
        { role: "assistant", content: [{ type: "thinking", thinking: "A door." }, { type: "tool_use", id: "t1", name: "open", input: { what: "door" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "It is open." }] }] },
      ],
    },
    "/v1/completions": { prompt: "Once upon a time", max_tokens: 5 },
  };
  const shown = {
    "/v1/chat/completions": [["user", "assistant", "tool"], ["left_click(x: 1, y: 2)", "clicked", "tool_call_id: c1"]],
    "/v1/responses": [["instructions", "user", "reasoning", "assistant", "result", "tools: 1"], ["You click.", "Click on it.", "It is on the left.", "left_click(x: 3)", "done it"]],
    "/v1/messages": [["system", "user", "assistant", "user"], ["You are careful.", "Open the door.", "A door.", 'open(what: "door")', "It is open."]],
    "/v1/completions": [["prompt"], ["Once upon a time"]],
  };
  let run = 0;
  for (const [path, body] of Object.entries(asked)) {
    run += 1;
    await fetch(franz.relay + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ model: "stage-model", ...body }) }).then((answer) => answer.text());
    const [names, texts] = shown[path];
    // The answer arrives before the panel has recorded it, and the page goes to the first run by itself.
    if (run === 1) await page.waitForURL((url) => url.pathname === "/run/0001/");
    while (!(await page.request.get(`${franz.address}/run/000${run}/api/state`)).ok());
    await page.goto(`${franz.address}/run/000${run}/#000${run}/1/request+`);
    await shows(page, 1);
    const attempt = page.getByRole("region", { name: "Attempt 1" });
    const parts = [...names, "sampling and other fields", "response"].join();
    await until(page, (parts) => [...document.querySelectorAll("#exchanges summary b")].map((part) => part.innerText).join() === parts, parts);
    for (const text of texts) await attempt.getByText(text, { exact: true }).waitFor();
    if (JSON.stringify(body).includes(seen)) await until(page, () => document.querySelector("#exchanges img")?.naturalWidth > 0);
    const rest = attempt.locator("details").filter({ hasText: "sampling and other fields" });
    await rest.locator("summary").click();
    assert.doesNotMatch(await rest.innerText(), /You click|careful|upon a time|input|prompt"/);
    if (path === "/v1/messages" || path === "/v1/responses") await look(page, `request${path.replaceAll("/", "-")}`, attempt);
  }
});

scene("what arrived of another program's stream that broke off is shown", async (stage) => {
  const model = await stage.model();
  const panel = await stage.panel(model);
  const page = await stage.open(panel);
  const body = JSON.stringify({ model: "stage-model", stream: true, messages: [{ role: "user", content: "Hello." }] });
  const asking = fetch(`${panel.relay}/v1/chat/completions`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const half = await model.stream();
  half.write("Half of a re");
  const reader = (await asking).body.getReader();
  await reader.read();
  half.breaks();
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  });
  await page.waitForURL((url) => url.pathname === "/run/0001/");
  await shows(page, 1);
  await page.keyboard.press("4");
  const attempt = page.getByRole("region", { name: "Attempt 1" });
  await attempt.getByText("Half of a re").waitFor();
  await attempt.getByText(/^✗ /).waitFor();
});

/** Returns what a button copies. The browser's clipboard itself changes late, and other tests use it, too. */
async function copied(page, name) {
  await page.evaluate(() => {
    delete window.copied;
    navigator.clipboard.writeText = async (text) => (window.copied = text);
  });
  await button(page, name).click();
  const text = await until(page, () => window.copied);
  return text.jsonValue();
}

/** Runs a command in a shell until the model server has its request, and returns that request. */
async function ran(command, model) {
  const before = model.arrived.length;
  const env = { PATH: process.env.PATH, OPENAI_API_KEY: "sk-of-mine", ANTHROPIC_API_KEY: "sk-of-anthropic" };
  const shell = spawn("sh", [], { env, stdio: ["pipe", "ignore", "inherit"] });
  shell.stdin.end(command);
  model.goOn((turn) => `Answer ${turn}.`);
  const [code] = await once(shell, "exit");
  assert.equal(code, 0);
  const sent = model.arrived.slice(before).find(({ headers }) => `${headers.authorization}${headers["x-api-key"]}`.includes("sk-of-"));
  assert.ok(sent, command);
  return sent;
}

/** Saves pictures of a page, for people to look at. */
async function look(page, name, element) {
  if (!PICTURES) return;
  const before = page.viewportSize();
  for (const [width, height] of [[1440, 900], [390, 844]])
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await element.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}-${width}.png` });
    }
  await page.setViewportSize(before);
}

scene("each attempt is shown, even one without an answer", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await waits(page, 1);
  await model.asked();
  // The page is quicker than the log.
  const late = { status: 404, json: { error: "no exchange of turn 1 in the log" } };
  await page.route("**/api/exchanges/1", (route) => route.fulfill(late), { times: 1 });
  await page.keyboard.press("4");
  await page.getByText(/Attempt 1: not answered/).waitFor();
  model.refuse({ status: 503, body: "the model is being loaded" });
  await model.drop();
  while (model.requests.length < 3) await franz.state();
  model.refuse(null);
  await model.say("I look.");
  await waits(page, 2);
  await page.keyboard.press("ArrowLeft");
  await shows(page, 1);
  await says(page, "request-note", /attempts, newest first/);
  assert.ok((await page.locator("#exchanges section").count()) >= 2);
  await page.getByText("the model is being loaded").first().waitFor({ state: "attached" });
});

scene("a log that lags behind is not asked more often if its turn is fetched again meanwhile", async (stage) => {
  const model = await stage.model();
  const page = await stage.open(await stage.run(model));
  await waits(page, 1);
  await model.asked();
  await page.evaluate(() => {
    const { setTimeout, clearTimeout } = window;
    const waiting = new Set();
    globalThis.most = 0;
    window.setTimeout = (work, wait, ...more) => {
      const timer = setTimeout((...given) => (waiting.delete(timer), work(...given)), wait, ...more);
      if (work.name === "draw" && wait === 1000) globalThis.most = Math.max(globalThis.most, waiting.add(timer).size);
      return timer;
    };
    window.clearTimeout = (timer) => (waiting.delete(timer), clearTimeout(timer));
  });
  await page.route("**/api/exchanges/1", (route) => route.fulfill({ status: 404, json: { error: "no exchange of turn 1 in the log" } }));
  await page.keyboard.press("4");
  await says(page, "request-note", "no exchange of turn 1 in the log");
  for (let time = 0; time < 4; time += 1) await answered(page, "**/api/exchanges/1", () => fetchAgain(page));
  assert.equal(await page.evaluate(() => globalThis.most), 1, "one timer at a time");
});

scene("a run without a log says so", async (stage) => {
  record(stage.path("run"), 2);
  const page = await stage.open(await stage.replay());
  await shows(page, 2);
  await page.keyboard.press("4");
  await says(page, "request-note", "has no exchange.log");
});
