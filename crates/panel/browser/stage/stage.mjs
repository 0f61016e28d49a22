// What a test has: a directory, programs, model servers and pages, all of which end with it.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { connect } from "./browser.mjs";
import { Franz } from "./franz.mjs";
import { Model } from "./model.mjs";
import { Watchdog } from "./watchdog.mjs";

/** How long a test may take on a machine with other things to do. */
const TIMEOUT_MS = 120_000;
const PATIENCE_MS = 45_000;

let browser;
before(async () => (browser = await connect()));
after(() => browser?.close());

/** A test before a stage of its own. */
export function scene(name, act) {
  test(name, { timeout: TIMEOUT_MS }, async (context) => {
    const stage = new Stage(await mkdtemp(join(tmpdir(), "franz-browser-")), context);
    try {
      await act(stage);
      stage.assertCalm();
    } catch (error) {
      for (const { dog } of stage.contexts) for (const what of dog.found) stage.say(what);
      throw error;
    } finally {
      await stage.close();
    }
  });
}

class Stage {
  contexts = [];
  #programs = [];
  #models = [];

  constructor(directory, test) {
    this.directory = directory;
    this.test = test;
  }

  /** A path in the test's directory. */
  path(...names) {
    return join(this.directory, ...names);
  }

  /** Says something in the report. */
  say(text) {
    this.test.diagnostic(text);
  }

  /** Nothing happened on any page that may never happen. */
  assertCalm() {
    for (const { dog } of this.contexts) assert.deepEqual(dog.found, []);
  }

  /** A model server; see `Model`. */
  async model(answer) {
    const model = await Model.start(answer);
    this.#models.push(model);
    return model;
  }

  /** `franz` with these arguments, once its dashboard can be opened. */
  async franz(...words) {
    const franz = new Franz(this.directory, words);
    this.#programs.push(franz);
    await franz.ready();
    return franz;
  }

  /** `franz run` in the directory `run`, before that model server or the built-in one, without delays. */
  run(model, ...more) {
    const upstream = model?.address ?? "demo";
    return this.franz("run", "--no-open", "--run-dir", "run", "--upstream", upstream, "--dashboard", "127.0.0.1:0", "--set", "loop.executing_delay_s=0", "--set", "loop.patience=0", "--set", "loop.rest_s=0", ...more);
  }

  /** `franz replay` of a directory. */
  replay(directory = "run") {
    return this.franz("replay", this.path(directory), "--no-open", "--dashboard", "127.0.0.1:0");
  }

  /** `franz panel` before that model server, for requests of the test's own. */
  panel(model, ...more) {
    return this.franz("panel", "--no-open", "--run-dir", "run", "--upstream", model.address, "--relay", "127.0.0.1:0", "--dashboard", "127.0.0.1:0", ...more);
  }

  /** Exports the run; returns what was said about it. */
  export(...words) {
    const franz = new Franz(this.directory, ["export", this.path("run"), ...words]);
    this.#programs.push(franz);
    return franz.done();
  }

  /** A new browser context, watched. */
  async context(franz, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const dog = await Watchdog.over(context, franz?.address ?? "nowhere:");
    this.contexts.push({ context, dog });
    return context;
  }

  /** The dashboard in a page, opened by its link, in a context of its own or in that one. */
  async open(franz, options = {}) {
    const context = options.context ?? (await this.context(franz, options));
    const page = await context.newPage();
    await page.goto(franz.link);
    await page.locator("#status-words").filter({ hasNotText: "Connecting" }).waitFor();
    // Until its events are heard, a page would miss a run that ends at once.
    const late = Date.now() + PATIENCE_MS;
    while ((await franz.clients()) === 0) if (Date.now() > late) throw new Error("the page does not listen to the run's events");
    return page;
  }

  async close() {
    await Promise.all(this.contexts.map(({ context }) => context.close()));
    await Promise.all(this.#programs.map((program) => program.end()));
    for (const model of this.#models) model.close();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 3 });
  }
}
