// Text that could be taken for something else, in every place where text can come from.

import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { HOSTILE, PAYLOADS, literal } from "../stage/hostile.mjs";
import { choose, says, shows, until, waits } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

/**
 * Returns everything that would be missing if the page showed only text, and by how much the page is wider than its
 * window.
 */
const oddities = (page) =>
  page.evaluate(() => {
    const odd = [];
    for (const element of document.querySelectorAll("*")) {
      const { localName, attributes } = element;
      if (["iframe", "object", "embed", "base", "math", "video", "audio", "template", "portal"].includes(localName)) odd.push(localName);
      for (const { name, value } of attributes) {
        if (name.startsWith("on") || /^\s*javascript:/i.test(value)) odd.push(`${localName} ${name}`);
        if (name === "src" && !/^\/(blob|thumb|assets)\//.test(value)) odd.push(`${localName} ${value}`);
      }
    }
    const count = (what) => document.querySelectorAll(what).length;
    // The page itself has the places of actions, and icons in its buttons.
    odd.push(...Array(Math.abs(count("svg") - 1 - 8)).fill("svg"));
    odd.push(...Array(Math.abs(count("script") - 2)).fill("script"), ...Array(count("body style, body link, body meta")).fill("style"));
    const limit = innerWidth + 1;
    for (const element of document.querySelectorAll("body > *, body > header > *, main > *, nav *, footer *")) {
      const { right } = element.getBoundingClientRect();
      if (right > limit && !element.closest("dialog, #film-strip")) odd.push(`${element.id || element.localName} reaches ${Math.round(right)}`);
    }
    const beyond = document.documentElement.scrollWidth - innerWidth;
    if (beyond > 0) odd.push(`${beyond} px too wide`);
    return odd;
  });

/** Shows everything that the page can show about these turns. */
async function walk(page, turns) {
  for (const turn of turns) {
    await page.locator("#number").fill(String(turn));
    await page.keyboard.press("Enter");
    await shows(page, turn);
    for (const key of ["d", "d", "b", "m", "m", "b"]) await page.keyboard.press(key);
    assert.deepEqual(await oddities(page), [], `turn ${turn}`);
  }
  await page.keyboard.press("h");
  await until(page, () => document.querySelectorAll("#history-rows .columns").length >= 1);
  assert.deepEqual(await oddities(page), []);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.locator("#query").fill("pwned");
  await says(page, "search-note", /\d+ hits/);
  assert.deepEqual(await oddities(page), []);
  await page.keyboard.press("Escape");
}

scene("the watchdog notices everything that it watches for", async (stage) => {
  record(stage.path("run"), 1);
  const franz = await stage.replay();
  const page = await stage.open(franz);
  await shows(page, 1);
  const [{ dog }] = stage.contexts;
  await page.evaluate(() => {
    window.pwned = 1;
    document.body.appendChild(document.createElement("div")).innerHTML = "<b onclick=pwned()>x</b><iframe></iframe>";
    document.body.append(Object.assign(document.createElement("img"), { src: "http://127.0.0.2:9/x.png" }));
    setTimeout(() => alert("hello"), 0);
  });
  // These arrive in any order.
  for (const what of ["text was executed", "policy: img-src", "a dialog: hello"])
    while (!dog.found.join("\n").includes(what)) await page.evaluate(() => {});
  await until(page, () => true);
  dog.found.splice(0);
  assert.deepEqual(await oddities(page), ["b onclick", "iframe", "img http://127.0.0.2:9/x.png"].sort());
});

scene("hostile text in every field of a recorded run is shown as text, in the page and in the saved file", async (stage) => {
  const turns = PAYLOADS.length;
  const name = 'run_<img src=x onerror=pwned()>"\'&';
  record(stage.path("run"), turns, {
    change: (line) => {
      const text = PAYLOADS[line.turn - 1];
      for (const field of ["mode", "goal", "feedback", "story", "reply", "reasoning", "finish", "model"]) line[field] = text;
      const found = { action: text, model: text, said: text, ms: 1 };
      line.acted = [{ action: text, outcome: "done", why: text, found }, { action: HOSTILE, outcome: "blocked", why: HOSTILE }];
      line.errors = [text, HOSTILE];
      line.tool_calls = [{ id: text, function: { name: text, arguments: HOSTILE } }];
      line.sampling = { [text]: text };
      line.usage = { [text]: text, total_tokens: 3 };
      if (line.turn % 4 === 0) line.started = text;
      return literal(line);
    },
  });
  const judged = PAYLOADS.map((text, i) => literal({ v: 1, agent: text, turn: i + 1, verdict: "violation", why: text, difference: { position: 0, received: text, sent: `x${text}`, received_units: 1, sent_units: 2 } }));
  writeFileSync(stage.path("run", "verdicts.jsonl"), `${judged.join("\n")}\n`);
  renameSync(stage.path("run"), stage.path(name));
  const franz = await stage.replay(name);
  const page = await stage.open(franz);
  await shows(page, turns);
  await walk(page, PAYLOADS.map((_, i) => i + 1));
  await page.keyboard.press("Home");
  await shows(page, 1);
  await says(page, "reply-text", PAYLOADS[0]);

  const file = stage.path("history.html");
  writeFileSync(file, Buffer.from(await (await franz.fetch("/export/history.html")).arrayBuffer()));
  await page.context().setOffline(true);
  const saved = await page.context().newPage();
  await saved.goto(pathToFileURL(file).href);
  assert.equal(await saved.getByRole("heading", { name: /^Turn \d+/ }).count(), turns);
  assert.equal(await saved.locator("script, iframe, svg, object, base, form, [onerror], [onload], a[href]").count(), 0);
  assert.ok((await saved.locator("pre").filter({ hasText: PAYLOADS[0] }).count()) >= 3);
});

scene("invisible characters are shown by visible ones", async (stage) => {
  record(stage.path("run"), 1, { change: (line) => literal({ ...line, reply: "a\0b\u202Ec\ud800d\udc00e\u001bf" }) });
  const page = await stage.open(await stage.replay());
  await shows(page, 1);
  assert.equal(await page.locator("#reply-text").innerText(), "a‹00›b‹202E›c‹D800›d‹DC00›e‹1B›f");
});

scene("hostile text in a live run is shown as text: model, goal, replies, errors and notices", async (stage) => {
  const model = await stage.model();
  model.name = HOSTILE;
  const page = await stage.open(await stage.run(model, HOSTILE.replaceAll("\0", "")));
  await says(page, "facts", "<script>");
  await model.asked();
  for (const [i, text] of PAYLOADS.slice(0, 6).entries()) {
    await model.say({ content: literal(`${text}\n\`\`\`python\ntype(${JSON.stringify(HOSTILE)})\n\`\`\``), model: text });
    await waits(page, i + 2);
    await until(page, () => document.getElementById("story-text").textContent && document.querySelector("#actions li"));
    assert.deepEqual(await oddities(page), []);
    await page.keyboard.press("ArrowLeft");
    await shows(page, i + 1);
    assert.deepEqual(await oddities(page), []);
    await page.keyboard.press("Space");
  }
  await model.asked();
  model.refuse({ status: 500, body: JSON.stringify({ error: { message: HOSTILE } }) });
  await model.drop();
  await page.locator("#notices-dot").waitFor();
  await choose(page, /^Notices/);
  await says(page, "notices-list", "<script>");
  assert.deepEqual(await oddities(page), []);
});
