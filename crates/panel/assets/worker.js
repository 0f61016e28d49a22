// Shared by all tabs: a browser allows six connections to a server, and each tab would hold one.

import { listen } from "./stream.js";

const tabs = new Set();
let link;

listen((message) => {
  link = message.link ?? link;
  for (const tab of tabs) tab.postMessage(message);
});

self.onconnect = ({ ports: [tab] }) => {
  tabs.add(tab);
  tab.onmessage = () => tabs.delete(tab);
  if (link) tab.postMessage({ link });
};
