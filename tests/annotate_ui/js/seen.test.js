import assert from "node:assert/strict";
import { test } from "node:test";
import { isDense, placeLabels } from "#app/geometry/labels.js";
import { LOUPE_PX, loupeScale, placeLoupe } from "#app/geometry/viewport.js";
import {
  filterOf,
  isPlain,
  LEAST,
  MOST,
  PLAIN_LIGHT,
  planLayers,
  setLight,
  showsMagnifier,
  stepLight,
} from "#app/state/display.js";
import { DEFAULTS } from "#app/state/preferences.js";
import { makeObject } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {Magnifier, Pointer} from "#app/state/types.js" */
/** @import {Random} from "./random.js" */

const HEIGHT_PX = 18;
/** @type {readonly [number, number]} */
const STAGE = [900, 690];

/** @param {Random} random */
function someNames(random) {
  return Array.from({ length: random.whole(1, 60) }, () => ({
    frame: {
      x: random.between(-50, 900),
      y: random.between(-50, 690),
      width: random.between(2, 300),
      height: random.between(2, 300),
    },
    width: random.between(20, 140),
  }));
}

testProperty("no name lies over another one, and each is on the stage and at its box", 200, (random) => {
  const wanted = someNames(random);
  const places = placeLabels(wanted, STAGE, HEIGHT_PX);
  const put = places.flatMap((at, index) => (at ? [{ at, ...wanted[index] }] : []));
  for (const [index, { at, width, frame }] of put.entries()) {
    const [x, y] = at;
    assert(x >= 0 && x + width <= STAGE[0] && y >= 0 && y + HEIGHT_PX <= STAGE[1]);
    assert(y >= Math.min(frame.y, 0) - HEIGHT_PX - 1 && y <= frame.y + frame.height + HEIGHT_PX);
    for (const other of put.slice(index + 1)) {
      const isLeftOrRight = x >= other.at[0] + other.width || other.at[0] >= x + width;
      assert(isLeftOrRight || Math.abs(y - other.at[1]) >= HEIGHT_PX);
    }
  }
});

test("the first label is above its box; a second one there is put inside", () => {
  const frame = { x: 100, y: 100, width: 200, height: 200 };
  const wanted = [
    { frame, width: 60 },
    { frame, width: 60 },
  ];
  assert.deepEqual(placeLabels(wanted, STAGE, HEIGHT_PX), [
    [99, 81],
    [99, 102],
  ]);
});

test("two hundred labels are too dense, twenty are not", () => {
  const frame = { x: 0, y: 0, width: 30, height: 30 };
  const names = (/** @type {number} */ count) => Array.from({ length: count }, () => ({ frame, width: 80 }));
  assert(isDense(names(200), STAGE, HEIGHT_PX));
  assert(!isDense(names(20), STAGE, HEIGHT_PX));
});

const many = Array.from({ length: 200 }, (_, index) =>
  makeObject(`b${index}`, [1 + index, 1, 20 + index, 40]),
);

test("an edit of the selected box repaints only that box", () => {
  const first = planLayers(many, "b7", undefined, null);
  assert.deepEqual([first.isStale, first.below.length, first.above.length], [true, 199, 1]);
  const moved = many.with(7, { ...many[7], box: [9, 9, 30, 50] });
  const next = planLayers(moved, "b7", "b7", new Set(first.below));
  assert.deepEqual([next.isStale, next.above], [false, [moved[7]]]);
});

test("a new box or selection does not repaint the other boxes", () => {
  const painted = new Set(many);
  const more = [...many, makeObject("new", [300, 300, 320, 330])];
  const drawn = planLayers(more, "new", undefined, painted);
  assert.deepEqual([drawn.isStale, drawn.above.map(({ key }) => key)], [false, ["new"]]);
  const turned = planLayers(more, "b3", undefined, painted);
  assert.deepEqual([turned.isStale, turned.above.map(({ key }) => key)], [false, ["new", "b3"]]);
});

test("removed, grabbed or changed boxes are never left in the cached layer", () => {
  const painted = new Set(many);
  assert(planLayers(many.slice(1), undefined, undefined, painted).isStale);
  assert(planLayers(many, "b4", "b4", painted).isStale);
  assert(
    planLayers(
      many.map((object) => ({ ...object })),
      undefined,
      undefined,
      painted,
    ).isStale,
  );
});

testProperty("every box is painted in exactly one layer, the selected one above", 200, (random) => {
  const shown = many.filter(() => random.next() < 0.8);
  const selected = random.pick(many).key;
  const painted = random.whole(0, 1) ? new Set(many.filter(() => random.next() < 0.9)) : null;
  const { below, above } = planLayers(shown, selected, undefined, painted);
  const others = above.filter(({ key }) => key !== selected);
  const keys = [...below, ...others].map(({ key }) => key).filter((key) => key !== selected);
  assert.deepEqual(
    keys.sort(),
    shown
      .map(({ key }) => key)
      .filter((key) => key !== selected)
      .sort(),
  );
  assert.equal(
    above.some(({ key }) => key === selected),
    shown.some(({ key }) => key === selected),
  );
});

test("brightness steps return to their start and stay in a visible range", () => {
  const up = stepLight(stepLight(PLAIN_LIGHT, "brightness", 1), "brightness", 1);
  assert(up.brightness > 125);
  assert(isPlain(stepLight(stepLight(up, "brightness", -1), "brightness", -1)));
  assert.equal(setLight(PLAIN_LIGHT, "contrast", 9000).contrast, MOST);
  assert.equal(setLight(PLAIN_LIGHT, "contrast", 0).contrast, LEAST);
  assert.equal(filterOf(PLAIN_LIGHT), "none");
  assert.equal(filterOf({ brightness: 150, contrast: 80 }), "brightness(150%) contrast(80%)");
});

/** @type {[string, Parameters<typeof showsMagnifier>[0], boolean][]} */
const MAGNIFIERS = [
  ["by itself not for a mouse at full size", seenAs("auto", "mouse", 1.3), false],
  ["by itself where the image is shown smaller than it is", seenAs("auto", "mouse", 0.4), true],
  ["by itself under a finger", seenAs("auto", "touch", 2), true],
  ["where it is wanted", seenAs("on", "mouse", 3), true],
  ["not where it is not", seenAs("off", "touch", 0.2), false],
];
for (const [what, model, isShown] of MAGNIFIERS) {
  test(`the magnifier is there ${what}`, () => assert.equal(showsMagnifier(model), isShown));
}

testProperty("the magnifier stays on the stage and off the place that it shows", 300, (random) => {
  const stage = /** @type {const} */ ([random.whole(500, 3000), random.whole(420, 2000)]);
  const cursor = /** @type {const} */ ([random.between(0, stage[0]), random.between(0, stage[1])]);
  const [left, top] = placeLoupe(cursor, stage, 28);
  assert(left >= 0 && top >= 0 && left + LOUPE_PX <= stage[0] && top + LOUPE_PX <= stage[1]);
  const x = cursor[0] - left;
  const y = cursor[1] - top;
  assert(!(x > 0 && x < LOUPE_PX && y > 0 && y < LOUPE_PX));
  assert(loupeScale(random.between(0.02, 40)) >= 3);
});

/**
 * @param {Magnifier} magnifier
 * @param {Pointer} pointer
 * @param {number} scale
 */
function seenAs(magnifier, pointer, scale) {
  return { preferences: { ...DEFAULTS, magnifier }, pointer, viewport: { scale, x: 0, y: 0 } };
}
