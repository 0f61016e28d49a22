// The event stream of a panel that refuses it, falls silent, or has more runs than a browser has connections.

import assert from "node:assert/strict";
import { test } from "node:test";

/** Pretends to be a browser or, with `worker`, one of its shared workers. Returns what this opens and listens to. */
function pretend(mock, worker = {}) {
  mock.timers.enable({ apis: ["setTimeout"] });
  const [listeners, sources] = [new Set(), []];
  class EventSource {
    static CLOSED = 2;
    readyState = EventSource.CLOSED;
    closed = false;
    constructor(url) {
      this.url = url;
      sources.push(this);
    }
    close() {
      this.closed = true;
    }
  }
  const browser = {
    EventSource,
    self: worker,
    location: { pathname: "/" },
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  Object.assign(globalThis, browser);
  return { listeners, sources };
}

/** The first event of a connection. */
const FIRST = { lastEventId: "a-1", data: "{}" };

/** Stands in for the browser's locks. */
class Locks {
  held = [];
  pending = [];

  request(name, work) {
    return new Promise((done) => {
      this.pending.push({ name, work, done });
      this.#grant();
    });
  }

  async query() {
    return this;
  }

  #grant() {
    for (const asked of [...this.pending]) {
      if (this.held.some(({ name }) => name === asked.name)) continue;
      this.pending = this.pending.filter((other) => other !== asked);
      this.held.push(asked);
      asked.work().then(() => {
        this.held = this.held.filter((other) => other !== asked);
        asked.done();
        this.#grant();
      });
    }
  }
}

test("events that are refused are asked for less and less often, and nothing is left behind", async ({ mock }) => {
  const { listeners, sources } = pretend(mock);
  const { feed } = await import("../../assets/feed.js");
  feed(() => {}, "");
  const refuse = (seconds) => {
    const asked = sources.length;
    sources.at(-1).onerror();
    assert.equal(listeners.size, 0);
    mock.timers.tick(seconds * 1000 - 1);
    assert.equal(sources.length, asked);
    mock.timers.tick(1);
    assert.deepEqual([sources.length, listeners.size], [asked + 1, 1]);
  };
  for (const seconds of [2, 4, 8, 16, 30, 30]) refuse(seconds);
  sources.at(-1).onmessage(FIRST);
  refuse(2);
});

test("a connection that stays silent is opened anew, also one that was never there", async ({ mock }) => {
  const { listeners, sources } = pretend(mock);
  const { feed } = await import("../../assets/feed.js");
  const told = [];
  feed((message) => told.push(message), "");
  const stays = (opened) => {
    mock.timers.tick(39_999);
    assert.equal(sources.length, opened);
  };
  stays(1);
  sources[0].onmessage(FIRST);
  stays(1);
  sources[0].onmessage(FIRST);
  stays(1);
  sources[0].onmessage({ lastEventId: "a-2", data: '{"held":1}' });
  stays(1);
  mock.timers.tick(1);
  assert.deepEqual(told, [{ link: "up" }, { id: "a-2", event: { held: 1 } }, { link: "down" }]);
  assert.deepEqual([sources.length, sources[0].closed, listeners.size], [2, true, 1]);
  stays(2);
  mock.timers.tick(1);
  assert.deepEqual([sources.length, sources[1].closed, listeners.size], [3, true, 1]);
});

test("a page that is opened during a long pause has its connection at once", async ({ mock }) => {
  const worker = { name: "franz", SharedWorkerGlobalScope: {}, onconnect: null };
  const { sources } = pretend(mock, worker);
  // A module of its own, which finds itself in a worker.
  await import("../../assets/feed.js?shared");
  const open = () => {
    const told = [];
    worker.onconnect({ ports: [{ postMessage: (message) => told.push(message) }] });
    return told;
  };
  const old = open();
  for (const seconds of [2, 4, 8, 16]) {
    sources.at(-1).onerror();
    mock.timers.tick(seconds * 1000);
  }
  sources.at(-1).onerror();
  assert.equal(sources.length, 5);
  const told = open();
  assert.equal(sources.length, 6);
  assert.deepEqual(told, [], "a new page is not told of what was before");
  sources.at(-1).onmessage(FIRST);
  assert.deepEqual([old.at(-1), ...told], [{ link: "up" }, { link: "up" }]);
  assert.deepEqual(open(), [{ link: "up" }]);
  mock.timers.tick(30_000);
  assert.equal(sources.length, 6, "the pause is over");
  sources.at(-1).onerror();
  const late = open();
  sources.at(-1).onerror();
  assert.deepEqual([told.at(-1), ...late], [{ link: "down" }, { link: "down" }], "a new page is told that the next attempt failed");
});

/** Opens a tab for each of these runs. Returns what the first one is told. */
async function share(mock, runs) {
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { locks: new Locks() } });
  let dice = 0;
  mock.method(Math, "random", () => (dice++ % 3) / 3);
  const told = [];
  for (const run of runs) {
    globalThis.self = { name: `franz/run/${run}`, SharedWorkerGlobalScope: {}, onconnect: null };
    await import(`../../assets/feed.js?run=${run}`);
    if (run === runs[0]) self.onconnect({ ports: [{ postMessage: (message) => told.push(message) }] });
  }
  return told;
}

/** Lets the time pass after which streams look whether others wait for their places. */
async function passes(mock) {
  mock.timers.tick(500);
  await new Promise((next) => setImmediate(next));
}

test("the streams of many runs take turns, and each continues where it ended", async ({ mock }) => {
  const { sources } = pretend(mock);
  const told = await share(mock, [1, 2, 3, 4, 5, 6, 7, 8]);
  await passes(mock);
  assert.equal(sources.length, 3, "nobody loses a place to which the panel has not answered");
  for (let turn = 1; turn <= 16; turn += 1) {
    const open = sources.filter(({ closed }) => !closed);
    assert.ok(open.length > 0 && open.length <= 3, `${open.length} connections`);
    for (const source of open) {
      source.newest = turn;
      source.onmessage({ lastEventId: `a-${turn}`, data: `{"turn":${turn}}` });
    }
    await passes(mock);
  }
  for (let run = 1; run <= 8; run += 1) {
    const own = sources.filter(({ url }) => url.startsWith(`/run/${run}/`));
    assert.ok(own.length > 2, `run ${run} had ${own.length} turns`);
    own.forEach(({ url }, index) => assert.equal(url, `/run/${run}/events?last=${index ? `a-${own[index - 1].newest}` : ""}`));
  }
  assert.deepEqual(told.filter(({ link }) => link), [{ link: "up" }], "a page does not notice that others had their turns");
});

test("a run that does not answer gives up its place after a while, and its page knows", async ({ mock }) => {
  const { listeners, sources } = pretend(mock);
  const told = await share(mock, ["a", "b", "c", "d", "e"]);
  await passes(mock);
  sources[2].onmessage(FIRST);
  const [, reopen] = listeners;
  reopen();
  assert.deepEqual([sources.length, sources[1].closed, sources[3].url], [4, true, sources[1].url]);
  for (let time = 2; time <= 5; time += 1) {
    await passes(mock);
    assert.equal(sources.length, 4, `nobody loses a place that early, even after a new connection: ${time}`);
  }
  assert.deepEqual(told, []);
  await passes(mock);
  const late = sources.slice(4).map(({ url }) => url);
  assert.deepEqual(late, ["/run/d/events?last=", "/run/e/events?last="]);
  assert.deepEqual(sources.map(({ closed }) => closed), [true, true, false, true, false, false]);
  assert.deepEqual(told, [{ link: "down" }]);
});
