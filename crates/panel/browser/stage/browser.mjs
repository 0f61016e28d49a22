// The browser: the one that CHROMIUM names, or else the one from Debian.

import { chromium } from "playwright-core";

/** Starts a browser that several processes can share by its `wsEndpoint()`. */
export const launch = () =>
  chromium.launchServer({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });

/** Connects to the suite's browser. */
export function connect() {
  const socket = process.env.BROWSER_SOCKET;
  if (!socket) throw new Error("there is no browser; start the tests with: cargo xtask browser");
  return chromium.connect(socket);
}
