// The browser: Debian's, or the one that CHROMIUM names.

import { chromium } from "playwright-core";

/** A browser that several processes can use, by its `wsEndpoint()`. */
export const launch = () =>
  chromium.launchServer({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });

/** The browser of the suite. */
export function connect() {
  const socket = process.env.BROWSER_SOCKET;
  if (!socket) throw new Error("there is no browser; start the tests with: cargo xtask browser");
  return chromium.connect(socket);
}
