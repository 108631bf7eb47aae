import assert from "node:assert/strict";
import { test } from "node:test";

import { boxOf, moveBy, moveTo, setCorner, startBox } from "#app/state/box_by_hand.js";

const SIZE = { width: 500, height: 375 };

test("two corners make a box, whichever comes first", () => {
  const corner = setCorner(moveTo(startBox(SIZE), 300, 40));
  const box = setCorner(moveTo(corner, 120, 200));
  assert.deepEqual(boxOf(box), [120, 40, 300, 200]);
  assert.equal(box.isDone, true);
  assert.equal(boxOf(startBox(SIZE)), null);
});

test("the cursor stays inside the image", () => {
  assert.deepEqual(moveTo(startBox(SIZE), -9, 999).at, [1, 375]);
});

test("an arrow moves by a step, and finely by a pixel", () => {
  const start = startBox(SIZE);
  assert.deepEqual(moveBy(start, [1, 0], false).at, [260, 188]);
  assert.deepEqual(moveBy(start, [0, -1], true).at, [250, 187]);
});

test("a corner after the box begins another one", () => {
  const box = setCorner(moveTo(setCorner(startBox(SIZE)), 400, 300));
  const next = setCorner(moveTo(box, 10, 20));
  assert.deepEqual([next.from, next.isDone], [[10, 20], false]);
});
