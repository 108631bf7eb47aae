/**
 * The one place where pixel edges become VOC's integers.
 *
 * Image coordinates are continuous: (0, 0) is the outer corner of the top-left pixel, (1, 1) its
 * inner corner. A VOC box names whole pixels, 1-based, both ends inside (VOC2011 development kit,
 * section 3.4.2), so pixel p covers the edges p - 1 to p.
 */

/** @import {Edges, Point, Size, VocBox} from "./types.js" */

/**
 * The edges that a box is drawn with.
 * @param {VocBox} box
 * @returns {Edges}
 */
export function edgesOf([xmin, ymin, xmax, ymax]) {
  return { left: xmin - 1, top: ymin - 1, right: xmax, bottom: ymax };
}

/** The nearest box inside the image, one pixel large or more. @type {(edges: Edges, size: Size) => VocBox} */
export function boxOfEdges({ left, top, right, bottom }, [width, height]) {
  const [xmin, xmax] = spanOfEdges(left, right, width);
  const [ymin, ymax] = spanOfEdges(top, bottom, height);
  return [xmin, ymin, xmax, ymax];
}

/** The smallest box that holds every point. @type {(points: readonly Point[], size: Size) => VocBox} */
export function boxOfPoints(points, size) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return boxOfEdges({ left, top, right: Math.max(...xs), bottom: Math.max(...ys) }, size);
}

/** The pixel, 1-based, that holds a point or is nearest to it. @type {(point: Point, size: Size) => Point} */
export function pixelAt([x, y], [width, height]) {
  return [within(Math.floor(x) + 1, 1, width), within(Math.floor(y) + 1, 1, height)];
}

/**
 * The middle of a pixel, in image coordinates.
 * @param {Point} pixel
 * @returns {Point}
 */
export function middleOfPixel([x, y]) {
  return [x - 0.5, y - 0.5];
}

/** The nearest corner of pixels: where an edge drawn there lies. @type {(point: Point, size: Size) => Point} */
export function nearestCorner([x, y], [width, height]) {
  return [within(Math.round(x), 0, width), within(Math.round(y), 0, height)];
}

/**
 * @param {Point} first
 * @param {Point} second
 */
export function distance(first, second) {
  return Math.hypot(first[0] - second[0], first[1] - second[1]);
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
export function within(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/**
 * The first and the last pixel between two edges of one axis.
 * @type {(low: number, high: number, length: number) => [number, number]}
 */
function spanOfEdges(low, high, length) {
  const first = within(Math.round(low), 0, length);
  const last = within(Math.round(high), 0, length);
  if (last > first) return [first + 1, last];
  const only = Math.min(first + 1, length);
  return [only, only];
}
