// Requests to the panel. Every failure becomes a `Refusal` with a message that says what to do.

import { base } from "./place.js";

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const EXPIRED =
  "This link is no longer valid because FRANZ was restarted. Open the new page with “franz open”, or a recorded run with “franz replay”.";

async function ask(path, options, of = base) {
  let response;
  try {
    response = await fetch(of + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "The panel is not responding.");
  }
  if (response.ok) return response.json();
  if (response.status === 401) throw new Refusal(401, EXPIRED);
  const said = await response.json().catch(() => ({}));
  throw new Refusal(response.status, said.error ?? `The panel refused this (${response.status}).`);
}

/** Asks the panel itself, whichever of its runs this page shows. */
export const getOfPanel = (path) => ask(path, {}, "");

/** Sends a command to another run on the panel's page. */
export const postTo = (run, command) =>
  ask("/api/control", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command) }, run);

/** Fetches something about this page's run, or about another run on the panel's page. */
export const get = (path, signal, run = base) => ask(path, { signal }, run);

/** Sends a command. `hash` is the hash of the settings that the person saw. */
export function post(command, hash) {
  const headers = { "Content-Type": "application/json" };
  if (hash) headers["If-Match"] = `"${hash}"`;
  // Without a limit, a save that never ends would hold back every later one.
  return ask("/api/control", { method: "POST", headers, body: JSON.stringify(command), signal: AbortSignal.timeout(30_000) });
}
