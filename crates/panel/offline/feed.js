// Events. A recorded run has no more of them.

export const feed = (tell) => tell({ link: "up" });
