// Sets the theme that the person chose, before anything is drawn.

try {
  document.documentElement.dataset.theme = localStorage.getItem("franz-theme") ?? "";
} catch {
  // If the browser refuses storage, the system's theme is used.
}
