// Receives events. As a shared worker, this needs one connection for all tabs of a run. Browsers allow only six per
// server, so the runs of a panel share a few.

import { base } from "./place.js";

const NAME = "franz";
const AGAIN_MS = 2000;
const LONGEST_MS = 30_000;
/** How long the panel, which sends something every 15 s, may be silent. */
const SILENT_MS = 40_000;

/** How many connections the streams of all runs share. Everything else needs the others. */
const PLACES = 3;
/** How long a stream keeps its place while others wait for it. */
const TURN_MS = 500;
/** For how many turns it waits for an answer. */
const PATIENCE = 6;

/**
 * Calls `tell` with `{link: "up" | "down"}` and `{id, event}`. Opens a new connection if this one is silent for too
 * long or, after increasingly long pauses, if the browser gives up. A stream that was closed continues where it ended.
 */
function listen(tell, run = base) {
  let [pause, last, link] = [AGAIN_MS, "", ""];
  let source, timer, isSettled;
  const wait = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(renew, ms);
  };
  const say = (now) => {
    isSettled = true;
    if (now !== link) tell({ link: (link = now) });
  };
  const open = () => {
    isSettled = false;
    source = new EventSource(`${run}/events?last=${last}`);
    // The first event comes at once, so that the stream can continue from there.
    source.onmessage = ({ lastEventId, data }) => {
      [pause, last] = [AGAIN_MS, lastEventId];
      wait(SILENT_MS);
      say("up");
      // An empty event is only a sign of life.
      if (data !== "{}") tell({ id: last, event: JSON.parse(data) });
    };
    source.onerror = () => {
      say("down");
      if (source.readyState !== EventSource.CLOSED) return;
      removeEventListener("online", renew);
      wait(pause);
      pause = Math.min(2 * pause, LONGEST_MS);
    };
    // After a time without a network, a connection can be dead without any sign of it.
    addEventListener("online", renew);
    wait(SILENT_MS);
  };
  const close = () => {
    timer = clearTimeout(timer);
    removeEventListener("online", renew);
    source.close();
    // The page must know that nothing has answered.
    if (!isSettled) say("down");
  };
  const renew = () => {
    // A closed stream waits for its turn.
    if (!timer) return;
    close();
    say("down");
    open();
  };
  /** Tries again at once, and tells the result even to a page that has come only now. */
  const hurry = () => {
    renew();
    link = "";
  };
  return { open, close, hurry, isSettled: () => isSettled };
}

/** Opens a stream whenever it has a place, and closes it after a while if another one waits for that place. */
async function takeTurns({ open, close, isSettled }) {
  const { locks } = navigator;
  for (;;) {
    const place = `${Math.floor(PLACES * Math.random())}`;
    await locks.request(place, async () => {
      open();
      let all;
      let turns = 0;
      do {
        await new Promise((rested) => setTimeout(rested, TURN_MS));
        all = await locks.query();
        turns += 1;
      } while ((!isSettled() && turns < PATIENCE) || !all.pending.some(({ name }) => name === place));
      close();
    });
  }
}

/** Passes on the events of this page's run, or of another `run` on the panel's page; "" means the panel itself. */
export function feed(tell, run = base) {
  let worker;
  try {
    worker = new SharedWorker("/assets/feed.js", { type: "module", name: NAME + run });
  } catch {
    return listen(tell, run).open();
  }
  worker.onerror = () => listen(tell, run).open();
  worker.port.onmessage = ({ data }) => tell(data);
  // A port does not report that its tab is gone, so a page that comes back from the browser's cache reloads.
  addEventListener("pagehide", () => worker.port.postMessage("gone"));
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}

function share() {
  const tabs = new Set();
  let link;
  const run = self.name.slice(NAME.length);
  const stream = listen((message) => {
    link = message.link ?? link;
    for (const tab of tabs) tab.postMessage(message);
  }, run);
  // The panel's own events come once for all tabs. Browsers give locks only to secure pages, such as those of localhost.
  if (run && navigator.locks) takeTurns(stream);
  else stream.open();
  /** @type {any} */
  const worker = self;
  worker.onconnect = ({ ports: [tab] }) => {
    // The new page might have a link that is valid again.
    if (link === "down") stream.hurry();
    else if (link) tab.postMessage({ link });
    tabs.add(tab);
    tab.onmessage = () => tabs.delete(tab);
  };
}

if ("SharedWorkerGlobalScope" in self) share();
