// How numbers are written.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bytes, duration } from "../../assets/quantity.js";

test("a rounded number is written in the unit that it fits", () => {
  const durations = [[9.94, "9.9 ms"], [9.96, "10 ms"], [999.4, "999 ms"], [999.6, "1.0 s"], [119_900, "119.9 s"], [179_700, "3 min 0 s"]];
  for (const [ms, words] of durations) assert.equal(duration(ms), words);
  for (const [number, words] of [[999, "999 B"], [999_949, "999.9 kB"], [999_960, "1.0 MB"]]) assert.equal(bytes(number), words);
});
