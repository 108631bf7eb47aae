/** What is odd about a drawing before it is finished, by the rules of work/segment/drawings.py. */

import { heightPx, widthPx } from "../geometry/boxes.js";
import { texts } from "../texts.js";
import { linesOf, ringsOf } from "./corners.js";
import { labelPixels } from "./rings.js";

/** @import {Point, Size, VocBox} from "../geometry/types.js" */
/** @import {Objects} from "../state/types.js" */
/** @import {Ring} from "../types.js" */

const MOST_OUTSIDE_PX = 6;
const MOST_DIFFERENCE = 0.1;
/** Rings with more corners were traced from pixels, and these cannot cross themselves. */
const MOST_COMPARED = 2000;

/**
 * @param {Objects} objects
 * @param {Size} size
 * @returns {{key: string, reason: string}[]}
 */
export function listFindings(objects, size) {
  const extents = findExtents(labelPixels(objects, size), size);
  return objects.flatMap((object, at) => {
    const isCrossed = ringsOf(object).some(crossesItself);
    const reasons = [
      object.isVoid ? null : compare(object.box, extents.get(at + 1)),
      isCrossed ? texts.segment.crossed : null,
    ];
    return reasons.flatMap((reason) => (reason === null ? [] : [{ key: object.key, reason }]));
  });
}

/**
 * @param {VocBox} box
 * @param {VocBox | undefined} seen of the visible pixels
 * @returns {string | null}
 */
function compare(box, seen) {
  if (!seen) return texts.segment.noPixels;
  const outside = Math.max(box[0] - seen[0], box[1] - seen[1], seen[2] - box[2], seen[3] - box[3]);
  if (outside > MOST_OUTSIDE_PX) return texts.segment.outside(outside);
  const share = (/** @type {0 | 1} */ axis, /** @type {number} */ sidePx) =>
    Math.max(Math.abs(box[axis] - seen[axis]), Math.abs(box[axis + 2] - seen[axis + 2])) / sidePx;
  const most = Math.max(share(0, widthPx(box)), share(1, heightPx(box)));
  return most > MOST_DIFFERENCE ? texts.segment.differs(most) : null;
}

/**
 * The smallest box around the visible pixels of each label.
 * @param {Uint8Array} labels
 * @param {Size} size
 */
function findExtents(labels, [width]) {
  /** @type {Map<number, [number, number, number, number]>} */
  const extents = new Map();
  labels.forEach((label, at) => {
    if (label === 0) return;
    const x = (at % width) + 1;
    const y = Math.floor(at / width) + 1;
    const known = extents.get(label);
    if (!known) return void extents.set(label, [x, y, x, y]);
    if (x < known[0]) known[0] = x;
    if (x > known[2]) known[2] = x;
    known[3] = y; // rows come in their order
  });
  return extents;
}

/** Whether two edges cross; that they touch is no crossing. @param {Ring} ring */
function crossesItself(ring) {
  const edges = linesOf([ring]);
  if (edges.length > MOST_COMPARED) return false;
  const parts = (/** @type {readonly [Point, Point]} */ line, /** @type {readonly [Point, Point]} */ other) =>
    side(line, other[0]) * side(line, other[1]) < 0;
  return edges.some((edge, at) =>
    edges.slice(at + 1).some((other) => parts(edge, other) && parts(other, edge)),
  );
}

/**
 * On which side of a line a point lies.
 * @param {readonly [Point, Point]} line
 * @param {Point} point
 */
function side([[x1, y1], [x2, y2]], [x, y]) {
  return Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1));
}
