// The theme that the person chose: set before anything is drawn.

try {
  document.documentElement.dataset.theme = localStorage.getItem("franz-theme") ?? "";
} catch {
  // A browser may refuse storage; the system decides then.
}
