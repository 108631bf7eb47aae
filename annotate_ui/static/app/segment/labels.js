/** Who is in front: the labels of all pixels and the void border between them, as a release derives them. */

import { paintRings } from "./rings.js";

/** @import {Size} from "../geometry/pixels.js" */
/** @import {Objects} from "../state/objects.js" */

export const VOID = 255;

/**
 * The number of the object that each pixel shows, from 1 on in the order of the list, or 0.
 * @param {Objects} objects
 * @param {Size} size
 */
export function labelPixels(objects, size) {
  const labels = new Uint8Array(size[0] * size[1]);
  const back = objects.map((object, index) => ({ object, label: index + 1 }));
  back.sort((one, other) => (one.object.depth ?? 0) - (other.object.depth ?? 0));
  for (const { object, label } of back) paintRings(object.rings ?? [], size, labels, label);
  return labels;
}

/**
 * The labels with void: the border between any two of them, and all of what is difficult or a void region.
 * @param {Uint8Array} labels
 * @param {Objects} objects
 * @param {Size} size
 * @param {number} voidWidthPx
 */
export function addVoid(labels, objects, size, voidWidthPx) {
  const result = labels.slice();
  const whole = objects.map(({ difficult, isVoid }) => Boolean(difficult || isVoid));
  if (whole.includes(true)) {
    for (let at = 0; at < labels.length; at += 1) if (whole[labels[at] - 1]) result[at] = VOID;
  }
  const offsets = offsetsWithin(voidWidthPx);
  const [width, height] = size;
  // Between any two labels, the nearest pixel of the other one has a neighbour with another label.
  for (let row = 0, at = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1, at += 1) {
      const label = labels[at];
      const isInside =
        (column === 0 || labels[at - 1] === label) &&
        (column === width - 1 || labels[at + 1] === label) &&
        (row === 0 || labels[at - width] === label) &&
        (row === height - 1 || labels[at + width] === label);
      for (let step = 0; !isInside && step < offsets.length; step += 2) {
        const x = column + offsets[step];
        const y = row + offsets[step + 1];
        const other = y * width + x;
        if (x >= 0 && y >= 0 && x < width && y < height && labels[other] !== label) result[other] = VOID;
      }
    }
  }
  return result;
}

/** The pixels whose square is within half the width of a border: dx and dy in turns. @param {number} widthPx */
function offsetsWithin(widthPx) {
  const reach = Math.ceil((widthPx + 1) / 2);
  const line = Array.from({ length: 2 * reach + 1 }, (_, index) => index - reach);
  const far = (/** @type {number} */ step) => Math.max(2 * Math.abs(step) - 1, 0) ** 2;
  return Int8Array.from(line.flatMap((dx) => line.filter((dy) => far(dx) + far(dy) <= widthPx ** 2).flatMap((dy) => [dx, dy])));
}
