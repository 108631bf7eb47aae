/** One box that is drawn on a picture, by pointer or by keyboard: two corners, in pixels of the image. */

/** @import {BoxByHand, Xyxy} from "./types.js" */

const STEP_SHARE = 0.02; // of the longer side, for one press of an arrow

/** @param {{width: number, height: number}} size @returns {BoxByHand} */
export function startBox({ width, height }) {
  return { width, height, at: [Math.ceil(width / 2), Math.ceil(height / 2)], from: null, isDone: false };
}

/**
 * The cursor moves to a point, which is kept inside the image.
 * @param {BoxByHand} drawn
 * @param {number} x
 * @param {number} y
 * @returns {BoxByHand}
 */
export function moveTo(drawn, x, y) {
  const keep = (/** @type {number} */ value, /** @type {number} */ most) =>
    Math.min(Math.max(Math.round(value), 1), most);
  return { ...drawn, at: [keep(x, drawn.width), keep(y, drawn.height)] };
}

/**
 * The cursor moves by an arrow: by a step, or finely by a pixel.
 * @param {BoxByHand} drawn
 * @param {readonly [number, number]} direction
 * @param {boolean} isFine
 */
export function moveBy(drawn, [right, down], isFine) {
  const step = isFine ? 1 : Math.max(1, Math.round(Math.max(drawn.width, drawn.height) * STEP_SHARE));
  return moveTo(drawn, drawn.at[0] + right * step, drawn.at[1] + down * step);
}

/** The cursor is a corner: the first one, or the one that ends the box. @param {BoxByHand} drawn @returns {BoxByHand} */
export function setCorner(drawn) {
  if (drawn.from === null || drawn.isDone) return { ...drawn, from: drawn.at, isDone: false };
  return { ...drawn, isDone: true };
}

/** The box so far, both ends inside; null before the first corner. @param {BoxByHand} drawn @returns {Xyxy | null} */
export function boxOf({ from, at }) {
  if (from === null) return null;
  return [
    Math.min(from[0], at[0]),
    Math.min(from[1], at[1]),
    Math.max(from[0], at[0]),
    Math.max(from[1], at[1]),
  ];
}
