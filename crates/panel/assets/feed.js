// Receives events. As a shared worker, this needs one connection for all tabs; browsers allow only six per server.

import { base } from "./place.js";

const NAME = "franz";
const AGAIN_MS = 2000;
const LONGEST_MS = 30_000;
/** How long the panel, which sends something every 15 s, may be silent. */
const SILENT_MS = 40_000;

/** Reopens the most recent connection immediately. */
let hurry;

/**
 * Calls `tell` with `{link: "up" | "down"}` and `{id, event}`. Opens a new connection if this one is silent for too
 * long or, after increasingly long pauses, if the browser gives up.
 */
function listen(tell, run = base, pause = AGAIN_MS) {
  const source = new EventSource(`${run}/events`);
  let timer;
  const wait = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(renew, ms);
  };
  source.onopen = () => {
    pause = AGAIN_MS;
    wait(SILENT_MS);
    tell({ link: "up" });
  };
  source.onmessage = ({ lastEventId, data }) => {
    wait(SILENT_MS);
    // An empty event is only a sign of life.
    if (data !== "{}") tell({ id: lastEventId, event: JSON.parse(data) });
  };
  source.onerror = () => {
    tell({ link: "down" });
    if (source.readyState !== EventSource.CLOSED) return;
    removeEventListener("online", renew);
    wait(pause);
    pause = Math.min(2 * pause, LONGEST_MS);
  };
  const renew = (hurry = () => {
    clearTimeout(timer);
    removeEventListener("online", renew);
    source.close();
    tell({ link: "down" });
    listen(tell, run, pause);
  });
  // After a time without a network, a connection can be dead without any sign of it.
  addEventListener("online", renew);
  wait(SILENT_MS);
}

/** Passes on the events of this page's run, or of another `run` on the panel's page; "" means the panel itself. */
export function feed(tell, run = base) {
  let worker;
  try {
    worker = new SharedWorker("/assets/feed.js", { type: "module", name: NAME + run });
  } catch {
    return listen(tell, run);
  }
  worker.onerror = () => listen(tell, run);
  worker.port.onmessage = ({ data }) => tell(data);
  // A port does not report that its tab is gone, so a page that comes back from the browser's cache reloads.
  addEventListener("pagehide", () => worker.port.postMessage("gone"));
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}

function share() {
  const tabs = new Set();
  let link;
  listen((message) => {
    link = message.link ?? link;
    for (const tab of tabs) tab.postMessage(message);
  }, self.name.slice(NAME.length));
  /** @type {any} */
  const worker = self;
  worker.onconnect = ({ ports: [tab] }) => {
    // The new page might have a link that is valid again.
    if (link === "down") hurry();
    else if (link) tab.postMessage({ link });
    tabs.add(tab);
    tab.onmessage = () => tabs.delete(tab);
  };
}

if ("SharedWorkerGlobalScope" in self) share();
