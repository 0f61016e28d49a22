// Shows all exchanges of a turn, one per attempt: the request to the model, and the response. They can be copied.

import { copyButton } from "./clipboard.js";
import { find, joined, make, press, write } from "./element.js";
import { tokens } from "./facts.js";
import { recorded, shot } from "./pictures.js";
import { bytes, count, duration, moment, some } from "./quantity.js";
import { get } from "./server.js";
import { callWords, isConversation } from "./story.js";
import { fill, visible } from "./text.js";
import { verdictOf } from "./verdict.js";

/** Matches what the log contains in place of a picture's base64: the beginning of the picture's hash. */
const STAND_IN = /\[b64 sha=([0-9a-f]+) len=(\d+)\]/g;
const AGAIN_MS = 1000;
/** The members of a request that are laid out, in all APIs. */
const LAID_OUT = ["messages", "tools", "system", "instructions", "input", "prompt"];

export function showRequest(run, view, panes) {
  const [note, list] = [find("request-note"), find("exchanges")];
  /** The turn whose exchanges were fetched, and its number. */
  let shown, number;
  let again;
  /** What the list contains. The same is not drawn again, because the person might have unfolded or scrolled it. */
  let drawn = "";
  const empty = (text) => {
    drawn = "";
    list.replaceChildren();
    write(note, text);
  };
  const draw = async () => {
    const turn = view.shown;
    if (panes.text !== "request" || shown === turn) return;
    shown = turn;
    if (number !== turn?.summary.turn) empty(turn ? "Reading the log …" : "No turn yet.");
    number = turn?.summary.turn;
    if (!turn) return;
    try {
      const exchanges = await logged(turn);
      const found = JSON.stringify(exchanges);
      if (shown !== turn || found === drawn) return;
      drawn = found;
      write(note, exchanges.length > 1 ? `${exchanges.length} attempts, newest first.` : "");
      list.replaceChildren(...exchanges.reverse().map((each, i) => attempt(each, exchanges.length - i, run)));
    } catch (error) {
      if (shown !== turn) return;
      empty(error.message);
      // The page can be quicker than the log.
      if (!turn.pending) return;
      shown = null;
      clearTimeout(again);
      again = setTimeout(draw, AGAIN_MS);
    }
  };
  view.addEventListener("show", draw);
  panes.addEventListener("change", draw);
}

/** Shows the messages of a conversation above its reply if there is no picture to look at. */
export function showMessages(view) {
  const list = find("messages");
  /** The turn whose messages are listed, and what they are made from. */
  let drawn = {};
  view.addEventListener("show", async () => {
    const turn = view.shown;
    const isTalk = turn && !turn.line.image && isConversation(turn, verdictOf(turn));
    list.hidden = !isTalk;
    if (!isTalk || drawn.turn !== turn.summary.turn) {
      drawn = { turn: isTalk && turn.summary.turn };
      list.replaceChildren();
    }
    if (!isTalk) return;
    const exchanges = await logged(turn).catch(() => null);
    const { request, pictures } = exchanges?.at(-1) ?? {};
    const found = JSON.stringify([request?.json, pictures]);
    if (!exchanges || view.shown !== turn || drawn.found === found) return;
    drawn.found = found;
    list.replaceChildren(...messages(parsed(request?.json), pictures));
    list.parentElement.scrollTop = list.parentElement.scrollHeight;
  });
}

/** Fetches the exchanges of a turn, oldest first. */
const logged = async ({ summary }) => (await get(`/api/exchanges/${summary.turn}`)).exchanges;

/** Makes what a request tells the model, message by message. */
const messages = (body, pictures) => told(body ?? {}).map(([name, message]) => part(name, message, pictures));

/** Lists what a request tells the model as `[name, message]`, whichever API it is for. */
function told({ system, instructions, messages, input, prompt }) {
  const given = [["system", system], ["instructions", instructions], ["prompt", prompt]].filter(([, content]) => content != null);
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
  return [
    ...given.map(([name, content]) => [name, { content }]),
    ...[messages, items].flatMap((list) => (Array.isArray(list) ? list : [])).map((message) => item(message ?? {})),
  ];
}

/** Returns a message by its role, or an item of `/v1/responses` that has none by its type. */
function item({ type = "", ...message }) {
  if (type.endsWith("_call")) {
    const given = message.arguments ?? message.input ?? message.action ?? "";
    return ["assistant", { tool_calls: [{ function: { name: message.name ?? type, arguments: typeof given === "string" ? given : JSON.stringify(given) } }] }];
  }
  if (type.endsWith("_call_output")) return ["result", { content: message.output }];
  if (type === "reasoning") return ["reasoning", { content: message.summary }];
  return [message.role ?? (type || "?"), message];
}

function attempt({ request, response, pictures }, number, run) {
  const took = response && request ? Date.parse(response.at) - Date.parse(request.at) : NaN;
  const facts = [
    response ? (response.status ?? "no status") : "not answered",
    request && make("span", {}, "sent ", moment(request.at)),
    took >= 0 && duration(took),
    request && `${bytes(request.bytes)} out${request.json?.includes("[b64 sha=") ? " without pictures" : ""}`,
    response && `${bytes(response.bytes)} in`,
  ];
  const body = parsed(request?.json);
  const rest = body && Object.fromEntries(Object.entries(body).filter(([name]) => !LAID_OUT.includes(name)));
  return make(
    "section",
    { "aria-label": `Attempt ${number}` },
    make("h2", {}, `Attempt ${number}: `, ...joined(facts, ", ")),
    request?.json
      ? make(
          "p",
          { class: "copies" },
          copyButton("Copy as JSON", () => whole(request.json, pictures, run), run),
          copyButton("Copy as curl", async () => curl(request, await whole(request.json, pictures, run), run.snapshot), run),
        )
      : null,
    ...messages(body, pictures),
    ...(body?.tools ? [part(`tools: ${count(body.tools.length ?? 1)}`, { content: pretty(body.tools) }, pictures, false)] : []),
    ...(body ? [part("sampling and other fields", { content: pretty(rest) }, pictures, false)] : []),
    ...(request && !body ? [part("request", { content: request.text ?? request.error ?? "" }, pictures)] : []),
    ...(response?.joined ? [streamed(response)] : response ? [part("response", { content: response.json ? pretty(parsed(response.json)) : (response.text ?? response.error ?? "") }, pictures, false)] : []),
  );
}

/**
 * Makes a part that can be folded, with its text, its pictures, and whatever else it contains.
 * @param {string} name
 * @param {any} message
 */
function part(name, { content, role: _, tool_calls: calls, ...rest }, pictures, open = true) {
  const parts = Array.isArray(content) ? content : [content ?? ""];
  const sizes = parts.map((each) => (typeof each === "string" ? each.length : (each?.text?.length ?? 0)));
  const shown = parts.map((each) => piece(each, pictures));
  if (Array.isArray(calls)) shown.push(text(calls.map(callWords).join("\n")));
  else if (calls != null) rest.tool_calls = calls;
  const more = Object.entries(rest).filter(([, value]) => value != null);
  if (more.length) shown.push(make("p", { class: "note" }, visible(more.map(([key, value]) => `${key}: ${typeof value === "string" ? value : pretty(value)}`).join(", "))));
  return make("details", { open }, make("summary", {}, make("b", { dir: "auto" }, name), " ", make("small", {}, some(sizes.reduce((sum, size) => sum + size, 0), "character"))), ...shown);
}

function piece(each, pictures) {
  if (typeof each === "string") return text(each);
  if (typeof each?.text === "string") return text(each.text);
  if (typeof each?.thinking === "string") return text(each.thinking);
  if (each?.type === "tool_use") return text(callWords({ function: { name: each.name, arguments: JSON.stringify(each.input ?? {}) } }));
  if (each?.type === "tool_result") return make("div", {}, make("h3", {}, each.is_error ? "✗ Result" : "Result"), ...[each.content ?? ""].flat().map((inner) => piece(inner, pictures)));
  const url = each?.image_url?.url ?? each?.image_url ?? each?.source?.data;
  const hash = typeof url === "string" && pictures?.[[...url.matchAll(STAND_IN)][0]?.[1]];
  return hash ? shot(hash, { alt: "A picture sent to the model", loading: "lazy" }, true) : text(pretty(each));
}

/** Makes the part with a streamed response: the message that it means or, at the press of a button, its bytes. */
function streamed({ text: raw, joined: { text: said, reasoning, calls, finish, tokens: used, broken } }) {
  const titled = (title, words) => (words ? [make("h3", {}, title), text(words)] : []);
  const end = [broken && `✗ ${broken}`, finish && `Finish: ${finish}`, used.total && `Tokens: ${tokens(used)}`];
  const message = make(
    "div",
    {},
    ...titled("Reasoning", reasoning),
    ...titled(reasoning || calls ? "Text" : "", said),
    ...titled("Tool calls", calls?.map(callWords).join("\n")),
    make("p", { class: "note" }, visible(end.filter(Boolean).join(" · "))),
  );
  const shown = make("div", {}, message);
  const onclick = ({ target }) => {
    const isRaw = shown.firstChild === message;
    press(target, isRaw);
    shown.replaceChildren(isRaw ? text(raw) : message);
  };
  const button = make("button", { type: "button", "aria-pressed": "false", onclick }, "Raw stream");
  return make("details", { open: true }, make("summary", {}, make("b", {}, "response"), " ", make("small", {}, "streamed")), button, shown);
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

/** Returns the body as it was sent, with all pictures that the record still has. */
async function whole(json, pictures, run) {
  const found = new Map();
  const slash = /image\\\//.test(json) ? "\\/" : "/";
  let missing = 0;
  for (const [named, beginning, length] of json.matchAll(STAND_IN)) {
    if (found.has(named)) continue;
    const blob = pictures[beginning] && (await recorded(pictures[beginning]));
    const padded = blob && (await base64(blob));
    const data = [padded, padded?.replace(/=+$/, "")].find((data) => data?.length === Number(length));
    if (data) found.set(named, data.replaceAll("/", slash));
    else missing += 1;
  }
  if (missing) run.note(`${some(missing, "picture")} of this request cannot be restored; the copy contains the hash instead.`);
  return json.replace(STAND_IN, (named) => found.get(named) ?? named);
}

async function base64(blob) {
  const reader = new FileReader();
  const read = new Promise((done, failed) => Object.assign(reader, { onload: done, onerror: failed }));
  reader.readAsDataURL(blob);
  await read;
  const url = String(reader.result);
  return url.slice(url.indexOf(",") + 1);
}

/** What stands for a key, by the header that carries it. */
const KEYS = { __proto__: null, authorization: "Bearer $OPENAI_API_KEY", "x-api-key": "$ANTHROPIC_API_KEY" };
const OWN = [["Content-Type", "application/json"], ["Authorization", null]];

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a command that sends the same body to the same path. It contains the name of the key's variable, not the key. */
function curl({ target = "/v1/chat/completions", headers = OWN }, json, snapshot) {
  const server = snapshot?.run?.upstream?.split(" ")[0].replace(/\/$|\/chat\/completions$/g, "");
  const api = server && (/\/(v\d\w*|openai)$/.test(server) ? server : `${server}/v1`);
  const path = target.replace(/^\/v1(?=\/)/, "");
  const address = !api ? `"$OPENAI_BASE_URL"${quoted(path)}` : quoted((path === target ? api.replace(/\/v1$/, "") : api) + path);
  const header = ([name, value]) =>
    value == null ? `-H ${quoted(`${name}: `)}"${KEYS[name.toLowerCase()] ?? `$${name.toUpperCase().replace(/\W/g, "_")}`}"` : `-H ${quoted(`${name}: ${value}`)}`;
  // Without this, curl would claim that the body is a form.
  const kind = headers.some(([name]) => name.toLowerCase() === "content-type") ? [] : ["-H 'Content-Type:'"];
  return `printf %s ${quoted(json)} |\n  curl ${[address, ...headers.map(header), ...kind].join(" ")} --data-binary @-\n`;
}
