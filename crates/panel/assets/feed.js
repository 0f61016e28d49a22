// What happens, as it happens: through the worker that all tabs share, else through a connection of our own.

import { listen } from "./stream.js";

export function feed(tell) {
  let worker;
  try {
    worker = new SharedWorker("/assets/worker.js", { type: "module", name: "franz" });
  } catch {
    listen(tell);
    return;
  }
  worker.onerror = () => listen(tell);
  worker.port.onmessage = ({ data }) => tell(data);
  // A port does not say when its tab is gone; a page that comes back from the browser's cache starts anew.
  addEventListener("pagehide", () => worker.port.postMessage("gone"));
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}
