/** Free functions over VOC boxes; every result lies inside the image. */

import { within } from "./pixels.js";

/** @import {Point, Side, Size, VocBox} from "./types.js" */

/** @type {Readonly<Record<Side, 0 | 1 | 2 | 3>>} where each side stands in a box */
const PLACE = { xmin: 0, ymin: 1, xmax: 2, ymax: 3 };

/** @param {VocBox} box */
export function widthPx([xmin, , xmax]) {
  return xmax - xmin + 1;
}

/** @param {VocBox} box */
export function heightPx([, ymin, , ymax]) {
  return ymax - ymin + 1;
}

/** @param {VocBox} box */
export function areaPx(box) {
  return widthPx(box) * heightPx(box);
}

/** @param {VocBox} one @param {VocBox} other */
export function isSameBox(one, other) {
  return one.every((value, index) => value === other[index]);
}

/** Whether both sides of a box have at least this many pixels. @param {VocBox} box @param {number} minPx */
export function isLargeEnough(box, minPx) {
  return widthPx(box) >= minPx && heightPx(box) >= minPx;
}

/** Whether a side lies on the outermost pixels of the image. @param {VocBox} box @param {Size} size */
export function touchesBorder([xmin, ymin, xmax, ymax], [width, height]) {
  return xmin <= 1 || ymin <= 1 || xmax >= width || ymax >= height;
}

/**
 * Whether a point, in image coordinates, lies in the box or within `margin` of it.
 * @type {(box: VocBox, point: Point, margin?: number) => boolean}
 */
export function holdsPoint([xmin, ymin, xmax, ymax], [x, y], margin = 0) {
  const inX = x >= xmin - 1 - margin && x <= xmax + margin;
  return inX && y >= ymin - 1 - margin && y <= ymax + margin;
}

/**
 * The box moved by whole pixels, as far as the image lets it, its size unchanged.
 * @type {(box: VocBox, dx: number, dy: number, size: Size) => VocBox}
 */
export function moveBox([xmin, ymin, xmax, ymax], dx, dy, [width, height]) {
  const right = within(Math.round(dx), 1 - xmin, width - xmax);
  const down = within(Math.round(dy), 1 - ymin, height - ymax);
  return [xmin + right, ymin + down, xmax + right, ymax + down];
}

/**
 * The box with one side moved by whole pixels; it keeps `minPx` pixels and stays in the image.
 * @type {(box: VocBox, side: Side, delta: number, size: Size, minPx: number) => VocBox}
 */
export function moveSide(box, side, delta, size, minPx) {
  const [least, most] = rangeOfSide(box, side, size, minPx);
  const moved = /** @type {[number, number, number, number]} */ ([...box]);
  moved[PLACE[side]] = within(box[PLACE[side]] + Math.round(delta), least, most);
  return moved;
}

/**
 * A side that is already closer than `minPx` to its opposite may stay, but comes no closer.
 * @type {(box: VocBox, side: Side, size: Size, minPx: number) => [number, number]}
 */
function rangeOfSide([xmin, ymin, xmax, ymax], side, [width, height], minPx) {
  switch (side) {
    case "xmin":
      return [1, Math.max(xmin, xmax - minPx + 1)];
    case "ymin":
      return [1, Math.max(ymin, ymax - minPx + 1)];
    case "xmax":
      return [Math.min(xmax, xmin + minPx - 1), width];
    case "ymax":
      return [Math.min(ymax, ymin + minPx - 1), height];
  }
}
