/** What lies under a point: handles and outline of the selected box, and the boxes themselves. */

import { areaPx, holdsPoint, moveSide } from "./boxes.js";
import { edgesOf } from "./pixels.js";

/** @import {Handle, Point, Side, Size, VocBox} from "./types.js" */

/** Corners first: where handles lie close together, the corner is meant. @type {Handle[]} */
export const HANDLES = ["nw", "ne", "se", "sw", "n", "e", "s", "w"];

/** @type {Readonly<Record<string, Side>>} */
const SIDES = { n: "ymin", e: "xmax", s: "ymax", w: "xmin" };

/** The sides that a handle moves. @param {Handle} handle */
export function sidesOf(handle) {
  return [...handle].map((letter) => SIDES[letter]);
}

/**
 * Where a handle is, in image coordinates.
 * @param {VocBox} box
 * @param {Handle} handle
 * @returns {Point}
 */
export function placeOfHandle(box, handle) {
  const { left, top, right, bottom } = edgesOf(box);
  const x = handle.includes("w") ? left : handle.includes("e") ? right : (left + right) / 2;
  const y = handle.includes("n") ? top : handle.includes("s") ? bottom : (top + bottom) / 2;
  return [x, y];
}

/**
 * The handle within `reach` image pixels of a point, or null.
 * @type {(box: VocBox, point: Point, reach: number) => Handle | null}
 */
export function handleAt(box, [x, y], reach) {
  const near = handlesShown(box, reach).find((handle) => {
    const [hx, hy] = placeOfHandle(box, handle);
    return Math.abs(hx - x) <= reach && Math.abs(hy - y) <= reach;
  });
  return near ?? null;
}

/**
 * The handles that have room on the box.
 * @param {VocBox} box
 * @param {number} reach in image pixels
 */
export function handlesShown(box, reach) {
  const { left, top, right, bottom } = edgesOf(box);
  return HANDLES.filter((handle) => {
    if (handle.length === 2) return true;
    const length = handle === "n" || handle === "s" ? right - left : bottom - top;
    return length >= reach * 6;
  });
}

/**
 * Whether within `reach` image pixels of its outline.
 * @param {VocBox} box
 * @param {Point} point
 * @param {number} reach
 */
export function isOnOutline(box, [x, y], reach) {
  const { left, top, right, bottom } = edgesOf(box);
  const isNearX = Math.min(Math.abs(x - left), Math.abs(x - right)) <= reach;
  const isNearY = Math.min(Math.abs(y - top), Math.abs(y - bottom)) <= reach;
  const isInX = x >= left - reach && x <= right + reach;
  const isInY = y >= top - reach && y <= bottom + reach;
  return (isNearX && isInY) || (isNearY && isInX);
}

/**
 * The box with a handle dragged by (dx, dy) image pixels from where it was grabbed.
 * @type {(box: VocBox, handle: Handle, delta: Point, size: Size, minPx: number) => VocBox}
 */
export function dragHandle(box, handle, [dx, dy], size, minPx) {
  return sidesOf(handle).reduce(
    (shape, side) => moveSide(shape, side, side.startsWith("x") ? dx : dy, size, minPx),
    box,
  );
}

/**
 * What lies under a point, the smallest first, since it is the hardest to hit.
 * @template {{box: VocBox}} T
 * @param {readonly T[]} shapes
 * @param {Point} point
 */
export function shapesAt(shapes, point) {
  return shapes
    .filter(({ box }) => holdsPoint(box, point))
    .sort((first, second) => areaPx(first.box) - areaPx(second.box));
}

/**
 * The shape that a click means: the next below the selected one, else the topmost, else null.
 * @type {<T>(stack: readonly T[], isSelected: (shape: T) => boolean) => T | null}
 */
export function nextInStack(stack, isSelected) {
  const selected = stack.findIndex(isSelected);
  return stack[(selected + 1) % stack.length] ?? null;
}
