// What the browser remembers of how a person likes the page. It may refuse; then nothing is remembered.

const MINE = "franz-";

export function recall(name) {
  try {
    return localStorage.getItem(MINE + name);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(MINE + name, value);
  } catch {
    return;
  }
}

/** Forgets everything of which the name begins so. */
export function forget(beginning) {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(MINE + beginning)) localStorage.removeItem(key);
  } catch {
    return;
  }
}
