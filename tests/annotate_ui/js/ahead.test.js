import assert from "node:assert/strict";
import { test } from "node:test";
import { countAhead, isSlow, notePace, startPace } from "#app/state/ahead.js";

test("as many images are reserved as a person finishes until the next one is there", () => {
  for (const [answerSecs, pictureSecs, paceSecs, expected] of [
    [0.02, 0.05, 20, 2],
    [1, 1, 5, 2],
    [5, 5, 4, 3],
    [5, 12, 2, 5],
    [15, 20, 0.1, 8], // at most four times the number of the party
  ]) {
    assert.equal(countAhead({ answerSecs, pictureSecs, paceSecs }, 2), expected);
    assert.equal(countAhead({ answerSecs, pictureSecs, paceSecs }, 0), 0);
  }
});

test("the line is measured by the page itself, and a late answer counts for half", () => {
  const first = startPace(4);
  assert.equal(countAhead(first, 1), 2);
  const quick = notePace(notePace(first, "answerSecs", 0), "pictureSecs", 0);
  assert.deepEqual([quick.answerSecs, quick.pictureSecs], [2, 2]);
  assert.equal(countAhead(quick, 1), 1);
});

test("pictures are asked for together on a slow line alone", () => {
  assert.equal(isSlow(startPace(0.2)), false);
  assert.equal(isSlow(startPace(5)), true);
});
