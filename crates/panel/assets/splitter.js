// A bar between quadrants that can be dragged, or moved by keys. Its place is a percentage and is remembered.

const LEAST = 15;
const MOST = 85;
const MIDDLE = 50;

class SplitBar extends HTMLElement {
  connectedCallback() {
    this.axis = this.getAttribute("axis");
    this.tabIndex = 0;
    this.setAttribute("role", "separator");
    this.setAttribute("aria-orientation", this.axis === "x" ? "vertical" : "horizontal");
    this.setAttribute("aria-valuemin", LEAST);
    this.setAttribute("aria-valuemax", MOST);
    this.title = "Drag, or use the arrow keys; double-click for the middle";
    this.move(Number(recall(this.key) ?? MIDDLE), false);
    this.onpointerdown = (event) => this.grab(event);
    this.onkeydown = (event) => this.press(event);
    this.ondblclick = (event) => this.touched(event).forEach((bar) => bar.move(MIDDLE));
  }

  get key() {
    return `franz-split-${this.axis}`;
  }

  move(place, keep = true) {
    this.place = Math.min(Math.max(Number.isFinite(place) ? place : MIDDLE, LEAST), MOST);
    this.parentElement.style.setProperty(`--${this.axis}`, `${this.place}%`);
    this.setAttribute("aria-valuenow", Math.round(this.place));
    this.setAttribute("aria-valuetext", `${Math.round(this.place)} %`);
    if (keep) remember(this.key, this.place);
  }

  grab(event) {
    event.preventDefault();
    this.focus();
    this.setPointerCapture(event.pointerId);
    const bars = this.touched(event);
    this.onpointermove = (moved) => bars.forEach((bar) => bar.reach(moved));
    this.onlostpointercapture = () => (this.onpointermove = null);
  }

  /** The bars under the pointer: both where they cross. */
  touched({ clientX, clientY }) {
    const under = ({ left, right, top, bottom }) =>
      clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
    return [...this.parentElement.querySelectorAll("split-bar")].filter((bar) => under(bar.getBoundingClientRect()));
  }

  reach({ clientX, clientY }) {
    const { left, top, width, height } = this.parentElement.getBoundingClientRect();
    this.move((this.axis === "x" ? (clientX - left) / width : (clientY - top) / height) * 100);
  }

  press(event) {
    const [less, more] = this.axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const step = event.shiftKey ? 10 : 2;
    const places = { [less]: this.place - step, [more]: this.place + step, Home: LEAST, End: MOST, Enter: MIDDLE };
    if (!(event.key in places) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.move(places[event.key]);
  }
}

// A browser may refuse storage; the bar then starts in the middle each time.
function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}

customElements.define("split-bar", SplitBar);
