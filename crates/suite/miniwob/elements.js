// Reports the page's elements again and again, for a program that tests FRANZ's hands and does not look at pictures.
(() => {
  const BETWEEN_MS = 100;

  // A rectangle in pixels of the screen.
  function onScreen(r) {
    const scale = window.devicePixelRatio;
    const values = [window.screenX + r.left, window.screenY + r.top, r.width, r.height];
    return values.map((value) => Math.round(value * scale * 10) / 10);
  }

  function ownText(element) {
    return [...element.childNodes].filter((node) => node instanceof Text).map((node) => node.data).join('')
      .replace(/\s+/g, ' ').trim();
  }

  // The rectangles of the words that an element itself holds.
  function wordsOf(element) {
    const words = [];
    for (const node of element.childNodes) {
      if (!(node instanceof Text)) continue;
      for (const match of node.data.matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const box = range.getClientRects()[0];
        if (box) words.push([match[0], ...onScreen(box)]);
      }
    }
    return words;
  }

  function attributes(element) {
    return Object.fromEntries([...element.attributes].map((one) => [one.name, one.value]));
  }

  function describe(element, number) {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (box.width + box.height === 0 || style.visibility === 'hidden') return null;
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const top = document.elementFromPoint(x, y);
    const [left, up, width, height] = onScreen(box);
    return {
      number, tag: element.tagName.toLowerCase(), x: left, y: up, w: width, h: height,
      parent: element.parentElement ? element.parentElement.dataset.number : null,
      text: ownText(element), all: (element.innerText ?? element.textContent).replace(/\s+/g, ' ').trim(),
      raw: element.tagName === 'P' ? element.textContent : null,
      is_on_top: top !== null && (element === top || element.contains(top)),
      attributes: attributes(element), words: wordsOf(element),
      value: element.value ?? null, checked: element.checked ?? null, is_focused: document.activeElement === element,
      options: element.options ? [...element.options].map((one) => one.text) : null,
      chosen: element.selectedOptions ? [...element.selectedOptions].map((one) => one.text) : null,
      background: style.backgroundColor, color: style.color, fill: style.fill, transform: style.transform,
      scroll: [element.scrollTop, element.scrollHeight, element.clientHeight],
    };
  }

  function elements() {
    const all = [...document.querySelectorAll('body *')];
    const shown = all.filter((one) => !one.closest('#reward-display, #sync-task-cover, #click-canvas'));
    shown.forEach((element, number) => { element.dataset.number = number; });
    const query = document.getElementById('query');
    return {
      utterance: query ? core.getUtterance() : '', query: query ? query.innerHTML : '', is_done: WOB_DONE_GLOBAL,
      is_begun: core.ept0 !== null, scale: window.devicePixelRatio,
      elements: shown.map(describe).filter((element) => element !== null),
    };
  }

  async function report() {
    try {
      await fetch('/elements', { method: 'POST', body: JSON.stringify(elements()) });
    } finally {
      setTimeout(report, BETWEEN_MS);
    }
  }

  window.addEventListener('load', report);
})();
