// How text is cut and shown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { beginning, visible, whole } from "../../assets/text.js";

test("text is cut between characters, and only damaged ones are shown as halves", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map((at) => whole("ab😀c", at)), [0, 1, 2, 2, 4]);
  for (const [text, most, shown] of [["ab😀", 3, "ab"], ["ab😀", 4, "ab😀"], ["ab😀", undefined, "ab😀"], ["ab\ud83d", 3, "ab‹D83D›"], ["😀\ude00", 3, "😀‹DE00›"]])
    assert.equal(visible(text, most), shown);
  for (const [text, units, ...parts] of [["ab😀c", 3, "ab", 3], ["ab😀c", 4, "ab😀", 1], ["ab😀", 4, "ab😀", 0], ["", 4, "", 0]])
    assert.deepEqual(beginning(text, units), parts);
});
