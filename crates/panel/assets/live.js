// Draws live pictures of a private screen on a canvas.

import { find } from "./element.js";
import { get } from "./server.js";

/** How often, and after what pause, the page that controls the screen asks again if a request is lost. */
const TRIES = 27;
const PAUSE_MS = 150;

/** Draws changes for as long as `isWanted` returns true. */
export async function drawLive(canvas, isWanted, key = "") {
  const context = canvas.getContext("2d");
  let [after, lost] = [0, 0];
  const ask = async () => {
    try {
      const pictures = await get(`/api/live?after=${after}&key=${key}`);
      lost = 0;
      return pictures;
    } catch (error) {
      if (!key || error.status || (lost += 1) > TRIES) throw error;
      return new Promise((again) => setTimeout(again, PAUSE_MS, []));
    }
  };
  while (isWanted()) {
    for (const picture of await ask()) {
      const bytes = Uint8Array.from(atob(picture.png), (byte) => byte.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      if (!isWanted()) return;
      if (picture.whole) [canvas.width, canvas.height] = picture.screen;
      context.drawImage(bitmap, ...picture.at);
      after = picture.number;
      canvas.dataset.picture = after;
    }
  }
}

/** Shows the private screen's current contents over the latest turn's picture while the run waits for the person. */
export function showNow(run, view) {
  const [canvas, badge] = ["now", "now-badge"].map(find);
  let watch = { now: null };
  const wait = () => {
    const { run: facts, question, agent, taken_over, turns } = run.snapshot ?? {};
    // A browser allows few connections to one panel, so keep them for visible pages.
    if (document.hidden || !facts?.private || taken_over || !run.reachable || view.shown?.summary.turn !== turns?.last) return null;
    return question?.nonce ?? (agent?.state === "paused" ? "paused" : null);
  };
  const begin = (now) => {
    watch = { now };
    delete canvas.dataset.picture;
    badge.hidden = !now;
  };
  const draw = async () => {
    const now = wait();
    if (now === watch.now) return;
    begin(now);
    if (!now) return;
    const mine = watch;
    // Without live pictures, the turn's own picture becomes visible again.
    await drawLive(canvas, () => watch === mine).catch(() => watch === mine && begin(null));
  };
  run.addEventListener("change", draw);
  view.addEventListener("show", draw);
  document.addEventListener("visibilitychange", draw);
  draw();
}
