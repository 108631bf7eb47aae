/** Laying one image's frame over another's, by the map that registration found. */

/** @import {FrameMap} from "../state/types.js" */
/** @import {Matrix} from "./types.js" */

/** @type {Matrix} */
export const IDENTITY = [1, 0, 0, 1, 0, 0];

/**
 * The matrix from the other image to the kept one, both with sides of 1; frames are laid edge on
 * edge where registration found nothing.
 * @param {FrameMap | null} map
 * @param {number} otherId
 * @returns {Matrix}
 */
export function otherToKept(map, otherId) {
  if (!map) return IDENTITY;
  const [xx, xy, x, yx, yy, y] = map.numbers;
  const matrix = /** @type {Matrix} */ ([xx, yx, xy, yy, x, y]);
  return map.from === otherId ? matrix : (invert(matrix) ?? IDENTITY);
}

/** The matrix back, or null where there is none. @param {Matrix} matrix @returns {Matrix | null} */
export function invert([a, b, c, d, e, f]) {
  const area = a * d - b * c;
  if (!Number.isFinite(area) || Math.abs(area) < 1e-9) return null;
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area];
}

/**
 * The largest size within a space that keeps the shape; nothing is shown more than twice as large.
 * @param {{width: number, height: number}} image
 * @param {{width: number, height: number}} space
 */
export function fitInto(image, space) {
  const scale = Math.min(space.width / image.width, space.height / image.height, 2);
  const size = (/** @type {number} */ px) => Math.max(Math.round(px * scale), 1);
  return { width: size(image.width), height: size(image.height) };
}
