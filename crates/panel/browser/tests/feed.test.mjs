// The event stream of a panel that refuses it.

import assert from "node:assert/strict";
import { test } from "node:test";

test("events that are refused are asked for less and less often, and nothing is left behind", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const [listeners, sources] = [new Set(), []];
  class EventSource {
    static CLOSED = 2;
    readyState = EventSource.CLOSED;
    constructor() {
      sources.push(this);
    }
  }
  const browser = {
    EventSource,
    self: {},
    location: { pathname: "/" },
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  Object.assign(globalThis, browser);
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
