/**
 * Edits of the outlines: each takes the editor and returns the next one, one history entry later.
 *
 * An object has `rings`, a `depth` (larger is in front), and `open` while an outline of it is not closed.
 */

import { edgesOf } from "../geometry/pixels.js";
import {
  beginAgain,
  changeSelected,
  enter,
  objectsIn,
  refuse,
  select,
  selectedObject,
  stepBack,
} from "../state/editor.js";
import { findNext, newObject } from "../state/objects.js";
import { changeCorner, dropRepeated, ringsOf, simplify, snapCorner } from "./corners.js";
import { fillRings, traceMask } from "./rings.js";

/** @import {Point, Size, VocBox} from "../geometry/types.js" */
/** @import {Editor, Objects} from "../state/types.js" */
/** @import {Annotated, Ring, Rings} from "../types.js" */

const MOST_SEGMENTS = 254;
/** Objects leave a fifth to two thirds of their box empty. What a proposal takes away beyond this is mostly wrong. */
const LEAST_TAKEN = 0.1;
const MOST_TAKEN = 0.75;
export const VOID_CLASS = "void region";

/**
 * Corners added to the open outline; the first of them opens it. Many are a freehand line.
 * @param {Editor} editor
 * @param {readonly Point[]} points
 * @returns {Editor}
 */
export function addCorners(editor, points) {
  return addPiece(editor, (object) =>
    simplify(points).map((point) => snapCorner(point, object, editor.size)),
  );
}

/**
 * The open outline goes on along corners of pixels as they are.
 * @param {Editor} editor
 * @param {(object: Annotated) => readonly Point[]} corners
 * @returns {Editor}
 */
export function addPiece(editor, corners) {
  const isHole = editor.armed?.kind === "hole";
  const next = changeSelected(editor, (object) => {
    const open = object.open ?? { points: [], isHole };
    const added = dropRepeated(open.points, corners(object));
    if (added.length === 0) return object;
    const stops = [...(open.stops ?? []), open.points.length];
    return { ...object, open: { ...open, points: [...open.points, ...added], stops } };
  });
  return { ...next, armed: null };
}

/**
 * Without what the last click or line added to the open outline.
 * @param {Editor} editor
 * @returns {Editor}
 */
export function dropPiece(editor) {
  const open = selectedObject(editor)?.open;
  if (!open) return editor;
  const { stops = [] } = open;
  return shorten(editor, open.points.slice(0, stops.at(-1) ?? 0), stops.slice(0, -1));
}

/**
 * The open outline with the first of its points alone; with none, it can be begun again.
 * @type {(editor: Editor, points: Ring, stops: readonly number[]) => Editor}
 */
function shorten(editor, points, stops) {
  const next = changeSelected(editor, (object) => ({
    ...object,
    open: object.open && points.length > 0 ? { ...object.open, points, stops } : null,
  }));
  return beginAgain(editor, next);
}

/**
 * The open outline becomes a piece or a hole. `lastPiece` leads from its end to its first corner, straight without it.
 * @param {Editor} editor
 * @param {readonly Point[]} [lastPiece]
 * @returns {Editor}
 */
export function closeOutline(editor, lastPiece = []) {
  const open = selectedObject(editor)?.open;
  if (!open) return editor;
  const ring = [...open.points, ...dropRepeated(open.points, lastPiece.slice(0, -1))];
  if (ring.length < 6) return refuse(editor, "few_corners");
  return changeSelected(editor, (object) => ({
    ...object,
    open: null,
    suggestion_set_id: setOf(object),
    rings: joinRing(ringsOf(object), ring, open.isHole, editor.size),
  }));
}

/**
 * @param {Editor} editor
 * @returns {Editor}
 */
export function dropOutline(editor) {
  return selectedObject(editor)?.open ? shorten(editor, [], []) : editor;
}

/**
 * The rings with a piece added or a hole cut. It is kept as drawn where the even-odd rule gives just
 * that; else, where it crosses others, the result is traced along pixel edges.
 * @type {(rings: Rings, ring: Ring, isHole: boolean, size: Size) => Rings}
 */
function joinRing(rings, ring, isHole, size) {
  if (rings.length === 0) return isHole ? rings : [ring];
  const added = fillRings([ring], size);
  const wanted = fillRings(rings, size).map((pixel, at) => (added[at] ? Number(!isHole) : pixel));
  const joined = [...rings, ring];
  return fillRings(joined, size).every((pixel, at) => pixel === wanted[at])
    ? joined
    : traceMask(wanted, size);
}

/**
 * The object after a stroke of the brush or the eraser.
 * @type {(editor: Editor, trail: readonly Point[], widthPx: number, isErasing: boolean) => Editor}
 */
export function brush(editor, trail, widthPx, isErasing) {
  return changeSelected(editor, (object) => {
    const mask = fillRings(ringsOf(object), editor.size);
    paintStroke(mask, trail, widthPx / 2, editor.size, isErasing ? 0 : 1);
    return { ...object, suggestion_set_id: setOf(object), rings: traceMask(mask, editor.size) };
  });
}

/**
 * Writes a value into the pixels whose middle is within reach of the trail.
 * @type {(mask: Uint8Array, trail: readonly Point[], reach: number, size: Size, value: 0 | 1) => void}
 */
function paintStroke(mask, trail, reach, [width, height], value) {
  trail.forEach((to, index) => {
    const from = trail[Math.max(index - 1, 0)];
    const dx = to[0] - from[0];
    const dy = to[1] - from[1];
    const squared = dx * dx + dy * dy || 1;
    const range = (/** @type {0 | 1} */ axis, /** @type {number} */ most) => [
      Math.max(Math.floor(Math.min(from[axis], to[axis]) - reach), 0),
      Math.min(Math.ceil(Math.max(from[axis], to[axis]) + reach), most),
    ];
    const [left, right] = range(0, width);
    const [top, bottom] = range(1, height);
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) {
        const px = x + 0.5 - from[0];
        const py = y + 0.5 - from[1];
        const along = Math.min(Math.max((px * dx + py * dy) / squared, 0), 1);
        if ((px - along * dx) ** 2 + (py - along * dy) ** 2 <= reach ** 2) mask[y * width + x] = value;
      }
    }
  });
}

/**
 * Without a point, the corner is removed.
 * @param {Editor} editor
 * @param {number} index
 * @param {Point | null} point
 * @param {{isNew?: boolean, isHeld?: boolean}} [how]
 * @returns {Editor}
 */
export function editCorner(editor, index, point, { isNew = false, isHeld = false } = {}) {
  const change = (/** @type {Annotated} */ object) => ({
    ...object,
    rings: changeCorner(ringsOf(object), index, point && snapCorner(point, object, editor.size), isNew),
  });
  const next = changeSelected(editor, change, { isHeld });
  const key = next.selection?.key;
  return key === undefined
    ? next
    : { ...next, selection: { key, part: point ? index + Number(isNew) : null } };
}

/**
 * @param {Editor} editor
 * @param {Rings} rings
 * @param {number | null} [suggestionSetId] of the model that outlined it
 */
export function setRings(editor, rings, suggestionSetId = null) {
  const offered = suggestionSetId === null ? null : rings;
  const made = { rings, suggestion_set_id: suggestionSetId, offered, open: null };
  return changeSelected(editor, (object) => ({ ...object, ...made }));
}

/** The set of the model that outlined it, as long as something of it is there. @param {Annotated} object */
function setOf(object) {
  return ringsOf(object).length > 0 ? (object.suggestion_set_id ?? null) : null;
}

/**
 * The last corner of the open outline, the selected corner, or all of the object's outlines; never more than was to be
 * drawn, where a piece or a hole was about to begin.
 * @param {Editor} editor
 * @returns {Editor}
 */
export function removeSome(editor) {
  const object = selectedObject(editor);
  const part = editor.selection?.part ?? null;
  if (!object) return refuse(editor, "none_selected");
  const { open } = object;
  const points = open?.points.slice(0, -2) ?? [];
  const stops = open?.stops?.filter((length) => length < points.length) ?? [];
  if (open) return shorten(editor, points, stops);
  if (editor.armed) return stepBack(editor);
  if (part !== null) return editCorner(editor, part, null);
  if (!object.isVoid) return ringsOf(object).length > 0 ? setRings(editor, []) : editor;
  return select(
    enter(
      editor,
      objectsIn(editor).filter((other) => other !== object),
    ),
    null,
  );
}

/**
 * A region that no one can tell apart or name, to be drawn like an object.
 * @param {Editor} editor
 * @param {string} key
 * @returns {Editor}
 */
export function addVoidRegion(editor, key) {
  const objects = objectsIn(editor);
  if (objects.length >= MOST_SEGMENTS) return refuse(editor, "many_segments");
  const plain = newObject(key, VOID_CLASS, [1, 1, ...editor.size], { size: editor.size, flags: [] });
  const depth = Math.max(...objects.map((object) => object.depth ?? 0), -1) + 1;
  return select(enter(editor, [...objects, { ...plain, isVoid: true, rings: [], depth, open: null }]), {
    key,
    part: null,
  });
}

/** In front of the next one that it may touch, or behind it. @type {(editor: Editor, step: 1 | -1) => Editor} */
export function moveInDepth(editor, step) {
  const object = selectedObject(editor);
  if (!object) return refuse(editor, "none_selected");
  const others = objectsIn(editor).filter(
    (other) => isNear(other, object) && step * (depthOf(other) - depthOf(object)) > 0,
  );
  const [next] = others.toSorted((first, second) => step * (depthOf(first) - depthOf(second)));
  if (!next) return refuse(editor, step > 0 ? "in_front" : "behind_all");
  const order = objectsIn(editor)
    .filter((other) => other !== object)
    .toSorted((first, second) => depthOf(first) - depthOf(second));
  const keys = order.toSpliced(order.indexOf(next) + Number(step > 0), 0, object).map(({ key }) => key);
  const renumber = (/** @type {Annotated} */ object) => ({ ...object, depth: keys.indexOf(object.key) });
  return enter(
    editor,
    objectsIn(editor).map((object) => (keys[depthOf(object)] === object.key ? object : renumber(object))),
  );
}

/** @param {Annotated} object */
function depthOf({ depth }) {
  return depth ?? 0;
}

/**
 * Whether two boxes have pixels in common or lie side by side.
 * @param {Annotated} one
 * @param {Annotated} other
 */
function isNear({ box: first }, { box: other }) {
  return (
    first[0] <= other[2] + 1 &&
    other[0] <= first[2] + 1 &&
    first[1] <= other[3] + 1 &&
    other[1] <= first[3] + 1
  );
}

/** Whether a person has drawn something of an object, be it not closed. @param {Pick<Annotated, "rings" | "open">} object */
export function isDrawnOn({ rings, open }) {
  return Boolean(rings?.length || open);
}

/**
 * Whether a proposed outline is hardly more than the box, or leaves hardly anything of it.
 * @type {(rings: Rings, box: VocBox, size: Size) => boolean}
 */
export function isUncertain(rings, box, size) {
  const { left, top, right, bottom } = edgesOf(box);
  const inside = fillRings(rings, size);
  fillRings([[left, top, right, top, right, bottom, left, bottom]], size).forEach((pixel, at) => {
    inside[at] &= pixel;
  });
  const kept = inside.reduce((sum, pixel) => sum + pixel, 0);
  const share = 1 - kept / ((right - left) * (bottom - top));
  return share < LEAST_TAKEN || share > MOST_TAKEN;
}

/**
 * The key of the next object without an outline, or null.
 * @param {Objects} objects
 * @param {string | null} key
 */
export function nextUndrawn(objects, key) {
  return findNext(objects, key, (object) => ringsOf(object).length === 0);
}
