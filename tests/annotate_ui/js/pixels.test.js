import assert from "node:assert/strict";
import { test } from "node:test";
import {
  boxOfEdges,
  boxOfPoints,
  edgesOf,
  middleOfPixel,
  nearestCorner,
  pixelAt,
} from "#app/geometry/pixels.js";
import { toImage, toScreen } from "#app/geometry/viewport.js";
import { SIZE } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {Point} from "#app/geometry/types.js" */

/** @type {[string, Point, Point, number[]][]} */
const DRAWN = [
  ["the whole image", [0, 0], [500, 375], [1, 1, 500, 375]],
  ["the first pixel", [0, 0], [1, 1], [1, 1, 1, 1]],
  ["the last pixel", [499, 374], [500, 375], [500, 375, 500, 375]],
  ["from below right to above left", [195, 371], [47, 239], [48, 240, 195, 371]],
  ["half a pixel off, to the nearest edge", [47.4, 239.4], [195.4, 370.6], [48, 240, 195, 371]],
  ["beyond every border", [-30, -1], [900, 376], [1, 1, 500, 375]],
  ["without any width, the pixel after the nearest edge", [10.2, 5], [10.3, 9], [11, 6, 11, 9]],
  ["on the right border alone", [500, 0], [500, 375], [500, 1, 500, 375]],
  ["outside altogether, the nearest pixels", [-9, -9], [-3, -3], [1, 1, 1, 1]],
];

for (const [what, first, second, box] of DRAWN) {
  test(`a box drawn: ${what}`, () => assert.deepEqual(boxOfPoints([first, second], SIZE), box));
}

testProperty("a box is got back from the edges it is drawn with", 500, (random) => {
  const size = random.size();
  const box = random.box(size);
  assert.deepEqual(boxOfEdges(edgesOf(box), size), box);
});

testProperty("any drag gives whole pixels inside the image", 500, (random) => {
  const size = random.size();
  const [xmin, ymin, xmax, ymax] = boxOfPoints([random.point([-99, 1400]), random.point([-99, 1400])], size);
  assert([xmin, ymin, xmax, ymax].every(Number.isInteger));
  assert(1 <= xmin && xmin <= xmax && xmax <= size[0]);
  assert(1 <= ymin && ymin <= ymax && ymax <= size[1]);
});

testProperty("a drag between the same corners gives the same integers at any zoom", 500, (random) => {
  const size = random.size();
  const first = random.corner(size);
  const second = random.corner(size);
  const boxes = [0.05, 0.37, 1, 4, random.between(0.03, 40)].map((scale) => {
    const viewport = { scale, x: random.between(-900, 900), y: random.between(-900, 900) };
    const seen = (/** @type {Point} */ point) => toImage(viewport, toScreen(viewport, point));
    return boxOfPoints([seen(first), seen(second)], size);
  });
  for (const box of boxes) assert.deepEqual(box, boxes[0]);
});

testProperty(
  "a drag that misses its corners by less than half a pixel gives the same integers",
  500,
  (random) => {
    const size = random.size();
    const first = random.corner(size);
    const second = random.corner(size);
    if (first[0] === second[0] || first[1] === second[1]) return;
    const near = (/** @type {Point} */ [x, y]) => random.point([x - 0.49, x + 0.49], [y - 0.49, y + 0.49]);
    assert.deepEqual(boxOfPoints([near(first), near(second)], size), boxOfPoints([first, second], size));
  },
);

testProperty("the middle of a pixel lies in that pixel", 200, (random) => {
  const size = random.size();
  const pixel = /** @type {Point} */ ([random.whole(1, size[0]), random.whole(1, size[1])]);
  assert.deepEqual(pixelAt(middleOfPixel(pixel), size), pixel);
});

test("a point outside the image maps to the nearest pixel and corner", () => {
  assert.deepEqual(pixelAt([-5, 900], SIZE), [1, 375]);
  assert.deepEqual(nearestCorner([-5, 900], SIZE), [0, 375]);
});
