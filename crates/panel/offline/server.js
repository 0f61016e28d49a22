// Answers requests from the file's contents, in place of a panel.

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const EXPIRED = "";

/** A file knows no other runs. */
export const getOfPanel = async () => ({ runs: [], conversations: 0, below: [] });
export const postTo = async () => {};

const HITS = 100;
const AROUND = 60;
/** How many groups of turns to keep unpacked. */
const MOST = 8;

/** Returns the bytes of an element's base64. The element itself keeps the base64. */
export function held(id) {
  const base64 = document.getElementById(id).textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpacked(id) {
  const stream = new Blob([held(id)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

let whole;
const index = () => (whole ??= unpacked("index"));

const groups = new Map();
function group(number) {
  const kept = groups.get(number) ?? unpacked(`turns-${number}`);
  groups.delete(number);
  groups.set(number, kept);
  if (groups.size > MOST) groups.delete(groups.keys().next().value);
  return kept;
}

async function turn(number) {
  const { groups } = await index();
  const found = groups.findIndex(([first, last]) => first <= number && number <= last);
  return found < 0 ? undefined : (await group(found))[number];
}

function page(summaries, { before, limit }) {
  const below = summaries.filter((summary) => !before || summary.turn < Number(before));
  return { turns: below.slice(-Number(limit)).reverse() };
}

/** Returns the hits of a search, newest first. */
async function search(words) {
  const wanted = words.toLowerCase();
  const hits = [];
  const { groups } = await index();
  for (let number = groups.length - 1; number >= 0; number -= 1) {
    const turns = Object.values(await group(number)).reverse();
    for (const { detail } of turns)
      for (const [field, text] of fields(detail)) {
        const at = text.toLowerCase().indexOf(wanted);
        if (at < 0) continue;
        if (hits.length === HITS) return { hits, more: true };
        const from = Math.max(0, at - AROUND);
        const excerpt = text.slice(from, at + words.length + AROUND);
        hits.push({ turn: detail.summary.turn, field, excerpt, at: at - from, length: words.length });
      }
  }
  return { hits, more: false };
}

const fields = ({ line, story }) => [
  ["reply", line.reply ?? ""],
  ["story", story ?? ""],
  ["feedback", line.feedback ?? ""],
  ["actions", (line.acted ?? []).map(({ action }) => action).join("\n")],
  ["errors", (line.errors ?? []).join("\n")],
];

/** Answers the page's requests. */
export async function get(path) {
  const [address, query = ""] = path.split("?");
  const asked = Object.fromEntries(new URLSearchParams(query));
  const { run, summaries, pictures } = await index();
  if (address === "pictures") return pictures;
  if (address === "/api/state") return { ...run.state, now: Date.now() };
  if (address === "/api/marks") return run.marks;
  if (address === "/api/turns") return page(summaries, asked);
  if (address === "/api/search") return search(asked.q);
  if (address === "/api/runs") return { runs: [], below: [] };
  const [, kind, number] = /^\/api\/(turns|exchanges)\/(\d+)$/.exec(address) ?? [];
  const found = number && (await turn(Number(number)));
  if (!found) throw new Refusal(404, "This is not in the file.");
  if (kind === "turns") return structuredClone(found.detail);
  if (!found.exchanges.length) throw new Refusal(404, "The request of this turn is not in the file.");
  return { exchanges: structuredClone(found.exchanges) };
}

export const post = () => Promise.reject(new Refusal(404, "This run is over."));
