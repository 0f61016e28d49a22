// The panes: which text is shown, and which pane fills the page.

import { find, press } from "./element.js";
import { forget, recall, remember } from "./stored.js";

const TEXTS = ["reply", "story", "changes", "request"];
/** The panes by their names in the address, with the IDs of their elements. */
const PANES = { __proto__: null, picture: "picture", actions: "feedback", texts: "texts" };

/** Fires `change`. */
export class Panes extends EventTarget {
  #text = "reply";
  #largest = null;
  #main = document.querySelector("main");

  constructor() {
    super();
    const tabs = TEXTS.map((text) => find(`tab-${text}`));
    tabs.forEach((tab, i) => {
      tab.onclick = () => this.show(TEXTS[i]);
      tab.onkeydown = ({ key }) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (!by) return;
        const next = (i + by + tabs.length) % tabs.length;
        this.show(TEXTS[next]);
        tabs[next].focus();
      };
    });
    for (const [name, id] of Object.entries(PANES)) {
      const pane = find(id);
      pane.querySelector("[data-largest]").onclick = () => this.toggle(name);
      pane.querySelector("header").ondblclick = ({ target }) => target.closest("button, a, input") || this.toggle(name);
    }
    const theme = find("theme");
    theme.value = recall("theme") ?? "";
    theme.onchange = () => {
      document.documentElement.dataset.theme = theme.value;
      remember("theme", theme.value);
    };
    find("layout-reset").onclick = () => {
      forget("split-");
      /** @type {NodeListOf<any>} */
      const bars = document.querySelectorAll("split-bar");
      for (const bar of bars) bar.reset();
      this.open("");
      find("menu").hidePopover();
    };
    this.#draw();
  }

  /** The name of the tab on display. */
  get text() {
    return this.#text;
  }

  get largest() {
    return this.#largest;
  }

  show(text) {
    this.#set(text, this.#largest);
  }

  /** Makes sure that a tab with text, or the pane with the actions, is visible. */
  bring(name) {
    const text = TEXTS.includes(name) ? name : this.#text;
    const pane = text === name ? "texts" : "actions";
    this.#set(text, this.#largest === pane ? pane : null);
  }

  /** Lets a pane fill the page, or returns it to its usual size. */
  toggle(pane) {
    this.#set(this.#text, this.#largest === pane ? null : pane);
  }

  /** Lets a tab with text fill the page, or returns it to its usual size. */
  toggleText(text) {
    const is = this.#largest === "texts" && this.#text === text;
    this.#set(text, is ? null : "texts");
  }

  restore() {
    this.#set(this.#text, null);
  }

  /** The visible panes as a word for the address: a tab, with a `+` if it fills the page, or another pane that does. */
  get word() {
    if (this.#largest && this.#largest !== "texts") return this.#largest;
    const word = this.#text + (this.#largest ? "+" : "");
    return word === TEXTS[0] ? "" : word;
  }

  /** Shows the panes that such a word stands for. Anything else stands for the usual view. */
  open(word) {
    const text = word.replace(/\+$/, "");
    if (TEXTS.includes(text)) this.#set(text, text === word ? null : "texts");
    else this.#set(TEXTS[0], word in PANES && word !== "texts" ? word : null);
  }

  #set(text, largest) {
    if (text === this.#text && largest === this.#largest) return;
    this.#text = text;
    this.#largest = largest;
    this.#draw();
    this.dispatchEvent(new Event("change"));
  }

  #draw() {
    for (const text of TEXTS) {
      const is = text === this.#text;
      const tab = find(`tab-${text}`);
      tab.setAttribute("aria-selected", is);
      tab.tabIndex = is ? 0 : -1;
      find(text).hidden = !is;
    }
    this.#main.dataset.largest = this.#largest ?? "";
    for (const [name, id] of Object.entries(PANES)) press(find(id).querySelector("[data-largest]"), name === this.#largest);
  }
}
