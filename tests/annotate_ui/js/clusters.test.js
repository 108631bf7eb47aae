import assert from "node:assert/strict";
import { test } from "node:test";
import { boxesToKept, fitInto, IDENTITY, invert, otherToKept } from "#app/geometry/viewport.js";
import {
  choicesFor,
  countFor,
  countOpen,
  goTo,
  keyOf,
  labelOf,
  openHere,
  parseFilter,
  say,
  spotOf,
  startReview,
  step,
  takeBack,
} from "#app/state/cluster_review.js";
import { testProperty } from "./random.js";

/** @import {Matrix} from "#app/geometry/types.js" */
/** @import {Pair, PairVerdict as Verdict, Review, Spot} from "#app/state/types.js" */

const LEFT = { precision: [], counts: { waiting: {}, seen: {}, split: {}, all: {} } };

/**
 * Where a canvas puts a point.
 * @param {Matrix} matrix
 * @param {readonly [number, number]} point
 * @returns {[number, number]}
 */
const apply = ([a, b, c, d, e, f], [x, y]) => [a * x + c * y + e, b * x + d * y + f];

const round = (/** @type {number} */ value) => Math.round(value * 1e5) / 1e5;

/** @param {number} id */
const image = (id) => ({
  id,
  url: `/images/${id}.jpg`,
  width: 500,
  height: 375,
  state: "pool",
  photo: null,
  photos: 0,
});

/**
 * @param {number} id
 * @param {Partial<Pair>} [more]
 * @returns {Pair}
 */
const pair = (id, more = {}) => ({
  image: image(id),
  relation: "duplicate",
  doubt: 0.5,
  similarity: 0.9,
  distance_64_bits: 4,
  distance_256_bits: 40,
  decided_how: "views and registration",
  gap_secs: null,
  drawn: 0,
  drawn_boxes: [],
  beyond: 0,
  margin: 0,
  features: 0,
  decided_by_person: false,
  map: null,
  label: null,
  label_id: null,
  ...more,
});

/**
 * @param {number} kept
 * @param {Pair} pair
 * @returns {Spot}
 */
const spot = (kept, pair) => ({ kept: image(kept), pair, cluster: 0, more: 0 });

const COUNTS = { waiting: { duplicate: 3, collage: 1 }, seen: {}, split: {}, all: { duplicate: 5 } };

/** @param {readonly Pair[][]} clusters */
function makeReview(...clusters) {
  const page = {
    clusters: clusters.map((pairs, at) => {
      return { relation: /** @type {const} */ ("duplicate"), kept: image(100 + at), pairs, more: 0 };
    }),
    counts: COUNTS,
    precision: [],
  };
  return startReview(page, { show: "waiting", relation: "any" });
}

/** @param {Review} review */
const otherOf = (review) => spotOf(review)?.pair.image.id;

/**
 * @param {Review} review
 * @param {Verdict} verdict
 * @param {number} [turn]
 */
function sayHere(review, verdict, turn) {
  const answer = { label_id: review.said.length + 1, ...LEFT };
  return say(review, /** @type {Spot} */ (spotOf(review)), verdict, answer, turn);
}

test("a review begins at the first unreviewed pair", () => {
  const review = makeReview([pair(1, { label: "duplicate" }), pair(2)], [pair(3)]);
  assert.equal(otherOf(review), 2);
  assert.equal(countOpen(review), 2);
  assert.equal(review.verdicts["1-100"], "duplicate");
});

test("a verdict leads to the next open pair, and past the end to earlier ones", () => {
  let review = makeReview([pair(1), pair(2)], [pair(3)]);
  review = sayHere(goTo(review, 1), "different");
  assert.equal(otherOf(review), 3);
  review = sayHere(review, "duplicate");
  assert.equal(otherOf(review), 1);
  review = sayHere(review, "duplicate");
  assert.equal(countOpen(review), 0);
  assert.equal(otherOf(review), 1);
});

test("every verdict can be undone, the last one first, and its pair is shown again", () => {
  const start = makeReview([pair(1), pair(2)], [pair(3)]);
  let review = sayHere(sayHere(start, "different"), "duplicate");
  review = takeBack(review, LEFT);
  assert.deepEqual([otherOf(review), review.verdicts], [2, { "1-100": "different" }]);
  review = takeBack(review, LEFT);
  assert.deepEqual([otherOf(review), review.verdicts], [1, {}]);
  assert.equal(takeBack(review, LEFT), review);
});

test("verdicts given together share a turn, a later one has its own", () => {
  let review = makeReview([pair(1), pair(2), pair(3)]);
  review = sayHere(sayHere(review, "duplicate", 1), "duplicate", 1);
  assert.deepEqual(
    openHere(review).map((spot) => spot.pair.image.id),
    [3],
  );
  review = sayHere(review, "different");
  assert.deepEqual(
    review.said.map((review) => review.turn),
    [1, 1, 2],
  );
});

test("an undone verdict restores the one from before this visit", () => {
  const review = sayHere(makeReview([pair(1, { label: "same_event" })]), "duplicate");
  assert.equal(takeBack(review, LEFT).verdicts["1-100"], "same_event");
});

test("the label that a verdict replaces is the one that the page shows", () => {
  const start = makeReview([pair(1, { label: "same_event", label_id: 7 })]);
  const spot = /** @type {Spot} */ (spotOf(start));
  assert.equal(labelOf(start, spot), 7);
  const review = sayHere(start, "duplicate");
  assert.equal(labelOf(review, spot), review.said[0].labelId);
  assert.equal(labelOf(takeBack(review, LEFT), spot), 7);
});

test("an address sets the filters, and ignores unknown words", () => {
  assert.deepEqual(parseFilter("split", "collage"), { show: "split", relation: "collage" });
  assert.deepEqual(parseFilter("<b>", null), { show: "waiting", relation: "any" });
});

test("clusters are counted for the current filters", () => {
  assert.equal(countFor(COUNTS, { show: "waiting", relation: "any" }), 4);
  assert.equal(countFor(COUNTS, { show: "waiting", relation: "collage" }), 1);
  assert.equal(countFor(COUNTS, { show: "split", relation: "duplicate" }), 0);
});

test("steps stay within the list of pairs, which may be empty", () => {
  const review = makeReview([pair(1), pair(2)]);
  assert.equal(otherOf(step(review, -1)), 1);
  assert.equal(otherOf(step(step(review, 1), 1)), 2);
  const empty = makeReview();
  assert.equal(spotOf(step(empty, 1)), null);
  assert.equal(countOpen(empty), 0);
});

test("a linked pair can become one photograph, a merged one can become one event", () => {
  const choicesOf = (/** @type {Partial<Pair>} */ more) => choicesFor(spot(1, pair(2, more)));
  assert.deepEqual(choicesOf({}), { confirm: "duplicate", split: "different", other: "same_event" });
  assert.equal(choicesOf({ relation: "same_event" }).other, "duplicate");
  assert.equal(choicesOf({ relation: "collage" }).confirm, "collage");
});

test("a pair has the same key whichever image is kept", () => {
  assert.equal(keyOf(spot(7, pair(3))), "3-7");
  assert.equal(keyOf(spot(3, pair(7))), "3-7");
});

test("an alignment leads from the other image to the kept one, however it was stored", () => {
  const numbers = [0.5, 0, 0.25, 0, 0.8, 0.1];
  const there = otherToKept({ from: 2, to: 1, numbers }, 2);
  assert.deepEqual(apply(there, [1, 1]), [0.75, 0.9]);
  const back = otherToKept({ from: 1, to: 2, numbers }, 2);
  assert.deepEqual(apply(back, [0.75, 0.9]).map(round), [1, 1]);
});

test("without a usable alignment, frames are laid edge on edge", () => {
  assert.equal(otherToKept(null, 2), IDENTITY);
  assert.equal(otherToKept({ from: 1, to: 2, numbers: [0, 0, 0, 0, 0, 0] }, 2), IDENTITY);
});

testProperty("a matrix and its inverse lead back", 200, (random) => {
  const numbers = Array.from({ length: 6 }, () => random.between(-2, 2));
  const matrix = /** @type {Matrix} */ (/** @type {unknown} */ (numbers));
  const inverse = invert(matrix);
  if (!inverse || Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) < 1e-3) return;
  const point = random.point();
  assert.deepEqual(apply(inverse, apply(matrix, point)).map(round), point.map(round));
});

test("what was drawn over is outlined in the frame of the kept image", () => {
  const numbers = [0.5, 0, 0.25, 0, 0.5, 0.25];
  assert.deepEqual(boxesToKept({ from: 2, to: 1, numbers }, 2), otherToKept({ from: 2, to: 1, numbers }, 2));
  assert.equal(boxesToKept({ from: 1, to: 2, numbers }, 2), IDENTITY);
  assert.equal(boxesToKept(null, 2), IDENTITY);
});

test("a picture keeps its shape and is shown at most twice as large", () => {
  assert.deepEqual(fitInto({ width: 500, height: 250 }, { width: 250, height: 250 }), {
    width: 250,
    height: 125,
  });
  assert.deepEqual(fitInto({ width: 10, height: 20 }, { width: 500, height: 500 }), {
    width: 20,
    height: 40,
  });
});
