/** Free functions over VOC boxes; every result lies inside the image. */

import { within } from "./pixels.js";

/** @import {Point, Side, Size, VocBox} from "./types.js" */

/** Where each side stands in a box. @type {readonly Side[]} */
const SIDES = ["xmin", "ymin", "xmax", "ymax"];

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

/**
 * @param {VocBox} first
 * @param {VocBox} second
 */
export function isSameBox(first, second) {
  return first.every((value, index) => value === second[index]);
}

/**
 * Whether both sides of a box have at least this many pixels.
 * @param {VocBox} box
 * @param {number} minPx
 */
export function isLargeEnough(box, minPx) {
  return widthPx(box) >= minPx && heightPx(box) >= minPx;
}

/**
 * Whether a side lies on the outermost pixels of the image.
 * @param {VocBox} box
 * @param {Size} size
 */
export function touchesBorder([xmin, ymin, xmax, ymax], [width, height]) {
  return xmin <= 1 || ymin <= 1 || xmax >= width || ymax >= height;
}

/** Whether a point of the image lies in the box. @type {(box: VocBox, point: Point) => boolean} */
export function holdsPoint([xmin, ymin, xmax, ymax], [x, y]) {
  return x >= xmin - 1 && x <= xmax && y >= ymin - 1 && y <= ymax;
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
 * The box with one side moved by whole pixels, inside the image. It keeps `minPx` pixels; a side that is
 * already closer to its opposite may stay, but comes no closer.
 * @type {(box: VocBox, side: Side, delta: number, size: Size, minPx: number) => VocBox}
 */
export function moveSide(box, side, delta, size, minPx) {
  const place = SIDES.indexOf(side);
  const now = box[place];
  const opposite = box[(place + 2) % 4];
  const [least, most] =
    place < 2
      ? [1, Math.max(now, opposite - minPx + 1)]
      : [Math.min(now, opposite + minPx - 1), size[place - 2]];
  const moved = within(now + Math.round(delta), least, most);
  return /** @type {[number, number, number, number]} */ (box.with(place, moved));
}
