// Which run this page shows: one below a panel, or without a name the only one.

const shown = location.pathname.match(/^\/run\/[\w-]+(?=\/)/);

/** The prefix of every address of this run. */
export const base = shown?.[0] ?? "";

/** The page of a run below the panel. */
export const pageOf = (name) => `/run/${encodeURIComponent(name)}/`;
