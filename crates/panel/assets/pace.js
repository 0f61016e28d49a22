// The pace of a page that is told more than it can draw.

const LONGEST_REST_MS = 1000;

/** `work`, done at once; asked for again, it waits until the page has rested as long as drawing took. A hidden page draws nothing, so it need not rest. */
export function paced(work) {
  let [resting, asked] = [false, false];
  const wake = () => {
    resting = false;
    if (asked) run();
  };
  const run = () => {
    asked = true;
    if (resting && !document.hidden) return;
    asked = false;
    const began = performance.now();
    work();
    if (resting || document.hidden) return;
    resting = true;
    const rest = () => setTimeout(wake, Math.min(performance.now() - began, LONGEST_REST_MS));
    requestAnimationFrame(() => setTimeout(rest));
  };
  document.addEventListener("visibilitychange", () => document.hidden && asked && run());
  return run;
}

/** `work`, once a frame however often it is asked for. */
export function framed(work) {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      work();
    });
  };
}

/** `work` that takes its time: asked for while it is under way, it is done once more afterwards. */
export function repeated(work) {
  let [busy, asked] = [false, false];
  return async () => {
    asked = true;
    if (busy) return;
    busy = true;
    try {
      while (asked) {
        asked = false;
        await work();
      }
    } finally {
      busy = false;
    }
  };
}
