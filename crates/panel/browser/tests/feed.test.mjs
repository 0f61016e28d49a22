// The event stream of a panel that refuses it, or falls silent.

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
    constructor() {
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
  sources.at(-1).onopen();
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
  sources[0].onopen();
  stays(1);
  sources[0].onmessage({ lastEventId: "a-1", data: "{}" });
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
  sources.at(-1).onopen();
  assert.deepEqual([old.at(-1), ...told], [{ link: "up" }, { link: "up" }]);
  assert.deepEqual(open(), [{ link: "up" }]);
  mock.timers.tick(30_000);
  assert.equal(sources.length, 6, "the pause is over");
});
