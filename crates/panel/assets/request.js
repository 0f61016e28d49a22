// Shows all exchanges of a turn, one per attempt: the request to the model, and the response. They can be copied.

import { copyButton } from "./clipboard.js";
import { find, make, write } from "./element.js";
import { recorded, shot } from "./pictures.js";
import { bytes, clock, count, duration, some } from "./quantity.js";
import { get } from "./server.js";
import { fill } from "./text.js";

/** Matches what the log contains in place of a picture's base64: the beginning of the picture's hash. */
const STAND_IN = /\[b64 sha=([0-9a-f]+) len=\d+\]/g;
const ENVELOPE = ["messages", "tools"];

export function showRequest(run, view, panes) {
  const [note, list] = [find("request-note"), find("exchanges")];
  let shown = null;
  const draw = async () => {
    const turn = view.shown;
    if (panes.text !== "request" || shown === turn) return;
    shown = turn;
    list.replaceChildren();
    write(note, turn ? "Reading the log …" : "No turn yet.");
    if (!turn) return;
    try {
      const { exchanges } = await get(`/api/exchanges/${turn.summary.turn}`);
      if (shown !== turn) return;
      write(note, exchanges.length > 1 ? `${exchanges.length} attempts, newest first.` : "");
      list.replaceChildren(...exchanges.reverse().map((each, i) => attempt(each, exchanges.length - i, turn, run)));
    } catch (error) {
      if (shown === turn) write(note, error.message);
    }
  };
  view.addEventListener("show", draw);
  panes.addEventListener("change", draw);
}

function attempt({ request, response }, number, turn, run) {
  const took = response && request ? Date.parse(response.at) - Date.parse(request.at) : NaN;
  const facts = [
    response ? (response.status ?? "no status") : "not answered",
    request && `sent ${clock(request.at)}`,
    took >= 0 && duration(took),
    request && `${bytes(request.bytes)} out${request.json?.includes("[b64 sha=") ? " without pictures" : ""}`,
    response && `${bytes(response.bytes)} in`,
  ];
  const body = parsed(request?.json);
  const rest = body && Object.fromEntries(Object.entries(body).filter(([name]) => !ENVELOPE.includes(name)));
  return make(
    "section",
    { "aria-label": `Attempt ${number}` },
    make("h2", {}, `Attempt ${number}: ${facts.filter(Boolean).join(", ")}`),
    request?.json
      ? make(
          "p",
          { class: "copies" },
          copyButton("Copy as JSON", () => whole(request.json, turn), run),
          copyButton("Copy as curl", async () => curl(await whole(request.json, turn), run.snapshot), run),
        )
      : null,
    ...(Array.isArray(body?.messages) ? body.messages.map((message) => part(message?.role ?? "?", message, turn)) : []),
    ...(body?.tools ? [part(`tools: ${count(body.tools.length ?? 1)}`, { content: pretty(body.tools) }, turn, false)] : []),
    ...(body ? [part("sampling and other fields", { content: pretty(body.messages ? rest : body) }, turn, false)] : []),
    ...(request && !body ? [part("request", { content: request.text ?? request.error ?? "" }, turn)] : []),
    ...(response ? [part("response", { content: response.json ? pretty(parsed(response.json)) : (response.text ?? response.error ?? "") }, turn, false)] : []),
  );
}

/** Makes a part that can be folded, with its text, its pictures, and whatever else it contains. */
function part(name, { content, role: _, ...rest }, turn, open = true) {
  const parts = Array.isArray(content) ? content : [content ?? ""];
  const sizes = parts.map((each) => (typeof each === "string" ? each.length : (each?.text?.length ?? 0)));
  const shown = parts.map((each) => piece(each, turn));
  if (Object.keys(rest).length) shown.push(text(pretty(rest)));
  return make("details", { open }, make("summary", {}, make("b", { dir: "auto" }, name), " ", make("small", {}, some(sizes.reduce((sum, size) => sum + size, 0), "character"))), ...shown);
}

function piece(each, turn) {
  if (typeof each === "string") return text(each);
  if (typeof each?.text === "string") return text(each.text);
  const url = each?.image_url?.url ?? each?.image_url;
  const hash = typeof url === "string" && known(turn, [...url.matchAll(STAND_IN)][0]?.[1]);
  return hash ? shot(hash, { alt: "A picture sent to the model", loading: "lazy" }, true) : text(pretty(each));
}

function text(whole) {
  const element = make("div", { class: "text" });
  fill(element, whole);
  return element;
}

const pretty = (value) => JSON.stringify(value, null, 2) ?? "";

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Returns the full hash of a picture of this turn, given its beginning. */
function known({ line }, beginning) {
  const images = [line.image, ...(line.beside ?? []).map(({ image }) => image)];
  return beginning && images.find((image) => image?.sha256.startsWith(beginning))?.sha256;
}

/** Returns the body as it was sent, with this turn's pictures restored. Pictures of earlier turns are still just hashes. */
async function whole(json, turn) {
  const found = new Map();
  for (const [, beginning] of json.matchAll(STAND_IN)) {
    const hash = known(turn, beginning);
    const blob = hash && !found.has(beginning) && (await recorded(hash));
    if (blob) found.set(beginning, await base64(blob));
  }
  return json.replace(STAND_IN, (named, beginning) => found.get(beginning) ?? named);
}

async function base64(blob) {
  const reader = new FileReader();
  const read = new Promise((done, failed) => Object.assign(reader, { onload: done, onerror: failed }));
  reader.readAsDataURL(blob);
  await read;
  return reader.result.slice(reader.result.indexOf(",") + 1);
}

/**
 * Returns a command that sends the body again. It contains the name of the key's variable, not the key. The body is a
 * single line, so it cannot end the command early.
 */
function curl(json, snapshot) {
  const body = parsed(json) ?? {};
  const path = "input" in body ? "responses" : "prompt" in body ? "completions" : "chat/completions";
  const server = snapshot?.run?.upstream?.split(" ")[0].replace(/\/$/, "");
  const address = server ? `'${server.replaceAll("'", "")}${/\/v1$/.test(server) ? "" : "/v1"}/${path}'` : `"$OPENAI_BASE_URL/${path}"`;
  return `curl ${address} -H 'Content-Type: application/json' -H "Authorization: Bearer $OPENAI_API_KEY" -d @- <<'JSON'\n${json}\nJSON\n`;
}
