// Takes the picture of the dashboard for the documentation, during a run with the built-in model. Saves it in the given
// file.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { chromium } from "playwright-core";

import { launch } from "./stage/browser.mjs";
import { Franz } from "./stage/franz.mjs";
import { passes, shows } from "./stage/page.mjs";

/** A turn by which much of the cat has been drawn, but not all of it. */
const TURN = 14;

/** The maximum size of a picture in the documentation, in bytes. */
const MOST = 200_000;

const file = resolve(process.argv[2] ?? "dashboard.png");
const directory = await mkdtemp(join(tmpdir(), "franz-screenshot-"));
const server = await launch();
const browser = await chromium.connect(server.wsEndpoint());
const franz = new Franz(directory, ["run", "--no-open", "--run-dir", "run_cat", "--upstream", "demo", "--dashboard", "127.0.0.1:0"]);
try {
  await franz.ready();
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 }, deviceScaleFactor: 1, colorScheme: "dark", reducedMotion: "reduce" });
  page.setDefaultTimeout(120_000);
  await page.goto(franz.link);
  await passes(page, TURN - 1);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.locator("#status-words").filter({ hasText: "Paused" }).waitFor();
  await shows(page, (await franz.state()).turns.last);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator("#status-words").filter({ hasText: "Running" }).or(page.locator("#status-words").filter({ hasText: "Turn" })).waitFor();
  await page.mouse.move(0, 0);
  const { length } = await page.screenshot({ path: file });
  if (length > MOST) throw new Error(`the picture is too large for the documentation: ${length} bytes`);
  console.log(`${file}, ${length} bytes`);
} finally {
  await browser.close();
  await server.close();
  await franz.end();
  await rm(directory, { recursive: true, force: true });
}
