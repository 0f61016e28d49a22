// How a person wants the page to look, as remembered by the browser. If the browser refuses, nothing is remembered.

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

/** Forgets everything whose name begins with `beginning`. */
export function forget(beginning) {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(MINE + beginning)) localStorage.removeItem(key);
  } catch {
    return;
  }
}
