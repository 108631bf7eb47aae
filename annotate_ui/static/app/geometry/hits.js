/** Which boxes lie under a point, and which of them a click means. */

import { areaPx, holdsPoint } from "./boxes.js";

/** @typedef {import("./pixels.js").VocBox} VocBox */
/** @typedef {import("./pixels.js").Point} Point */

/**
 * What lies under a point, the smallest first, since it is the hardest to hit.
 * @template {{box: VocBox}} T
 * @param {readonly T[]} shapes
 * @param {Point} point
 * @param {number} [margin] in image pixels
 * @returns {T[]}
 */
export function shapesAt(shapes, point, margin = 0) {
  return shapes
    .filter(({ box }) => holdsPoint(box, point, margin))
    .sort((one, other) => areaPx(one.box) - areaPx(other.box));
}

/**
 * The shape that a click means: the next below the selected one, else the topmost, else null.
 * @template T
 * @param {readonly T[]} stack from the top down
 * @param {(shape: T) => boolean} isSelected
 * @returns {T | null}
 */
export function nextInStack(stack, isSelected) {
  const selected = stack.findIndex(isSelected);
  return stack[(selected + 1) % stack.length] ?? null;
}
