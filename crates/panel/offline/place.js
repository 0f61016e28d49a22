// The run that this page shows: the one in the file.

export const base = "";

export const pageOf = () => "";
