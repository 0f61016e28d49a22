// Recorded runs, made without running anything: a directory with turn lines, verdict lines and pictures.

import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { desktopPicture, picture } from "./picture.mjs";

const BATCH = 1000;
const BEGAN = Date.UTC(2026, 0, 1);

const sha256 = (data) => createHash("sha256").update(data).digest("hex");

/** The reply that `record` gives each turn unless a test changes it. */
export const replyOf = (turn) =>
  `WHAT I SEE:\nThis is the reply of turn ${turn}.\n\nMY DRAWING PROGRESS:\n- head: done in turn ${Math.max(1, turn - 3)}\n- tail: to do\n\nNEXT STEP:\nI draw line ${turn}.\n\n\`\`\`python\ndrag(${turn % 1000}, 100, 500, 900)\n\`\`\``;

/**
 * Records this many turns. `change(line)` can change each line before it is written. If it returns a string, that is
 * written instead. The first `pictures` turns have their own pictures, and the others have none. With `large`, they are
 * larger and all look the same.
 */
export function record(directory, turns, { change = () => {}, pictures = turns, verdicts = true, large = false } = {}) {
  mkdirSync(directory, { recursive: true });
  let before = '""';
  for (let first = 1; first <= turns; first += BATCH) {
    let lines = "";
    let judged = "";
    for (let turn = first; turn < first + BATCH && turn <= turns; turn += 1) {
      const line = lineOf(turn, before);
      if (turn <= pictures) line.image = large ? putLarge(directory, turn) : put(directory, turn);
      const text = change(line) ?? JSON.stringify(line);
      before = JSON.stringify(line.reply);
      lines += `${text}\n`;
      if (verdicts) judged += `${JSON.stringify({ v: 1, agent: "run", turn, verdict: turn === 1 ? "first" : "match", status: 200, adopted: true })}\n`;
    }
    const pad = (number) => String(number).padStart(4, "0");
    writeFileSync(join(directory, `turns_${pad(first)}_${pad(first + BATCH - 1)}.jsonl`), lines);
    if (verdicts) appendFileSync(join(directory, "verdicts.jsonl"), judged);
  }
}

function lineOf(turn, before) {
  return {
    v: 1,
    turn,
    started: new Date(BEGAN + turn * 2000).toISOString(),
    ms: { act: 2, settle: 0, capture: 1, mark: 0.5, scale: 1.5, encode: 0.5, request: 1, model: 1200, record: 0.3 },
    status: "ok",
    mode: "executing",
    goal: "Draw a large cat.",
    acted: turn === 1 ? [] : [{ action: `drag(${turn % 1000}, 100, 500, 900)`, outcome: "done", why: null }, { action: "left_click(1, 2)", outcome: "blocked", why: "outside of the canvas" }],
    feedback: `OK: the feedback of turn ${turn}.`,
    story: before === '""' ? "" : { sha256: sha256(before) },
    image: null,
    reply: replyOf(turn),
    tool_calls: null,
    finish: "stop",
    usage: { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 },
    attempts: 1,
    model: "recorded-model",
    sampling: { temperature: 0.7, max_tokens: 900 },
    errors: [],
  };
}

/** Writes a turn's pictures, with and without marks, and returns the description of the one with marks. */
function put(directory, turn) {
  const name = `turn_${String(turn).padStart(4, "0")}`;
  const [plain, marked] = [picture(turn, false), picture(turn, true)];
  writeFileSync(join(directory, `${name}.plain.png`), plain);
  writeFileSync(join(directory, `${name}.png`), marked);
  return { file: `${name}.png`, sha256: sha256(marked), width: picture.width, height: picture.height, bytes: marked.length };
}

function putLarge(directory, turn) {
  const file = `turn_${String(turn).padStart(4, "0")}.png`;
  const { width, height } = desktopPicture;
  const bytes = desktopPicture(turn);
  writeFileSync(join(directory, file), bytes);
  return { file, sha256: sha256(bytes), width, height, bytes: bytes.length };
}
