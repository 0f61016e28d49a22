// Runs FRANZ with the built-in model, and takes a picture of the dashboard for each turn. Saves them in the given
// directory.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { chromium } from "playwright-core";

import { launch } from "./stage/browser.mjs";
import { Franz } from "./stage/franz.mjs";
import { until } from "./stage/page.mjs";

/** The turn by which the cat is complete. */
const LAST = 19;
/** Leaves enough time to take a picture before the next turn is shown, even on a busy machine. */
const DELAY_S = 2;

const folder = resolve(process.argv[2] ?? "frames");
const directory = await mkdtemp(join(tmpdir(), "franz-animation-"));
const server = await launch();
const browser = await chromium.connect(server.wsEndpoint());
const words = ["run", "--no-open", "--run-dir", "run_cat", "--upstream", "demo", "--dashboard", "127.0.0.1:0"];
const franz = new Franz(directory, [...words, "--set", `loop.executing_delay_s=${DELAY_S}`, "--set", "marks.timestamp=false"]);
try {
  await franz.ready();
  const page = await browser.newPage({ viewport: { width: 1100, height: 700 }, deviceScaleFactor: 1, colorScheme: "dark", reducedMotion: "reduce" });
  page.setDefaultTimeout(120_000);
  await page.goto(franz.link);
  await page.mouse.move(0, 0);
  for (let turn = 2; turn <= LAST; turn += 1) {
    await until(page, answered, turn);
    // The end of a reply says what the model sees, and contains its calls.
    await page.locator("#reply-text").evaluate((text) => (text.parentElement.scrollTop = text.parentElement.scrollHeight));
    await page.screenshot({ path: join(folder, `${String(turn).padStart(4, "0")}.png`) });
  }
} finally {
  await browser.close();
  await server.close();
  await franz.end();
  await rm(directory, { recursive: true, force: true });
}

/** Returns whether this turn is shown in full, with its reply. */
function answered(turn) {
  const number = Number(document.getElementById("number").value);
  if (number > turn) throw new Error(`turn ${turn} was missed`);
  const waits = document.getElementById("range").textContent.includes("waiting");
  return number === turn && document.title.includes(`Turn ${turn} · `) && !waits && document.getElementById("after")?.textContent.trim() === `turn ${turn}`;
}
