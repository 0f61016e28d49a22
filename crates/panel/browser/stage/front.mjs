// A server in front of a panel, which lets a test decide what still reaches the page.

import { once } from "node:events";
import { createServer, request } from "node:http";

export class Front {
  #events = new Set();
  #hasEvents = true;
  #hasExpired = false;
  /** How many snapshots have been answered since the events ended. */
  answered = 0;

  /** `franz` can be replaced by another panel, as if that had the same address. */
  constructor(franz) {
    this.franz = franz;
    this.server = createServer((asked, answer) => this.#pass(asked, answer));
  }

  /** Starts a server in front of this panel. It has the parts of `Franz` that a page needs. */
  static async before(franz) {
    const front = new Front(franz);
    front.server.listen(0, "127.0.0.1");
    await once(front.server, "listening");
    front.address = `http://127.0.0.1:${front.server.address().port}`;
    return front;
  }

  get link() {
    return this.franz.link.replace(this.franz.address, this.address);
  }

  clients() {
    return this.franz.clients();
  }

  /** Ends all events, and accepts no new listener. Everything else is still answered. */
  endEvents() {
    this.#hasEvents = false;
    for (const answer of this.#events) answer.destroy();
  }

  /** Refuses everything, as a panel does that has another token. */
  expire() {
    this.#hasExpired = true;
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }

  #pass(asked, answer) {
    if (this.#hasExpired) return answer.writeHead(401).end();
    if (/\/events(\?|$)/.test(asked.url)) {
      if (!this.#hasEvents) return answer.destroy();
      this.#events.add(answer);
    }
    if (asked.url.endsWith("/api/state") && !this.#hasEvents) answer.on("finish", () => (this.answered += 1));
    // The panel answers only those who use its own address, and its cookie is named after its port.
    const { host, port } = new URL(this.franz.address);
    const headers = { ...asked.headers, host };
    if (headers.origin) headers.origin = this.franz.address;
    if (headers.cookie) headers.cookie = headers.cookie.replace(/\bfranz_\d+=/g, `franz_${port}=`);
    const passed = request(this.franz.address + asked.url, { method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.on("error", () => answer.destroy()).pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  }
}
