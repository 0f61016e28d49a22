// How a person likes the page, as the browser remembers it. If the browser refuses, nothing is remembered.

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

/** Forgets everything whose name begins like this. */
export function forget(beginning) {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(MINE + beginning)) localStorage.removeItem(key);
  } catch {
    return;
  }
}
