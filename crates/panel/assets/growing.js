// The reply that the model is writing. Fires `grow` with the turn, the new text, and whether that starts the reply.

import { get } from "./server.js";

export class Growing extends EventTarget {
  #turn = null;
  /** Ends the loop that follows the reply now. */
  #asking = new AbortController();
  #text = "";

  constructor(run, view) {
    super();
    const follow = () => {
      const { shown } = view;
      // A browser allows few connections to one panel, so keep them for visible pages.
      const turn = shown?.pending && run.reachable && !document.hidden ? shown.summary.turn : null;
      if (turn !== this.#turn) this.#follow(turn);
    };
    run.addEventListener("change", follow);
    view.addEventListener("show", follow);
    document.addEventListener("visibilitychange", follow);
    follow();
  }

  /** Returns the text written in this turn so far. */
  of(turn) {
    return turn === this.#turn ? this.#text : "";
  }

  async #follow(turn) {
    [this.#turn, this.#text] = [turn, ""];
    // Otherwise, requests for turns that the person has left would take up these connections.
    this.#asking.abort();
    const { signal } = (this.#asking = new AbortController());
    let [reply, after, half] = [0, 0, ""];
    while (turn != null && !signal.aborted) {
      const growth = await get(`/api/reply?turn=${turn}&reply=${reply}&after=${after}`, signal).catch((error) => error);
      if (signal.aborted) return;
      // The page notices on its own when the panel is gone, and follows the reply again when it is back.
      if (growth instanceof Error) return void (this.#turn = null);
      if (growth) {
        const isFirst = growth.at === 0;
        if (isFirst) [this.#text, half] = ["", ""];
        // The second half of a character might come with the next piece.
        const [, text, rest] = /^(.*?)([\ud800-\udbff]?)$/s.exec(half + growth.text);
        [reply, after, half] = [growth.reply, growth.end, rest];
        this.#text += text;
        this.dispatchEvent(new CustomEvent("grow", { detail: { turn, text, isFirst } }));
      }
      await new Promise(requestAnimationFrame);
    }
  }
}
