// The types of the page's modules: each name, method and argument exists where it is used.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";

test("the modules of the page agree in their types", () => {
  const [compiler, project] = ["../node_modules/typescript/bin/tsc", "../tsconfig.json"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const { status, stdout, error } = spawnSync(process.execPath, [compiler, "--project", project], { encoding: "utf8" });
  assert.ifError(error);
  assert.equal(status, 0, stdout);
});
