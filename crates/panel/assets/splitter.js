// A bar between two panes that can be moved by dragging it or with keys. Its position is remembered as a percentage.

import { recall, remember } from "./stored.js";

const LEAST = 15;
const MOST = 85;

class SplitBar extends HTMLElement {
  connectedCallback() {
    this.axis = this.getAttribute("axis");
    this.start = Number(this.getAttribute("start"));
    this.tabIndex = 0;
    this.setAttribute("role", "separator");
    this.setAttribute("aria-orientation", this.axis === "x" ? "vertical" : "horizontal");
    this.setAttribute("aria-valuemin", String(LEAST));
    this.setAttribute("aria-valuemax", String(MOST));
    this.title = "Drag, or use the arrow keys; double-click to reset";
    this.move(Number(recall(this.key) ?? this.start), false);
    this.onpointerdown = (event) => this.grab(event);
    this.onkeydown = (event) => this.press(event);
    this.ondblclick = () => this.reset();
  }

  get key() {
    return `split-${this.axis}`;
  }

  /** Moves the bar to another usual position, unless the person has moved it. */
  suggest(start) {
    this.start = start;
    if (recall(this.key) == null) this.move(start, false);
  }

  reset() {
    this.move(this.start);
  }

  move(place, keep = true) {
    this.place = Math.min(Math.max(Number.isFinite(place) ? place : this.start, LEAST), MOST);
    this.parentElement.style.setProperty(`--${this.axis}`, `${this.place}%`);
    this.setAttribute("aria-valuenow", String(Math.round(this.place)));
    this.setAttribute("aria-valuetext", `${Math.round(this.place)} %`);
    if (keep) remember(this.key, this.place);
  }

  grab(event) {
    event.preventDefault();
    this.focus();
    this.setPointerCapture(event.pointerId);
    this.onpointermove = (moved) => this.reach(moved);
    this.onlostpointercapture = () => (this.onpointermove = null);
  }

  reach({ clientX, clientY }) {
    const { left, top, width, height } = this.parentElement.getBoundingClientRect();
    this.move((this.axis === "x" ? (clientX - left) / width : (clientY - top) / height) * 100);
  }

  press(event) {
    const [less, more] = this.axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const step = event.shiftKey ? 10 : 2;
    const places = { [less]: this.place - step, [more]: this.place + step, Home: LEAST, End: MOST, Enter: this.start };
    if (!(event.key in places) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.move(places[event.key]);
  }
}

customElements.define("split-bar", SplitBar);
