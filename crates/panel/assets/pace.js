// The pace of a page that hears more than it can draw.

const LONGEST_REST_MS = 1000;

/** Does `work` at once, and again only after a rest as long as drawing took. A hidden page never draws or rests. */
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

/** Does `work` once a frame, however often requested. */
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

/** Does slow `work`; if requested again meanwhile, repeats it once afterwards. */
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
