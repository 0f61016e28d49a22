// Takes the pictures that show what a person can do during a run, on a private desktop with a terminal. Saves them in
// the given directory.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { chromium } from "playwright-core";

import { launch } from "./stage/browser.mjs";
import { Franz } from "./stage/franz.mjs";
import { Model } from "./stage/model.mjs";
import { box, until } from "./stage/page.mjs";

/** The maximum size of a picture in the documentation, in bytes. */
const MOST = 150_000;

const SIZE = { width: 1366, height: 700 };
const REPLY = 'The old reports can go.\n```python\nleft_click(300, 600)\ntype("rm -r old_reports\\n")\n```';
/** What the terminal shows: a list of files and a password. */
const SHOWN = "$ ls\\nnotes.txt  old_reports  reports\\n$ cat notes.txt\\nBank: tangerine-47-harbour\\n";
const TERMINAL = `exec xterm -bg '#10141c' -fg '#d8dee9' -fa Monospace -fs 14 -geometry 76x20+20+20 -e sh -c 'printf "${SHOWN}"; PS1="$ " exec sh'`;

const directory = resolve(process.argv[2] ?? ".");
const home = await mkdtemp(join(tmpdir(), "franz-safety-"));
const server = await launch();
const browser = await chromium.connect(server.wsEndpoint());
const model = await Model.start();
const settings = ["screen.width=1024", "screen.height=576", "image.width=1024", "image.height=576", `screen.start=${JSON.stringify([TERMINAL])}`];
const franz = new Franz(home, [
  ...["run", "Remove the old reports.", "--no-open", "--run-dir", "run_reports", "--upstream", model.address, "--dashboard", "127.0.0.1:0"],
  ...["--screen", "virtual", "--gate", "ask", ...settings.flatMap((setting) => ["--set", setting])],
]);
try {
  await franz.ready();
  const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: 1, colorScheme: "dark", reducedMotion: "reduce" });
  page.setDefaultTimeout(60_000);
  const button = (name) => page.getByRole("button", { name, exact: true });
  const save = async (name) => {
    const file = join(directory, name);
    const { length } = await page.screenshot({ path: file });
    if (length > MOST) throw new Error(`${file} is too large for the documentation: ${length} bytes`);
    console.log(`${file}, ${length} bytes`);
  };
  await page.goto(franz.link);
  await model.say({ content: JSON.stringify(REPLY), read: 1400 });
  const waiting = (action) => page.locator("#question").filter({ hasText: action }).waitFor();
  await waiting("left_click");
  await page.locator("#approve:enabled").click();
  await waiting("rm -r");
  await page.locator("#approve:enabled").waitFor();
  await page.mouse.move(0, 0);
  await save("approve.png");
  await page.locator("#question-words").fill("Keep those of this year.");
  await button("Refuse").click();
  await page.locator("#question").waitFor({ state: "hidden" });
  await button("Mask").click();
  const { x, y, width, height } = await box(page, "#sheet");
  await page.mouse.move(x + width * 0.09, y + height * 0.2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.48, y + height * 0.29, { steps: 4 });
  await save("mask.png");
  await page.mouse.up();
  await page.keyboard.press("t");
  await until(page, () => document.getElementById("live-screen").dataset.picture);
  await page.mouse.move(0, 0);
  await save("takeover.png");
} finally {
  await browser.close();
  await server.close();
  await franz.end();
  model.server.close();
  await rm(home, { recursive: true, force: true });
}
