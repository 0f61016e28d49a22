// Notices for the person, which appear briefly in the corner and stay in a list.

import { find, make, write } from "./element.js";
import { moment } from "./quantity.js";
import { visible } from "./text.js";

const SHOWN_MS = 6000;
const AT_ONCE = 3;

export function showNotices(run, dialog) {
  const toasts = find("toasts");
  const known = () => [...Object.values(run.snapshot?.notices ?? {}), ...run.notes];
  const list = () => {
    const all = known().sort((one, other) => one.at - other.at);
    const rows = all.map(({ text, at }) => make("li", {}, moment(at), " ", visible(text)));
    find("notices-list").replaceChildren(
      ...(rows.length ? rows.reverse() : [make("li", { class: "note" }, "No notices yet.")]),
    );
  };
  const toast = (text) => {
    const old = [...toasts.children].find(({ said }) => said === text);
    const times = (old?.times ?? 0) + 1;
    old?.remove();
    const element = make("p", {}, visible(text), times > 1 ? ` (${times} times)` : null);
    toasts.append(Object.assign(element, { said: text, times }));
    while (toasts.children.length > AT_ONCE) toasts.firstChild.remove();
    setTimeout(() => element.remove(), SHOWN_MS);
  };
  run.addEventListener("change", ({ detail: { type, parts, text } }) => {
    if (type !== "snapshot" && type !== "note" && !parts.notices) return;
    write(find("notices-count"), String(known().length || ""));
    find("notices-dot").hidden = known().length === 0;
    if (dialog.open) return list();
    const news = type === "note" ? [{ text }] : Object.values(parts.notices ?? {});
    for (const notice of news) if (notice) toast(notice.text);
  });
  dialog.addEventListener("open", list);
}
