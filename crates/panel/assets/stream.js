// The panel's events: one connection, opened again when the browser has given it up.

const AGAIN_MS = 2000;

/** Calls `tell` with `{link: "up" | "down"}` and `{id, event}`. */
export function listen(tell) {
  const source = new EventSource("/events");
  source.onopen = () => tell({ link: "up" });
  source.onmessage = ({ lastEventId, data }) => tell({ id: lastEventId, event: JSON.parse(data) });
  source.onerror = () => {
    tell({ link: "down" });
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS, tell);
  };
}
