/** Corners of outlines: where a point snaps to, which of a freehand line are kept, and those of rings. */

import { edgesOf, nearestCorner, within } from "../geometry/pixels.js";

/** @import {Point, Size} from "../geometry/types.js" */
/** @import {Annotated, Ring, Rings} from "../types.js" */

const SNAP_PX = 3;
/** How far a freehand line may lie from what is kept of it. */
const SLACK_PX = 0.6;

/**
 * The corner of pixels nearest to a point, or on the side of the object's box that it is near to.
 * @type {(point: Point, object: Annotated, size: Size) => Point}
 */
export function snapCorner(point, { box, isVoid }, size) {
  const at = nearestCorner(point, size);
  if (isVoid) return at;
  const { left, top, right, bottom } = edgesOf(box);
  const isNear =
    at[0] >= left - SNAP_PX &&
    at[0] <= right + SNAP_PX &&
    at[1] >= top - SNAP_PX &&
    at[1] <= bottom + SNAP_PX;
  if (!isNear) return at;
  const pull = (/** @type {number} */ value, /** @type {number[]} */ sides) =>
    sides.find((side) => Math.abs(side - value) <= SNAP_PX) ?? value;
  return [pull(at[0], [left, right]), pull(at[1], [top, bottom])];
}

/**
 * @param {Ring} ring
 * @param {readonly Point[]} corners
 * @returns {number[]} those that differ from the one before
 */
export function dropRepeated(ring, corners) {
  let [x, y] = ring.slice(-2);
  return corners.flatMap((corner) => {
    const isSame = corner[0] === x && corner[1] === y;
    [x, y] = corner;
    return isSame ? [] : corner;
  });
}

/**
 * Fewer points, none of the others farther from their line than the slack (Douglas and Peucker, 1973).
 * @type {(points: readonly Point[], slackPx?: number) => readonly Point[]}
 */
export function simplify(points, slackPx = SLACK_PX) {
  if (points.length < 3) return points;
  const first = points[0];
  const last = points[points.length - 1];
  const distances = points.map((point) => distanceTo(point, first, last));
  const farthest = distances.indexOf(Math.max(...distances));
  if (distances[farthest] <= slackPx) return [first, last];
  const before = simplify(points.slice(0, farthest + 1), slackPx);
  return [...before.slice(0, -1), ...simplify(points.slice(farthest), slackPx)];
}

/**
 * From a point to a piece of a line.
 * @param {Point} point
 * @param {Point} from
 * @param {Point} to
 */
export function distanceTo([x, y], [x1, y1], [x2, y2]) {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const share = length === 0 ? 0 : within(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length, 0, 1);
  return Math.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1));
}

/**
 * @param {Pick<Annotated, "rings">} object
 * @returns {Rings}
 */
export function ringsOf({ rings }) {
  return rings ?? [];
}

/**
 * The corners of all rings, one after the other.
 * @param {Rings} rings
 * @returns {Point[]}
 */
export function cornersOf(rings) {
  return rings.flatMap((ring) =>
    Array.from(
      { length: ring.length / 2 },
      (_, at) => /** @type {const} */ ([ring[2 * at], ring[2 * at + 1]]),
    ),
  );
}

/**
 * Each corner with the next one of its ring.
 * @param {Rings} rings
 * @returns {[Point, Point][]}
 */
export function linesOf(rings) {
  return rings.flatMap((ring) => {
    const corners = cornersOf([ring]);
    return corners.map(
      (corner, at) => /** @type {[Point, Point]} */ ([corner, corners[(at + 1) % corners.length]]),
    );
  });
}

/**
 * The rings with one corner moved, added behind it (`isNew`), or removed (null); a ring of two corners goes.
 * @type {(rings: Rings, index: number, point: Point | null, isNew?: boolean) => Rings}
 */
export function changeCorner(rings, index, point, isNew = false) {
  let start = index;
  return rings.flatMap((ring) => {
    const at = start;
    start -= ring.length / 2;
    if (at < 0 || start >= 0) return [ring];
    const changed = ring.toSpliced(2 * at + (isNew ? 2 : 0), isNew ? 0 : 2, ...(point ?? []));
    return changed.length < 6 ? [] : [changed];
  });
}
