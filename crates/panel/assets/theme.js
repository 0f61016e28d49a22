// The person's chosen theme, set before anything is drawn.

try {
  document.documentElement.dataset.theme = localStorage.getItem("franz-theme") ?? "";
} catch {
  // If a browser refuses storage, the system decides.
}
