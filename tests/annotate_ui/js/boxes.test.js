import assert from "node:assert/strict";
import { test } from "node:test";
import {
  areaPx,
  heightPx,
  holdsPoint,
  moveBox,
  moveSide,
  touchesBorder,
  widthPx,
} from "#app/geometry/boxes.js";
import {
  dragHandle,
  handleAt,
  HANDLES,
  handlesShown,
  isOnOutline,
  nextInStack,
  placeOfHandle,
  shapesAt,
  sidesOf,
} from "#app/geometry/handles.js";
import { SIZE } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {VocBox} from "#app/geometry/types.js" */

/** @type {VocBox} */
const BOX = [48, 240, 195, 371];

test("both corners of a box belong to it", () => {
  assert.equal(widthPx([3, 1, 3, 9]), 1);
  assert.equal(heightPx([3, 1, 3, 9]), 9);
  assert.equal(areaPx(BOX), 148 * 132);
});

test("a box touches the border with any of its sides", () => {
  /** @type {VocBox[]} */
  const touching = [
    [1, 9, 20, 20],
    [9, 1, 20, 20],
    [9, 9, 500, 20],
    [9, 9, 20, 375],
  ];
  for (const box of touching) assert(touchesBorder(box, SIZE), String(box));
  assert(!touchesBorder([2, 2, 499, 374], SIZE));
});

testProperty("a moved box keeps its size and stays inside", 500, (random) => {
  const size = random.size();
  const box = random.box(size);
  const moved = moveBox(box, random.between(-2000, 2000), random.between(-2000, 2000), size);
  assert.equal(widthPx(moved), widthPx(box));
  assert.equal(heightPx(moved), heightPx(box));
  assert(moved[0] >= 1 && moved[1] >= 1 && moved[2] <= size[0] && moved[3] <= size[1]);
});

test("a box moved away and back inside the image is where it was", () => {
  assert.deepEqual(moveBox(moveBox(BOX, 7, -30, SIZE), -7, 30, SIZE), BOX);
});

testProperty("a side never passes the smallest size nor the border", 500, (random) => {
  const size = random.size();
  const box = random.box(size);
  const side = random.pick(/** @type {const} */ (["xmin", "ymin", "xmax", "ymax"]));
  const moved = moveSide(box, side, random.whole(-2000, 2000), size, 4);
  assert(widthPx(moved) >= Math.min(4, widthPx(box)));
  assert(heightPx(moved) >= Math.min(4, heightPx(box)));
  assert(moved[0] >= 1 && moved[1] >= 1 && moved[2] <= size[0] && moved[3] <= size[1]);
});

test("a box below the smallest size may grow but not shrink", () => {
  assert.deepEqual(moveSide([10, 10, 11, 40], "xmin", 1, SIZE, 4), [10, 10, 11, 40]);
  assert.deepEqual(moveSide([10, 10, 11, 40], "xmin", -5, SIZE, 4), [5, 10, 11, 40]);
});

test("each handle moves its own sides and no others", () => {
  const moved = Object.fromEntries(
    HANDLES.map((handle) => [handle, dragHandle(BOX, handle, [3, 2], SIZE, 4)]),
  );
  assert.deepEqual(moved, {
    nw: [51, 242, 195, 371],
    n: [48, 242, 195, 371],
    ne: [48, 242, 198, 371],
    e: [48, 240, 198, 371],
    se: [48, 240, 198, 373],
    s: [48, 240, 195, 373],
    sw: [51, 240, 195, 373],
    w: [51, 240, 195, 371],
  });
});

test("a handle is hit where it is drawn", () => {
  for (const handle of HANDLES) assert.equal(handleAt(BOX, placeOfHandle(BOX, handle), 8), handle);
  assert.equal(handleAt(BOX, [120, 300], 8), null);
  assert.deepEqual(sidesOf("sw"), ["ymax", "xmin"]);
});

test("a short side shows no handle in its middle", () => {
  assert.deepEqual(handlesShown([10, 10, 20, 200], 8), ["nw", "ne", "se", "sw", "e", "w"]);
});

test("the outline is hit on its line, not inside", () => {
  assert(isOnOutline(BOX, [47, 300], 2));
  assert(isOnOutline(BOX, [120, 371], 2));
  assert(!isOnOutline(BOX, [120, 300], 2));
  assert(!isOnOutline(BOX, [47, 200], 2));
});

test("clicking again reaches the box below, and around to the top", () => {
  const shapes = [
    { name: "large", box: /** @type {VocBox} */ ([1, 1, 100, 100]) },
    { name: "small", box: /** @type {VocBox} */ ([40, 40, 60, 60]) },
    { name: "elsewhere", box: /** @type {VocBox} */ ([200, 200, 260, 260]) },
  ];
  const stack = shapesAt(shapes, [50, 50]);
  assert.deepEqual(
    stack.map((shape) => shape.name),
    ["small", "large"],
  );
  const after = (/** @type {string} */ name) => nextInStack(stack, (shape) => shape.name === name);
  assert.equal(after("elsewhere")?.name, "small");
  assert.equal(after("small")?.name, "large");
  assert.equal(after("large")?.name, "small");
  assert.equal(
    nextInStack(shapesAt(shapes, [150, 150]), () => true),
    null,
  );
});

test("a point on the outer edge of a box is in it", () => {
  assert(holdsPoint([1, 1, 10, 10], [0, 10]));
  assert(!holdsPoint([1, 1, 10, 10], [0, 10.1]));
});
