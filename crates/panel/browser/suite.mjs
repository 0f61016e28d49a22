// Runs the named tests, or all of them, in one browser. Each test has its own context.

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { launch } from "./stage/browser.mjs";

const ATONCE = 2;

const folder = fileURLToPath(new URL("tests/", import.meta.url));
const named = process.argv.slice(2);
const files = readdirSync(folder).filter((file) => file.endsWith(".test.mjs") && (!named.length || named.some((name) => file.includes(name))));
if (!files.length) throw new Error(`no test matches ${named.join(" ")}`);

const browser = await launch();
const arguments_ = ["--test", `--test-concurrency=${ATONCE}`, "--test-reporter=spec", ...files.map((file) => folder + file)];
const tests = spawn(process.execPath, arguments_, { stdio: "inherit", env: { ...process.env, BROWSER_SOCKET: browser.wsEndpoint() } });
const code = await new Promise((ended) => tests.on("exit", (code) => ended(code ?? 1)));
await browser.close();
process.exitCode = code;
