// Texts of the model and the server, shown as they are: data, never markup, whatever they hold.

const PART = 8192;
const LONGEST = 65_536;
// C0 and C1 controls but tab and line feed, marks that turn the direction of text, lone surrogates.
const ODD =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** What cannot be seen becomes a sign that can: a picture of the control, or its number. */
export const visible = (text) => text.replace(ODD, sign);

function sign(odd) {
  const code = odd.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `‹${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

/** Fills `element` with `text`; the units from `mark.from` to `mark.to` are marked. */
export function fill(element, text, mark) {
  const places = cut(text);
  element.classList.toggle("long", places.length > 4);
  element.replaceChildren(...places.map(([from, to]) => part(text.slice(from, to), from, mark)));
}

function part(text, from, mark) {
  const element = document.createElement("div");
  const start = mark && Math.max(mark.from - from, 0);
  const end = mark && Math.min(mark.to - from, text.length);
  if (mark && start < end) {
    const marked = document.createElement("mark");
    marked.textContent = visible(text.slice(start, end));
    element.append(visible(text.slice(0, start)), marked, visible(text.slice(end)));
  } else element.textContent = visible(text);
  return element;
}

/** Places where a text may be cut into blocks, at line ends where there are any, so that only what is seen is laid out. */
function cut(text) {
  const places = [];
  for (let from = 0; from < text.length; ) {
    let to = text.length;
    if (to - from > PART) {
      const before = text.lastIndexOf("\n", from + PART);
      const after = before > from ? before : text.indexOf("\n", from + PART);
      to = after < 0 ? text.length : after + 1;
      if (to - from > LONGEST) to = from + LONGEST;
    }
    places.push([from, to]);
    from = to;
  }
  return places;
}

/** The beginning of a text, and how much is left out. */
export function beginning(text, units) {
  return text.length > units ? [text.slice(0, units), text.length - units] : [text, 0];
}
