/**
 * The part of the image on the screen and its scale; and one image laid over another.
 *
 * Screen coordinates are CSS pixels from the top-left corner of the stage:
 * screen = image * scale + offset.
 */

import { edgesOf, within } from "./pixels.js";

/** @import {FrameMap} from "../state/types.js" */
/** @import {Matrix, Point, Size, Viewport, VocBox} from "./types.js" */

export const MIN_SCALE = 0.02;
export const MAX_SCALE = 40;
/** Pixels of the image that always stay on the stage, so that it cannot be lost. */
const ALWAYS_SEEN_PX = 48;
/** Around an image that is seen whole. */
const MARGIN_PX = 16;

/** From image to screen coordinates. @type {(viewport: Viewport, point: Point) => Point} */
export function toScreen({ scale, x, y }, [ix, iy]) {
  return [ix * scale + x, iy * scale + y];
}

/** From screen to image coordinates. @type {(viewport: Viewport, point: Point) => Point} */
export function toImage({ scale, x, y }, [sx, sy]) {
  return [(sx - x) / scale, (sy - y) / scale];
}

/** The whole image, as large as the stage allows, in its middle. @type {(image: Size, stage: Size) => Viewport} */
export function fit([width, height], stage) {
  const room = stage.map((side) => Math.max(side - 2 * MARGIN_PX, 1));
  const scale = limitScale(Math.min(room[0] / width, room[1] / height));
  return centre([width / 2, height / 2], scale, stage);
}

/**
 * One image pixel to `scale` screen pixels, with the middle of the stage where it was.
 * @type {(viewport: Viewport, scale: number, image: Size, stage: Size) => Viewport}
 */
export function zoomTo(viewport, scale, image, stage) {
  return zoomAt(viewport, scale / viewport.scale, [stage[0] / 2, stage[1] / 2], image, stage);
}

/**
 * Larger or smaller by a factor, with the image under `at` (in screen coordinates) staying under it.
 * @type {(viewport: Viewport, factor: number, at: Point, image: Size, stage: Size) => Viewport}
 */
export function zoomAt(viewport, factor, at, image, stage) {
  const scale = limitScale(viewport.scale * factor);
  const [ix, iy] = toImage(viewport, at);
  return keepSeen({ scale, x: at[0] - ix * scale, y: at[1] - iy * scale }, image, stage);
}

/** The view with a box in the middle, filling 60 % of the stage or 16 times its size. @type {(box: VocBox, stage: Size) => Viewport} */
export function zoomToBox(box, stage) {
  const { left, top, right, bottom } = edgesOf(box);
  const room = Math.min(stage[0] / (right - left), stage[1] / (bottom - top));
  const scale = limitScale(Math.min(room * 0.6, 16));
  return centre([(left + right) / 2, (top + bottom) / 2], scale, stage);
}

/** Moved by screen pixels. @type {(viewport: Viewport, dx: number, dy: number, image: Size, stage: Size) => Viewport} */
export function panBy({ scale, x, y }, dx, dy, image, stage) {
  return keepSeen({ scale, x: x + dx, y: y + dy }, image, stage);
}

/**
 * Moved just so far that a point of the image is `marginPx` inside the stage; the same view where it is.
 * @type {(viewport: Viewport, point: Point, stage: Size, marginPx?: number) => Viewport}
 */
export function reveal(viewport, point, [width, height], marginPx = 24) {
  const [sx, sy] = toScreen(viewport, point);
  const dx = within(sx, marginPx, Math.max(width - marginPx, marginPx)) - sx;
  const dy = within(sy, marginPx, Math.max(height - marginPx, marginPx)) - sy;
  if (dx === 0 && dy === 0) return viewport;
  return { ...viewport, x: viewport.x + dx, y: viewport.y + dy };
}

/** The view with a point of the image in the middle of the stage. @type {(point: Point, scale: number, stage: Size) => Viewport} */
function centre([ix, iy], scale, [width, height]) {
  return { scale, x: width / 2 - ix * scale, y: height / 2 - iy * scale };
}

/** @param {number} scale */
function limitScale(scale) {
  return within(scale, MIN_SCALE, MAX_SCALE);
}

/**
 * @param {Viewport} viewport
 * @param {Size} image
 * @param {Size} stage
 * @returns {Viewport}
 */
function keepSeen({ scale, x, y }, image, stage) {
  const [left, top] = [0, 1].map((axis) => {
    const length = image[axis] * scale;
    const seen = Math.min(ALWAYS_SEEN_PX, length, stage[axis]);
    return within(axis === 0 ? x : y, seen - length, stage[axis] - seen);
  });
  return { scale, x: left, y: top };
}

export const LOUPE_PX = 160;
const LEAST_SCALE = 3;
const MOST_SCALE = 16;

/** Screen pixels to a pixel of the image inside the magnifier. @param {number} scale of the view */
export function loupeScale(scale) {
  return within(scale * 3, LEAST_SCALE, MOST_SCALE);
}

/**
 * The magnifier's top-left corner: above the cursor at the left, else where the stage has room, and
 * never over the place that it shows; `cursor` and `distancePx` are of the screen.
 * @type {(cursor: Point, stage: Size, distancePx: number) => Point}
 */
export function placeLoupe([x, y], [width, height], distancePx) {
  const left = x - LOUPE_PX - distancePx >= 0 ? x - LOUPE_PX - distancePx : x + distancePx;
  const top = y - LOUPE_PX - distancePx >= 0 ? y - LOUPE_PX - distancePx : y + distancePx;
  return [Math.min(left, width - LOUPE_PX), Math.min(top, height - LOUPE_PX)];
}

/** @type {Matrix} */
export const IDENTITY = [1, 0, 0, 1, 0, 0];

/**
 * The matrix from the other image to the kept one, both with sides of 1; the identity where registration
 * found nothing.
 * @type {(map: FrameMap | null, otherId: number) => Matrix}
 */
export function otherToKept(map, otherId) {
  if (!map) return IDENTITY;
  const [xx, xy, x, yx, yy, y] = map.numbers;
  const matrix = /** @type {Matrix} */ ([xx, yx, xy, yy, x, y]);
  return map.from === otherId ? matrix : (invert(matrix) ?? IDENTITY);
}

/**
 * The matrix to the kept image from the one that the map is from, as the boxes of its pair are.
 * @type {(map: FrameMap | null, otherId: number) => Matrix}
 */
export function boxesToKept(map, otherId) {
  return map?.from === otherId ? otherToKept(map, otherId) : IDENTITY;
}

/**
 * The matrix back, or null where there is none.
 * @param {Matrix} matrix
 * @returns {Matrix | null}
 */
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
