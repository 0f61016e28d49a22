// What happens: nothing more.

export const feed = (tell) => tell({ link: "up" });
