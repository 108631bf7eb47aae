/** Where the magnifier stands beside the hand, and how much it magnifies. */

import { within } from "./pixels.js";

/** @typedef {import("./pixels.js").Point} Point */
/** @typedef {import("./pixels.js").Size} Size */

export const LOUPE_PX = 160;
const LEAST_SCALE = 3;
const MOST_SCALE = 16;

/**
 * Screen pixels to a pixel of the image inside the magnifier.
 * @param {number} scale of the view
 */
export function loupeScale(scale) {
  return within(scale * 3, LEAST_SCALE, MOST_SCALE);
}

/**
 * The magnifier's top-left corner: above the hand at the left, else where the stage has room, and
 * never over the place that it shows.
 * @param {Point} hand on the screen
 * @param {Size} stage
 * @param {number} distancePx from the hand
 * @returns {Point}
 */
export function placeLoupe([x, y], [width, height], distancePx) {
  const left = x - LOUPE_PX - distancePx >= 0 ? x - LOUPE_PX - distancePx : x + distancePx;
  const top = y - LOUPE_PX - distancePx >= 0 ? y - LOUPE_PX - distancePx : y + distancePx;
  return [Math.min(left, width - LOUPE_PX), Math.min(top, height - LOUPE_PX)];
}
