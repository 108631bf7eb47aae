import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fit,
  MAX_SCALE,
  MIN_SCALE,
  panBy,
  reveal,
  toImage,
  toScreen,
  zoomAt,
  zoomTo,
  zoomToBox,
} from "#app/geometry/viewport.js";
import { testProperty } from "./random.js";

/** @import {Size} from "#app/geometry/types.js" */

/** @type {Size} */
const STAGE = [932, 694];

/**
 * @param {readonly number[]} actual
 * @param {readonly number[]} expected
 * @param {number} [slack]
 */
function assertNear(actual, expected, slack = 1e-6) {
  const isNear = actual.every((value, index) => Math.abs(value - expected[index]) <= slack);
  assert(isNear, `${actual} is not ${expected}`);
}

testProperty("a point goes to the screen and comes back", 500, (random) => {
  const [x, y] = random.point([-4000, 4000]);
  const viewport = { scale: random.between(MIN_SCALE, MAX_SCALE), x, y };
  const point = random.point([0, 6000]);
  assertNear(toImage(viewport, toScreen(viewport, point)), point);
});

testProperty("the fitted image is whole, in the middle, and touches the margin", 300, (random) => {
  const image = random.size();
  const viewport = fit(image, STAGE);
  const [left, top] = toScreen(viewport, [0, 0]);
  const [right, bottom] = toScreen(viewport, image);
  assertNear([left + right, top + bottom], STAGE, 1e-6);
  assertNear([Math.min(left, top)], [16], 1e-6);
  assert(right <= STAGE[0] && bottom <= STAGE[1]);
});

testProperty("what is under the pointer stays under it while the image grows", 300, (random) => {
  const image = random.size();
  const at = random.point([100, 800], [100, 600]);
  const before = fit(image, STAGE);
  const after = zoomAt(before, random.between(1, 3), at, image, STAGE);
  const under = toImage(before, at);
  const isInside = under.every((value, axis) => value > 0 && value < image[axis]);
  if (isInside) assertNear(toScreen(after, under), at, 1e-6);
});

testProperty("the image cannot be lost by panning or zooming", 300, (random) => {
  const image = random.size();
  let viewport = fit(image, STAGE);
  for (let step = 0; step < 8; step += 1) {
    const at = random.point([0, 932], [0, 694]);
    viewport = panBy(viewport, random.between(-3e3, 3e3), random.between(-3e3, 3e3), image, STAGE);
    viewport = zoomAt(viewport, random.between(0.2, 5), at, image, STAGE);
  }
  const [left, top] = toScreen(viewport, [0, 0]);
  const [right, bottom] = toScreen(viewport, image);
  assert(right > 0 && bottom > 0 && left < STAGE[0] && top < STAGE[1]);
  assert(viewport.scale >= MIN_SCALE && viewport.scale <= MAX_SCALE);
});

test("the one-to-one view shows image pixels as screen pixels", () =>
  assert.equal(zoomTo(fit([4000, 3000], STAGE), 1, [4000, 3000], STAGE).scale, 1));

test("zooming to a box puts it in the middle", () => {
  const viewport = zoomToBox([101, 101, 200, 180], STAGE);
  assertNear(toScreen(viewport, [150, 140]), [466, 347]);
});

test("the zoom to a tiny box is limited", () => assert.equal(zoomToBox([10, 10, 12, 12], STAGE).scale, 16));

test("a point out of sight is moved just into view", () => {
  const viewport = { scale: 4, x: -2000, y: 0 };
  assertNear(toScreen(reveal(viewport, [10, 10], STAGE), [10, 10]), [24, 40]);
  assert.equal(
    reveal(viewport, [600, 50], STAGE),
    viewport,
    "the very same, so that nothing is painted anew",
  );
});
