// Compares two strings word by word, with a patience diff: words that occur exactly once in both strings serve as
// anchors.

const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
const LINES = /[^\n]*\n|[^\n]+/g;
const BY_WORDS = 600_000;
const PAIRS = 250_000;
const DEPTH = 24;

/**
 * Returns pieces `[kind, text]` of the kinds "same", "gone" and "new". `coarse` says that it compared lines, as it does
 * if most words differ.
 */
export function difference(before, after) {
  const { pieces, coarse } = compared(before, after, WORDS);
  const same = pieces.reduce((sum, [kind, text]) => sum + (kind === "same" && text.length), 0);
  return coarse || same * 2 >= Math.min(before.length, after.length)
    ? { pieces, coarse }
    : compared(before, after, LINES);
}

function compared(before, after, finest) {
  const pattern = before.length + after.length > BY_WORDS ? LINES : finest;
  const old = before.match(pattern) ?? [];
  const now = after.match(pattern) ?? [];
  const pieces = [];
  const add = (kind, words) => {
    if (!words.length) return;
    const text = words.join("");
    const last = pieces.at(-1);
    if (last?.[0] === kind) last[1] += text;
    else pieces.push([kind, text]);
  };
  compare(old, 0, old.length, now, 0, now.length, add, 0);
  return { pieces: ordered(pieces), coarse: pattern === LINES };
}

function compare(old, a, aEnd, now, b, bEnd, add, depth) {
  const start = a;
  while (a < aEnd && b < bEnd && old[a] === now[b]) {
    a += 1;
    b += 1;
  }
  add("same", old.slice(start, a));
  let tail = 0;
  while (aEnd - tail > a && bEnd - tail > b && old[aEnd - tail - 1] === now[bEnd - tail - 1]) tail += 1;
  between(old, a, aEnd - tail, now, b, bEnd - tail, add, depth);
  add("same", old.slice(aEnd - tail, aEnd));
}

function between(old, a, aEnd, now, b, bEnd, add, depth) {
  const anchors = a < aEnd && b < bEnd && depth < DEPTH ? rising(shared(old, a, aEnd, now, b, bEnd)) : [];
  if (!anchors.length && (aEnd - a) * (bEnd - b) <= PAIRS) return pairs(old, a, aEnd, now, b, bEnd, add);
  if (!anchors.length) {
    add("gone", old.slice(a, aEnd));
    add("new", now.slice(b, bEnd));
    return;
  }
  for (const [x, y] of [...anchors, [aEnd, bEnd]]) {
    compare(old, a, x, now, b, y, add, depth + 1);
    add("same", old.slice(x, Math.min(x + 1, aEnd)));
    [a, b] = [x + 1, y + 1];
  }
}

/**
 * Returns the positions of words that occur exactly once on both sides, in the order of the old side. White space does
 * not count.
 */
function shared(old, a, aEnd, now, b, bEnd) {
  const once = (words, from, to) => {
    const places = new Map();
    for (let i = from; i < to; i += 1) places.set(words[i], places.has(words[i]) ? -1 : i);
    return places;
  };
  const there = once(now, b, bEnd);
  const found = [];
  for (const [word, x] of once(old, a, aEnd)) {
    const y = there.get(word) ?? -1;
    if (x >= 0 && y >= 0 && word.trim()) found.push([x, y]);
  }
  return found.sort((one, other) => one[0] - other[0]);
}

/** Returns the longest subsequence whose second numbers increase. */
function rising(places) {
  const ends = [];
  const before = [];
  places.forEach(([, y], i) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[ends[middle]][1] < y) low = middle + 1;
      else high = middle;
    }
    before[i] = ends[low - 1];
    ends[low] = i;
  });
  const chain = [];
  for (let i = ends.at(-1); i !== undefined; i = before[i]) chain.push(places[i]);
  return chain.reverse();
}

/** Adds the longest common subsequence of two short ranges, and everything between its words. */
function pairs(old, a, aEnd, now, b, bEnd, add) {
  const width = bEnd - b + 1;
  const best = new Uint16Array((aEnd - a + 1) * width);
  for (let x = aEnd - a - 1; x >= 0; x -= 1)
    for (let y = width - 2; y >= 0; y -= 1) {
      const i = x * width + y;
      best[i] = old[a + x] === now[b + y] ? best[i + width + 1] + 1 : Math.max(best[i + width], best[i + 1]);
    }
  let i = 0;
  while (a < aEnd || b < bEnd) {
    const [down, right] = [a < aEnd ? best[i + width] : -1, b < bEnd ? best[i + 1] : -1];
    if (down >= 0 && right >= 0 && old[a] === now[b]) {
      add("same", [old[a++]]);
      b += 1;
      i += width + 1;
    } else if (down >= right) {
      add("gone", [old[a++]]);
      i += width;
    } else {
      add("new", [now[b++]]);
      i += 1;
    }
  }
}

/** Puts all gone pieces before all new ones wherever nothing but spaces separates them. */
function ordered(pieces) {
  const result = [];
  let gone = "";
  let added = "";
  const flush = () => {
    if (gone) result.push(["gone", gone]);
    if (added) result.push(["new", added]);
    gone = added = "";
  };
  pieces.forEach(([kind, text], i) => {
    if (kind === "gone") gone += text;
    else if (kind === "new") added += text;
    else if (gone && added && i + 1 < pieces.length && /^[ \t]+$/.test(text)) {
      gone += text;
      added += text;
    } else {
      flush();
      result.push([kind, text]);
    }
  });
  flush();
  return result;
}

// As a worker, this compares the two strings of a message.
if ("DedicatedWorkerGlobalScope" in self) self.onmessage = ({ data: [before, after] }) => self.postMessage(difference(before, after));
