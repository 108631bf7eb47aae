/**
 * Where a picture has edges, for the live-wire: at each corner of pixels, what it costs to go through it and in which
 * direction its edge runs. The features are those of Mortensen and Barrett (SIGGRAPH 1995): zero crossing of the
 * Laplacian and strength of the gradient, here, and change of direction, in wire.js.
 */

/** @import {Size} from "../geometry/types.js" */

/**
 * `size` counts corners, one more than pixels; `costs` are at most MOST_COST, and least on a clear edge; `headings`
 * are sixteenths of a turn, with the brighter side on the left.
 * @typedef {{size: Size, costs: Uint8Array, headings: Uint8Array}} Edges
 */

const CHANNELS = 3;
/** What the length alone costs: without it, a path would wander along every grain. */
const LENGTH = 8;
const CROSSING = 27;
const STRENGTH = 9;
export const MOST_COST = LENGTH + CROSSING + STRENGTH;
/** The border of the picture is as an edge, since objects end there. */
const BORDER = LENGTH + 1;
/** The gradient, in levels a pixel, from which on an edge is as clear as any. */
const CLEAR_LEVELS = 40;
/** Below this it is noise, and the Laplacian crosses zero everywhere. */
const NOISE_LEVELS = 2;
const ROWS_A_SLICE = 32;

/**
 * The edges of a picture in slices of a few milliseconds: each step does one, the last one returns them.
 * @type {(rgba: Uint8ClampedArray, size: Size) => Generator<undefined, Edges, undefined>}
 */
export function* findEdges(rgba, [width, height]) {
  /** @type {Float32Array[]} */
  const planes = [];
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    planes.push(smooth(rgba, channel, [width, height]));
    yield;
  }
  const size = /** @type {const} */ ([width + 1, height + 1]);
  const costs = new Uint8Array(size[0] * size[1]).fill(MOST_COST);
  const headings = new Uint8Array(costs.length);
  const edges = { size, costs, headings };
  markBorder(edges);
  for (let top = 2; top < height - 1; top += ROWS_A_SLICE) {
    for (let row = top; row < Math.min(top + ROWS_A_SLICE, height - 1); row += 1)
      judgeRow(edges, planes, row);
    yield;
  }
  return edges;
}

/**
 * One channel, smoothed by 1 4 6 4 1 along both axes; what lies outside of the picture is as its border.
 * @type {(rgba: Uint8ClampedArray, channel: number, size: Size) => Float32Array}
 */
function smooth(rgba, channel, [width, height]) {
  const plane = new Float32Array(width * height);
  for (let at = 0; at < plane.length; at += 1) plane[at] = rgba[4 * at + channel];
  return smoothAlong(smoothAlong(plane, width, 1, height, width), height, width, width, 1);
}

/**
 * Smoothed along one axis: `count` lines of `length` values, which are `step` and lines `apart` from each other.
 * @type {(plane: Float32Array, length: number, step: number, count: number, apart: number) => Float32Array}
 */
function smoothAlong(plane, length, step, count, apart) {
  const smoothed = new Float32Array(plane.length);
  for (let line = 0; line < count; line += 1) {
    const first = line * apart;
    const last = first + (length - 1) * step;
    for (let at = first; at <= last; at += step) {
      const near = plane[Math.max(at - step, first)] + plane[Math.min(at + step, last)];
      const far = plane[Math.max(at - 2 * step, first)] + plane[Math.min(at + 2 * step, last)];
      smoothed[at] = (far + 4 * near + 6 * plane[at]) / 16;
    }
  }
  return smoothed;
}

/** @param {Edges} edges */
function markBorder({ size: [wide, high], costs, headings }) {
  costs.fill(BORDER, 0, wide);
  costs.fill(BORDER, wide * (high - 1));
  for (let at = 0; at < costs.length; at += wide) {
    costs[at] = costs[at + wide - 1] = BORDER;
    headings[at] = headings[at + wide - 1] = 4; // down
  }
}

/**
 * The corners of one row, each by the channel whose gradient is the strongest there.
 * @type {(edges: Edges, planes: readonly Float32Array[], row: number) => void}
 */
function judgeRow({ size, costs, headings }, planes, row) {
  const width = size[0] - 1;
  for (let column = 2; column < width - 1; column += 1) {
    const at = row * width + column; // the pixel right below the corner
    let most = -1;
    let dx = 0;
    let dy = 0;
    let strongest = planes[0];
    for (const plane of planes) {
      const down = plane[at] - plane[at - width - 1];
      const up = plane[at - width] - plane[at - 1];
      const strength = down * down + up * up;
      if (strength <= most) continue;
      most = strength;
      dx = down + up;
      dy = down - up;
      strongest = plane;
    }
    const levels = Math.sqrt(most / 2);
    const corner = row * size[0] + column;
    const isCrossing = levels >= NOISE_LEVELS && crossesZero(strongest, at, width);
    const weakness = 1 - Math.min(levels / CLEAR_LEVELS, 1);
    costs[corner] = LENGTH + (isCrossing ? 0 : CROSSING) + Math.round(STRENGTH * weakness);
    headings[corner] = Math.round((Math.atan2(-dx, dy) / (2 * Math.PI)) * 16 + 16) & 15;
  }
}

/**
 * Whether the Laplacian has both signs among the four pixels around a corner.
 * @param {Float32Array} plane
 * @param {number} at the pixel right below the corner
 * @param {number} width
 */
function crossesZero(plane, at, width) {
  let positive = 0;
  for (const place of [at, at - 1, at - width, at - width - 1]) {
    const around = plane[place - 1] + plane[place + 1] + plane[place - width] + plane[place + width];
    if (around > 4 * plane[place]) positive += 1;
  }
  return positive > 0 && positive < 4;
}
