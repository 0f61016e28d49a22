// The run that this page shows: one of those below a panel or, if the address names none, the only one.

const shown = location.pathname.match(/^\/run\/[\w-]+(?=\/)/);

/** The prefix of every address of this run. */
export const base = shown?.[0] ?? "";

/** Returns the page address of a run below the panel. */
export const pageOf = (name) => `/run/${encodeURIComponent(name)}/`;
