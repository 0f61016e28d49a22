// A model server that gives the replies that a test wants, when the test wants them.

import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";

export class Model {
  /** The JSON bodies of all requests, oldest first. */
  requests = [];
  /** The paths, headers and bodies of all requests as they arrived, oldest first. */
  arrived = [];
  name = "stage-model";
  #waiting = [];
  #arrivals = new EventEmitter();

  /**
   * `answer` makes the text of a reply from the number of its request, starting at 1. Without it, each request waits
   * for `say`.
   */
  static async start(answer) {
    const model = new Model();
    model.answer = answer;
    model.server = createServer((request, response) => model.#serve(request, response));
    model.server.listen(0, "127.0.0.1");
    await once(model.server, "listening");
    model.address = `http://127.0.0.1:${model.server.address().port}`;
    return model;
  }

  async #serve(request, response) {
    response.setHeader("Content-Type", "application/json");
    if (request.method === "GET") return response.end(JSON.stringify({ object: "list", data: [{ id: this.name, object: "model" }] }));
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    this.arrived.push({ path: request.url, headers: request.headers, body });
    this.requests.push(JSON.parse(body.toString()));
    this.#arrivals.emit("request");
    if (this.refusal) return response.writeHead(this.refusal.status, this.refusal.headers).end(this.refusal.body);
    if (this.answer) return send(response, this.answer(this.requests.length));
    this.#waiting.push(response);
  }

  /** Waits until a request is waiting for its reply. */
  async asked() {
    while (!this.#waiting.length) await once(this.#arrivals, "request");
  }

  /** Waits until `count` requests have arrived, and returns the messages of the last of these as JSON. */
  async told(count) {
    while (this.requests.length < count) await once(this.#arrivals, "request");
    return JSON.stringify(this.requests[count - 1].messages);
  }

  /**
   * Answers the waiting request or, if there is none, the next one. `reply` is a string, or `{ content }` with a JSON
   * literal.
   */
  async say(reply) {
    await this.asked();
    send(this.#waiting.shift(), reply);
  }

  /** Begins to answer the waiting request or, if there is none, the next one. The answer is sent piece by piece. */
  async stream() {
    await this.asked();
    const response = this.#waiting.shift();
    response.setHeader("Content-Type", "text/event-stream");
    const event = (data) => response.write(`data: ${data}\n\n`);
    return {
      event,
      write: (text) => event(`{"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}]}`),
      end: () => {
        event('{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}');
        event("[DONE]");
        response.end();
      },
      /** Ends the response, but not the reply. */
      stops: () => response.end(),
      breaks: () => response.destroy(),
    };
  }

  /** From now on, answers all requests with `answer`, or none if it is null. */
  goOn(answer) {
    this.answer = answer;
    if (!answer) return;
    for (const response of this.#waiting.splice(0)) send(response, answer(this.requests.length));
  }

  /** Breaks the connection of the waiting request. */
  async drop() {
    await this.asked();
    this.#waiting.shift().destroy();
  }

  /** From now on, refuses all requests with `{ status, headers, body }`, or none if `refusal` is null. */
  refuse(refusal) {
    this.refusal = refusal;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

function send(response, reply) {
  const content = typeof reply === "string" ? JSON.stringify(reply) : reply.content;
  const read = reply.read ?? 100;
  const usage = {
    prompt_tokens: read,
    completion_tokens: 20,
    total_tokens: read + 20,
    prompt_tokens_details: { cached_tokens: Math.floor(read * 0.6) },
  };
  const timings = { prompt_per_second: 812.4, predicted_per_second: 31.4 };
  const model = JSON.stringify(reply.model ?? "stage-model");
  response.end(
    `{"id":"1","object":"chat.completion","created":1,"model":${model},"choices":[{"index":0,"message":{"role":"assistant","content":${content}${reply.calls ? `,"tool_calls":${reply.calls}` : ""}},"finish_reason":"${reply.calls ? "tool_calls" : "stop"}"}],"usage":${JSON.stringify(usage)},"timings":${JSON.stringify(timings)}}`,
  );
}

/** Returns a reply that draws one line. */
export const drawing = (turn) => `Reply ${turn}.\n\n\`\`\`python\ndrag(${(turn * 37) % 1000}, 100, 500, 900)\n\`\`\``;
