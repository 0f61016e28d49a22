// Measures how long an exported run takes to open: the first paint, and the picture of its last turn. Prints both in
// milliseconds, one value for each time it was opened.

import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { launch } from "./stage/browser.mjs";

const TIMES = 9;

const [file, turn] = process.argv.slice(2);
const server = await launch();
const browser = await chromium.connect(server.wsEndpoint());
const paints = [];
const pictures = [];
try {
  for (let time = 0; time <= TIMES; time += 1) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(() => {
      const look = () => {
        const shown = document.querySelector("#sheet img, #sheet canvas");
        const isDrawn = shown && (shown.tagName === "CANVAS" || (shown.complete && shown.naturalWidth));
        if (isDrawn) globalThis.drawn = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction((turn) => globalThis.drawn && document.getElementById("number").value === turn, turn);
    const [paint, drawn] = await page.evaluate(() => [performance.getEntriesByName("first-contentful-paint")[0].startTime, globalThis.drawn]);
    await page.close();
    if (time === 0) continue;
    paints.push(Math.round(paint));
    pictures.push(Math.round(drawn));
  }
} finally {
  await browser.close();
  await server.close();
}
const sorted = (values) => values.sort((a, b) => a - b).join(", ");
console.log(`first paint, ms: ${sorted(paints)}`);
console.log(`picture, ms: ${sorted(pictures)}`);
