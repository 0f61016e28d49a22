// Events: there are no more.

export const feed = (tell) => tell({ link: "up" });
