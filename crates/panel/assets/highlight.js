// Highlights search hits in displayed text, and scrolls to them. The text itself does not change.

const NAME = "hit";
const MOST = 500;

/** Highlights every occurrence of `words` in `element`, and scrolls `body` to the first one. */
export function highlight(element, words, body) {
  const ranges = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (words && ranges.length < MOST && walker.nextNode()) {
    /** @type {any} */
    const node = walker.currentNode;
    for (let at = node.data.indexOf(words); at >= 0 && ranges.length < MOST; at = node.data.indexOf(words, at + words.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
    }
  }
  if (!ranges.length) return clear();
  globalThis.CSS?.highlights?.set(NAME, new Highlight(...ranges));
  const [place, window] = [ranges[0].getBoundingClientRect(), body.getBoundingClientRect()];
  body.scrollTop += place.top - window.top - body.clientHeight / 2;
  // If the panes are stacked, the page itself scrolls.
  const { top, bottom } = ranges[0].getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) scrollBy(0, top - innerHeight / 2);
}

export const clear = () => globalThis.CSS?.highlights?.delete(NAME);
