/** Where the names of boxes have room on the screen. */

/** @import {Frame, Point, Size, Wanted} from "./types.js" */

/** The share of the stage above which names hide the picture. */
const MOST_SHARE = 0.2;

/**
 * Whether the names, each `heightPx` high, would hide the picture.
 * @param {readonly Wanted[]} wanted
 * @param {Size} stage
 * @param {number} heightPx
 */
export function isDense(wanted, [width, height], heightPx) {
  const covered = wanted.reduce((sum, label) => sum + label.width * heightPx, 0);
  return covered > MOST_SHARE * width * height;
}

/**
 * The top-left corner of each name: above its box where it can be, nowhere over another name, and
 * on the stage; null where there is no such place. Those that come first choose first.
 * @type {(wanted: readonly Wanted[], stage: Size, heightPx: number) => (Point | null)[]}
 */
export function placeLabels(wanted, stage, heightPx) {
  /** @type {{x: number, y: number, width: number}[]} */
  const taken = [];
  return wanted.map(({ frame, width }) => {
    const isFree = (/** @type {Point} */ [x, y]) =>
      taken.every(
        (other) => x >= other.x + other.width || other.x >= x + width || Math.abs(y - other.y) >= heightPx,
      );
    const place = placesFor(frame, width, stage, heightPx).find(isFree);
    if (place) taken.push({ x: place[0], y: place[1], width });
    return place ?? null;
  });
}

/**
 * Above at the left, inside, above at the right, below: what lies on the stage of these, and
 * nothing where the box itself does not.
 * @type {(frame: Frame, width: number, stage: Size, heightPx: number) => Point[]}
 */
export function placesFor(frame, width, stage, heightPx) {
  const isAcross = frame.x < stage[0] && frame.x + frame.width > 0;
  if (!isAcross || frame.y >= stage[1] || frame.y + frame.height <= 0) return [];
  const left = Math.max(Math.min(frame.x - 1, stage[0] - width), 0);
  const right = Math.max(Math.min(frame.x + frame.width + 1 - width, stage[0] - width), 0);
  const above = frame.y - heightPx - 1;
  const inside = Math.max(frame.y, 0) + 2;
  const below = frame.y + frame.height + 1;
  const places = /** @type {Point[]} */ ([
    [left, above],
    [left, inside],
    [right, above],
    [left, below],
    [right, below],
  ]);
  return places.filter(([, y]) => y >= 0 && y + heightPx <= stage[1]);
}
