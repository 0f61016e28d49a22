// Paces a page that receives more than it can draw.

const LONGEST_REST_MS = 1000;

/** Does `work` right away, and again only after a rest as long as drawing took. A hidden page neither draws nor rests. */
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

/** Does `work` once per frame, however often it is requested. */
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

/**
 * Does slow `work` for the newest value that it is called with, at most `most` times at once. Passes each value and its
 * result to `use`, unless a newer one was faster.
 */
export function newest(work, use, most) {
  let [count, used, busy, due] = [0, 0, 0, null];
  const run = async () => {
    if (!due || busy === most) return;
    const [{ value }, own] = [due, (count += 1)];
    due = null;
    busy += 1;
    const result = await work(value).catch(() => null);
    busy -= 1;
    if (own > used) {
      used = own;
      use(value, result);
    }
    run();
  };
  return (value) => {
    due = { value };
    run();
  };
}

/** Does slow `work`. If it is requested again in the meantime, does it once more afterwards. */
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
