// The whole exchange of a turn, which can be read and copied.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

import { drawing } from "../stage/model.mjs";
import { says, shows, until, waits } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });

scene("messages, sampling, sizes and times are shown, and the request is copied as JSON and as a command without the key", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const context = await stage.context(franz, { permissions: ["clipboard-read", "clipboard-write"] });
  const page = await stage.open(franz, { context });
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

  const copied = async (name) => {
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await button(page, name).click();
    await until(page, async () => (await navigator.clipboard.readText()) !== "");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const json = await copied("Copy as JSON");
  assert.deepEqual(JSON.parse(json), model.requests[0], "what was sent, with its picture");
  const command = await copied("Copy as curl");
  assert.match(command, /^curl 'http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions' .*Bearer \$OPENAI_API_KEY/);
  model.goOn(drawing);
  const before = model.requests.length;
  execFileSync("sh", ["-n"], { input: command });
  assert.ok(command.endsWith(`<<'JSON'\n${json}\nJSON\n`));
  assert.ok(before >= 2);
});

scene("each attempt is shown, even one without an answer", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model);
  const page = await stage.open(franz);
  await waits(page, 1);
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

scene("a run without a log says so", async (stage) => {
  record(stage.path("run"), 2);
  const page = await stage.open(await stage.replay());
  await shows(page, 2);
  await page.keyboard.press("4");
  await says(page, "request-note", "has no exchange.log");
});
