/**
 * The live-wire ("intelligent scissors", Mortensen and Barrett, SIGGRAPH 1995): from corner to corner of pixels, the way
 * that costs least by the edges of the picture.
 */

import { edgesOf } from "../geometry/pixels.js";
import { selectedObject } from "../state/editor.js";
import { simplify, snapCorner } from "./corners.js";
import { addPiece, closeOutline } from "./outline.js";

/** @import {Edges as Frame, Point, Size} from "../geometry/types.js" */
/** @import {Editor} from "../state/types.js" */
/** @import {Annotated} from "../types.js" */
/** @import {Edges} from "./edges.js" */

/** @typedef {(from: Point, to: Point, frame: Frame) => Point[]} Trace both ends and what lies between */

/** To the right, then clockwise: columns and rows. */
const LINKS = /** @type {const} */ ([
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
]);
/** Lengths of links, about as 1 to the square root of 2. */
const LENGTHS = [5, 7, 5, 7, 5, 7, 5, 7];
const TURN = 27;
const TURNS = makeTurns();
/** More than the longest link at MOST_COST and with the sharpest turn, and a power of two. */
const BUCKETS = 512;
/** A way along edges that costs hardly less than the straight line follows nothing. */
const LEAST_GAIN = 0.9;
/** How far the line may leave the box of its object. */
const MARGIN_PX = 8;
/** How far it may lie from the corners that are kept of it, as in an outline that the server proposes. */
const SLACK_PX = 1;

/**
 * From the end of the selected object's open outline to a point: the corners between, and the point last. Straight
 * without a trace.
 * @type {(trace: Trace | null, editor: Editor, at: Point) => readonly Point[]}
 */
export function leadTo(trace, editor, at) {
  const object = selectedObject(editor);
  return object ? lead(trace, object, snapCorner(at, object, editor.size), editor.size) : [];
}

/** The open outline goes on to a point. @type {(trace: Trace | null, editor: Editor, at: Point) => Editor} */
export function fixPiece(trace, editor, at) {
  return addPiece(editor, () => leadTo(trace, editor, at));
}

/**
 * The open outline is closed along the edge. After two clicks the way back would be the way there, so it is straight.
 * @type {(trace: Trace | null, editor: Editor) => Editor}
 */
export function closeAlong(trace, editor) {
  const object = selectedObject(editor);
  const { points = [], stops = [] } = object?.open ?? {};
  if (!object || stops.length < 3) return closeOutline(editor);
  return closeOutline(editor, lead(trace, object, [points[0], points[1]], editor.size));
}

/** @type {(trace: Trace | null, object: Annotated, to: Point, size: Size) => readonly Point[]} */
function lead(trace, { box, isVoid, open }, to, size) {
  const [x, y] = open?.points.slice(-2) ?? [];
  if (!trace || x === undefined) return [to];
  const way = trace([x, y], to, frameOf(box, isVoid === true, [[x, y], to], size));
  return simplify(way, SLACK_PX).slice(1);
}

/**
 * Where the search stays: around the object's box, or the whole picture where a void region or an end is elsewhere.
 * @type {(box: Annotated["box"], isVoid: boolean, ends: readonly Point[], size: Size) => Frame}
 */
function frameOf(box, isVoid, ends, [width, height]) {
  const whole = { left: 0, top: 0, right: width, bottom: height };
  const { left, top, right, bottom } = edgesOf(box);
  const frame = {
    left: Math.max(left - MARGIN_PX, 0),
    top: Math.max(top - MARGIN_PX, 0),
    right: Math.min(right + MARGIN_PX, width),
    bottom: Math.min(bottom + MARGIN_PX, height),
  };
  const isInside = ends.every(
    ([x, y]) => x >= frame.left && x <= frame.right && y >= frame.top && y <= frame.bottom,
  );
  return isInside && !isVoid ? frame : whole;
}

/**
 * What a link costs by the directions of the edges at both of its ends, at 8 * (16 * start + end) + link.
 * An edge that turns against the other, so that its brighter side changes, costs most.
 */
function makeTurns() {
  const turns = new Uint8Array(16 * 16 * 8);
  const angle = (/** @type {number} */ difference) => Math.acos(Math.cos((difference / 16) * 2 * Math.PI));
  for (let at = 0; at < turns.length; at += 1) {
    const link = 2 * (at & 7);
    const start = angle((at >> 7) - link);
    const isBack = start > Math.PI / 2;
    const end = angle(((at >> 3) & 15) - link);
    const both = isBack ? 2 * Math.PI - start - end : start + end;
    turns[at] = Math.round((TURN * both) / (1.5 * Math.PI));
  }
  return turns;
}

/**
 * Traces ways in a picture of this size, whose edges may be those of a smaller copy. It remembers the search from the
 * last start, so that another end costs only what was not searched yet.
 * @param {Edges} edges
 * @param {Size} size
 * @returns {Trace}
 */
export function createTracer(edges, [width, height]) {
  const across = width / (edges.size[0] - 1);
  const down = height / (edges.size[1] - 1);
  const shrink = (/** @type {Point} */ [x, y]) =>
    /** @type {const} */ ([Math.round(x / across), Math.round(y / down)]);
  let search = /** @type {ReturnType<typeof startSearch> | null} */ (null);
  let searched = "";
  return (from, to, frame) => {
    const [left, top] = shrink([frame.left, frame.top]);
    const [right, bottom] = shrink([frame.right, frame.bottom]);
    const start = shrink(from);
    const wanted = [...start, left, top, right, bottom].join();
    if (wanted !== searched || !search) search = startSearch(edges, start, { left, top, right, bottom });
    searched = wanted;
    const { way, cost } = search(shrink(to));
    if (cost > LEAST_GAIN * costOfWay(edges, listLine(start, shrink(to)))) return [from, to];
    const between = way.slice(1, -1).map(([x, y]) => /** @type {const} */ ([x * across, y * down]));
    return [from, ...between.map(([x, y]) => /** @type {const} */ ([Math.round(x), Math.round(y)])), to];
  };
}

/**
 * Dijkstra's search over the corners of a frame, which goes on until it has reached the end that is asked for. Costs are
 * small integers, so corners wait in buckets (Dial, 1969).
 * @type {(edges: Edges, from: Point, frame: Frame) => (to: Point) => {way: Point[], cost: number}}
 */
function startSearch({ size, costs, headings }, from, { left, top, right, bottom }) {
  const wide = right - left + 1;
  const count = wide * (bottom - top + 1);
  const best = new Int32Array(count).fill(2 ** 31 - 1);
  const cameBy = new Uint8Array(count);
  const isDone = new Uint8Array(count);
  const buckets = Array.from({ length: BUCKETS }, () => /** @type {number[]} */ ([]));
  const place = (/** @type {Point} */ [x, y]) => (y - top) * wide + x - left;
  let waiting = 1;
  let now = 0;
  best[place(from)] = 0;
  buckets[0].push(place(from));

  /** @param {number} at of the frame */
  function settle(at) {
    isDone[at] = 1;
    const column = at % wide;
    const row = (at - column) / wide;
    const corner = (row + top) * size[0] + column + left;
    const turn = headings[corner] << 7;
    for (let link = 0; link < 8; link += 1) {
      const x = column + LINKS[link][0];
      const y = row + LINKS[link][1];
      if (x < 0 || y < 0 || x >= wide || y > bottom - top) continue;
      const next = y * wide + x;
      if (isDone[next]) continue;
      const end = (y + top) * size[0] + x + left;
      const cost = LENGTHS[link] * (costs[end] + TURNS[turn | (headings[end] << 3) | link]);
      const whole = now + cost;
      if (whole >= best[next]) continue;
      best[next] = whole;
      cameBy[next] = link;
      buckets[whole & (BUCKETS - 1)].push(next);
      waiting += 1;
    }
  }

  return (to) => {
    const end = place(to);
    while (!isDone[end] && waiting > 0) {
      const bucket = buckets[now & (BUCKETS - 1)];
      const at = bucket.pop();
      if (at === undefined) {
        now += 1;
        continue;
      }
      waiting -= 1;
      if (!isDone[at]) settle(at);
    }
    const way = /** @type {Point[]} */ ([]);
    for (let at = end; ;) {
      way.push([(at % wide) + left, Math.floor(at / wide) + top]);
      if (best[at] === 0) break;
      at -= LINKS[cameBy[at]][0] + LINKS[cameBy[at]][1] * wide;
    }
    return { way: way.reverse(), cost: best[end] };
  };
}

/**
 * The corners next to a straight line, each one link from the one before.
 * @type {(from: Point, to: Point) => Point[]}
 */
function listLine(from, to) {
  const steps = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
  const along = (/** @type {0 | 1} */ axis, /** @type {number} */ step) =>
    Math.round(from[axis] + ((to[axis] - from[axis]) * step) / Math.max(steps, 1));
  return Array.from(
    { length: steps + 1 },
    (_, step) => /** @type {const} */ ([along(0, step), along(1, step)]),
  );
}

/** @type {(edges: Edges, way: readonly Point[]) => number} */
function costOfWay({ size, costs, headings }, way) {
  let whole = 0;
  for (let step = 1; step < way.length; step += 1) {
    const [x, y] = way[step - 1];
    const dx = way[step][0] - x;
    const dy = way[step][1] - y;
    const link = LINKS.findIndex((steps) => steps[0] === dx && steps[1] === dy);
    const start = y * size[0] + x;
    const end = start + dy * size[0] + dx;
    whole += LENGTHS[link] * (costs[end] + TURNS[(headings[start] << 7) | (headings[end] << 3) | link]);
  }
  return whole;
}
