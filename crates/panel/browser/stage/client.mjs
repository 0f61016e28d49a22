// An agent other than FRANZ. It sends requests of three messages through the relay.

import { request } from "node:http";

export class Client {
  constructor(relay) {
    this.relay = relay;
  }

  /**
   * Sends a story, given as a string or as `{ content }` with a JSON literal, and returns the content of the reply as a
   * literal.
   */
  async ask(story) {
    const literal = typeof story === "string" ? JSON.stringify(story) : story.content;
    const body = `{"model":"stage-model","messages":[{"role":"system","content":"You draw."},{"role":"user","content":${literal}},{"role":"user","content":[{"type":"text","text":"Go on."}]}]}`;
    const answer = await post(`${this.relay}/v1/chat/completions`, body);
    return /"message":\{"role":"assistant","content":("(?:[^"\\]|\\.)*")\}/.exec(answer)[1];
  }
}

function post(url, body) {
  return new Promise((answered, failed) => {
    const asking = request(url, { method: "POST", headers: { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) } }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      answered(Buffer.concat(chunks).toString());
    });
    asking.on("error", failed).end(body);
  });
}
