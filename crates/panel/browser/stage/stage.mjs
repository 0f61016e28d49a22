// Everything that a test needs: a directory, programs, model servers and pages. All of them end with the test.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { connect } from "./browser.mjs";
import { Franz } from "./franz.mjs";
import { Front } from "./front.mjs";
import { Model } from "./model.mjs";
import { Watchdog } from "./watchdog.mjs";

/** The maximum duration of a test on a machine that is busy with other things. */
const TIMEOUT_MS = 120_000;
const PATIENCE_MS = 45_000;
/** The time that a test has to report where it was waiting. */
const REPORT_MS = 30_000;
/** How much of a program's output a failed test shows, in UTF-16 units. */
const LAST_WORDS = 2000;
/** How many requests a page records. By default, it stops after 250, which a fast run reaches early. */
const REQUESTS = 100_000;
/** How long a page may take to draw everything a second time. A test that holds back what this needs goes on anyway. */
const SETTLING_MS = 20_000;

let browser;
before(async () => (browser = await connect()));
after(() => browser?.close());

/** Defines a test that gets its own stage. */
export function scene(name, act) {
  test(name, { timeout: TIMEOUT_MS + REPORT_MS }, async (context) => {
    const stage = new Stage(await mkdtemp(join(tmpdir(), "franz-browser-")), context);
    // Without its pages and programs, the step that was waiting fails, and the error names its line.
    const late = setTimeout(() => {
      stage.say(`closing the pages after ${TIMEOUT_MS / 1000} s`);
      stage.close();
    }, TIMEOUT_MS);
    try {
      await act(stage);
      stage.assertCalm();
    } catch (error) {
      stage.report();
      throw error;
    } finally {
      clearTimeout(late);
      await stage.close();
    }
  });
}

class Stage {
  contexts = [];
  #programs = [];
  #fronts = [];
  #models = [];

  constructor(directory, test) {
    this.directory = directory;
    this.test = test;
  }

  /** Returns a path in the test's directory. */
  path(...names) {
    return join(this.directory, ...names);
  }

  /** Adds a line to the report. */
  say(text) {
    this.test.diagnostic(text);
  }

  /** Adds what the pages did wrong and what the programs printed to the report. */
  report() {
    for (const { dog } of this.contexts) for (const what of dog.found) this.say(what);
    for (const { said } of this.#programs) this.say(said.slice(-LAST_WORDS));
  }

  /** Checks that nothing forbidden has happened on any page. */
  assertCalm() {
    for (const { dog } of this.contexts) assert.deepEqual(dog.found, []);
  }

  /** Starts a model server. See `Model`. */
  async model(answer) {
    const model = await Model.start(answer);
    this.#models.push(model);
    return model;
  }

  /** Starts `franz` with these arguments, and waits until its dashboard can be opened. */
  async franz(...words) {
    const franz = new Franz(this.directory, words);
    this.#programs.push(franz);
    await franz.ready();
    return franz;
  }

  /** Starts `franz run` in the directory `run`, without delays, with this model server or the built-in model. */
  run(model, ...more) {
    const upstream = model?.address ?? "demo";
    return this.franz("run", "--no-open", "--run-dir", "run", "--upstream", upstream, "--dashboard", "127.0.0.1:0", "--set", "loop.executing_delay_s=0", "--set", "loop.patience=0", "--set", "loop.rest_s=0", ...more);
  }

  /** Starts `franz replay` for a directory. */
  replay(directory = "run") {
    return this.franz("replay", this.path(directory), "--no-open", "--dashboard", "127.0.0.1:0");
  }

  /** Starts `franz panel` with this model server. The test sends the requests. */
  panel(model, ...more) {
    return this.franz("panel", "--no-open", "--run-dir", "run", "--upstream", model.address, "--relay", "127.0.0.1:0", "--dashboard", "127.0.0.1:0", ...more);
  }

  /** Starts a server in front of this panel. See `Front`. */
  async front(franz) {
    const front = await Front.before(franz);
    this.#fronts.push(front);
    return front;
  }

  /** Exports the run, and returns what the program printed. */
  export(...words) {
    const franz = new Franz(this.directory, ["export", this.path("run"), ...words]);
    this.#programs.push(franz);
    return franz.done();
  }

  /** Opens a new browser context that is watched. */
  async context(franz, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript((size) => performance.setResourceTimingBufferSize(size), REQUESTS);
    const dog = await Watchdog.over(context, franz?.address ?? "nowhere:");
    this.contexts.push({ context, dog });
    return context;
  }

  /** Opens the dashboard in a page by its link, in the given context or a new one. */
  async open(franz, options = {}) {
    const context = options.context ?? (await this.context(franz, options));
    const page = await context.newPage();
    await page.goto(franz.link);
    await page.locator("#status-words").filter({ hasNotText: "Connecting" }).waitFor();
    // Until it listens to the events, a page would miss the end of a run that ends immediately.
    const late = Date.now() + PATIENCE_MS;
    while ((await franz.clients()) === 0) if (Date.now() > late) throw new Error("the page is not listening to the run's events");
    await this.settles(page);
    return page;
  }

  /**
   * Waits until the page has drawn what it fetches again once it listens to the events. Until then, what a test has
   * just found, focused or pointed at could be drawn anew. `open` does that, but a page that goes elsewhere by itself
   * has to be waited for again, when it has arrived.
   */
  async settles(page) {
    const isSettled = async () => {
      const fetched = (path) => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(path));
      const [, again] = fetched("/api/state");
      if (!again) return false;
      const [turn] = /\d+/.exec(document.getElementById("after")?.textContent) ?? [];
      const isThere = turn ? fetched(`/api/turns/${turn}`).some(({ startTime }) => startTime >= again.responseEnd) : document.getElementById("number")?.value === "";
      if (!isThere) return false;
      const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
      await frame();
      await frame();
      return true;
    };
    await page.waitForFunction(isSettled, null, { timeout: SETTLING_MS }).catch((error) => {
      if (error.name !== "TimeoutError") throw error;
      this.say(`a page was not drawn a second time within ${SETTLING_MS / 1000} s`);
    });
  }

  async close() {
    await Promise.all(this.contexts.map(({ context }) => quit(context)));
    await Promise.all(this.#programs.map((program) => program.end()));
    for (const front of this.#fronts) front.close();
    for (const model of this.#models) model.close();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Closes a context. A request that a test still passes on may fail then. */
async function quit(context) {
  const all = [context, ...context.pages()].map((each) => each.unrouteAll({ behavior: "ignoreErrors" }));
  await Promise.allSettled(all);
  await context.close();
}
