/**
 * Rings and pixels: filling, tracing along pixel edges, labels and void; vockit/format/rings.py fills by the same integers.
 *
 * A ring is flat: [x0, y0, x1, y1, …] in pixel corners, closed implicitly. The rings of an object are
 * filled by the even-odd rule, and a pixel is inside where its middle is.
 */

/** @import {Size} from "../geometry/types.js" */
/** @import {Objects} from "../state/types.js" */
/** @import {Rings} from "../types.js" */

export const VOID = 255;

/**
 * Writes a value into every pixel of the rings, row by row.
 * @param {Rings} rings
 * @param {Size} size
 * @param {Uint8Array} pixels of the whole image
 * @param {number} value
 */
export function paintRings(rings, [width, height], pixels, value) {
  const rows = crossings(rings, [width, height]);
  for (const [row, columns] of rows) {
    columns.sort((first, second) => first - second);
    for (let at = 0; at + 1 < columns.length; at += 2) {
      pixels.fill(value, row * width + columns[at], row * width + columns[at + 1]);
    }
  }
}

/**
 * The pixels of the rings as ones.
 * @param {Rings} rings
 * @param {Size} size
 */
export function fillRings(rings, size) {
  const mask = new Uint8Array(size[0] * size[1]);
  paintRings(rings, size, mask, 1);
  return mask;
}

/**
 * For each row, the columns from which on an edge turns inside into outside or back.
 * @type {(rings: Rings, size: Size) => Map<number, number[]>}
 */
function crossings(rings, [width, height]) {
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  for (const ring of rings) {
    for (let at = 0; at < ring.length; at += 2) {
      const next = (at + 2) % ring.length;
      const isDown = ring[at + 1] < ring[next + 1];
      const [top, end] = isDown ? [at, next] : [next, at];
      const x1 = ring[top];
      const y1 = ring[top + 1];
      const dx = ring[end] - ring[top];
      const dy = ring[end + 1] - ring[top + 1];
      for (let row = Math.max(y1, 0); row < Math.min(y1 + dy, height); row += 1) {
        // The first column whose middle lies right of the crossing, which is a fraction over 2 dy.
        const crossing = 2 * x1 * dy + (2 * (row - y1) + 1) * dx;
        const column = Math.floor((crossing - dy) / (2 * dy)) + 1;
        const known = rows.get(row);
        const kept = Math.min(Math.max(column, 0), width);
        if (known) known.push(kept);
        else rows.set(row, [kept]);
      }
    }
  }
  return rows;
}

/** Right, down, left, up: the pixels of the mask lie on the right. */
const STEPS = /** @type {const} */ ([
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
]);

/**
 * The rings along the pixel edges of a mask; filled again they are the mask. Pixels that touch only
 * at a corner are in rings of their own.
 * @type {(mask: Uint8Array, size: Size) => Rings}
 */
export function traceMask(mask, [width, height]) {
  const wide = width + 1;
  const leaving = edgesOfMask(mask, [width, height]);
  const rings = [];
  for (let start = 0; start < leaving.length; start += 1) {
    while (leaving[start] !== 0) {
      const ring = /** @type {number[]} */ ([]);
      let at = start;
      let heading = -1;
      do {
        const lowest = 31 - Math.clz32(leaving[at] & -leaving[at]);
        const turned = heading < 0 ? lowest : turn(leaving[at], heading);
        if (turned !== heading) ring.push(at % wide, Math.floor(at / wide));
        heading = turned;
        leaving[at] &= ~(1 << heading);
        at += STEPS[heading][0] + STEPS[heading][1] * wide;
      } while (at !== start || leaving[start] & (1 << ((heading + 1) % 4)));
      rings.push(ring);
    }
  }
  return rings;
}

/**
 * For each corner of pixels, the directions in which the outline leaves it, as bits.
 * @param {Uint8Array} mask
 * @param {Size} size
 */
function edgesOfMask(mask, [width, height]) {
  const wide = width + 1;
  const leaving = new Uint8Array(wide * (height + 1));
  for (let row = 0, at = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1, at += 1) {
      if (!mask[at]) continue;
      const corner = row * wide + column;
      if (row === 0 || !mask[at - width]) leaving[corner] |= 1;
      if (column === width - 1 || !mask[at + 1]) leaving[corner + 1] |= 2;
      if (row === height - 1 || !mask[at + width]) leaving[corner + wide + 1] |= 4;
      if (column === 0 || !mask[at - 1]) leaving[corner + wide] |= 8;
    }
  }
  return leaving;
}

/**
 * Right where the outline may, so that it stays with its pixel, else on, else left.
 * @param {number} bits
 * @param {number} heading
 */
function turn(bits, heading) {
  const choices = [heading + 1, heading, heading + 3].map((value) => value % 4);
  return /** @type {number} */ (choices.find((value) => bits & (1 << value)));
}

/**
 * The number of the object that each pixel shows, from 1 on, or 0.
 * @param {Objects} objects
 * @param {Size} size
 */
export function labelPixels(objects, size) {
  const labels = new Uint8Array(size[0] * size[1]);
  const back = objects.map((object, index) => ({ object, label: index + 1 }));
  back.sort((first, second) => (first.object.depth ?? 0) - (second.object.depth ?? 0));
  for (const { object, label } of back) paintRings(object.rings ?? [], size, labels, label);
  return labels;
}

/**
 * With void: the border between any two labels, void regions, and difficult objects where the party has them so.
 * @param {Uint8Array} labels
 * @param {Objects} objects
 * @param {Size} size
 * @param {{void_width_px?: number, is_difficult_void?: boolean}} [party]
 */
export function addVoid(labels, objects, size, { void_width_px = 5, is_difficult_void = true } = {}) {
  const result = labels.slice();
  const whole = objects.map(({ difficult, isVoid }) => Boolean((difficult && is_difficult_void) || isVoid));
  if (whole.includes(true)) {
    for (let at = 0; at < labels.length; at += 1) if (whole[labels[at] - 1]) result[at] = VOID;
  }
  const offsets = offsetsWithin(void_width_px);
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
  return Int8Array.from(
    line.flatMap((dx) => line.filter((dy) => far(dx) + far(dy) <= widthPx ** 2).flatMap((dy) => [dx, dy])),
  );
}
