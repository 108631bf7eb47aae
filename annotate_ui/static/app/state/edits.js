/** Edits; each is one history entry, or none where nothing changed. */

import { heightPx, isLargeEnough, isSameBox, moveBox, moveSide, widthPx } from "../geometry/boxes.js";
import {
  enter, keepSelection, minSidePx, objectsIn, refuse, select, selectedBox, selectedObject,
} from "./editor.js";
import * as objectsOf from "./objects.js";
import { findClass } from "./party.js";

/** @import {Point, Side, VocBox} from "../geometry/types.js" */
/** @import {Annotated, Target} from "../types.js" */
/** @import {ActiveSides, Editor, Flag, ImageFrame, Objects} from "./types.js" */

/**
 * With a new object of the last class, selected; or a new part of the selected object where the
 * tool for it is armed.
 * @param {Editor} editor
 * @param {VocBox} box
 * @param {string} key of the object, should it be one
 * @returns {Editor}
 */
export function draw(editor, box, key) {
  const { armed, party } = editor;
  const isPart = armed?.kind === "part";
  if (!isLargeEnough(box, minSidePx(editor, isPart))) return refuse(editor, "too_small");
  if (isPart) return drawPart(editor, armed.name, box);
  if (objectsIn(editor).length >= party.max_objects) return refuse(editor, "too_many");
  const object = objectsOf.newObject(key, editor.lastClass, box, frameOf(editor));
  const next = enter(editor, [...objectsIn(editor), object]);
  return select({ ...next, sides: { x: "xmax", y: "ymax" } }, { key, part: null });
}

/**
 * With a copy of an object next to it, selected: its class, view, flags and actions, without parts.
 * @param {Editor} editor
 * @param {Annotated} source of this image or another
 * @param {string} key of the copy
 * @returns {Editor}
 */
export function paste(editor, source, key) {
  const { size, party } = editor;
  if (objectsIn(editor).length >= party.max_objects) return refuse(editor, "too_many");
  const [x, y] = [widthPx(source.box), heightPx(source.box)].map((side, axis) => Math.min(side, size[axis]));
  const cut = /** @type {VocBox} */ ([source.box[0], source.box[1], source.box[0] + x - 1, source.box[1] + y - 1]);
  const aside = Math.max(Math.round(x / 5), 2);
  const right = moveBox(cut, aside, 0, size);
  const box = isSameBox(right, cut) ? moveBox(cut, -aside, 0, size) : right;
  const drawn = objectsOf.newObject(key, source.class, box, frameOf(editor));
  const { view, occluded, unsure, actions } = source;
  const next = enter(editor, [...objectsIn(editor), { ...drawn, view, occluded, unsure, actions }]);
  return select({ ...next, sides: { x: "xmax", y: "ymax" } }, { key, part: null });
}

/**
 * With copies of objects of another image where they were, in one step; cut to this image.
 * @param {Editor} editor
 * @param {Objects} sources
 * @param {() => string} makeKey
 * @returns {Editor}
 */
export function pasteAll(editor, sources, makeKey) {
  const { size: [width, height], party } = editor;
  const copies = sources.map(({ box: [xmin, ymin, xmax, ymax], parts, point, ...rest }) => ({
    ...{ ...rest, key: makeKey(), parts: [], point: null, difficult: false },
    box: /** @type {VocBox} */ ([xmin, ymin, Math.min(xmax, width), Math.min(ymax, height)]),
  }));
  const fitting = copies.filter(({ box }) => isLargeEnough(box, minSidePx(editor, false)));
  const objects = [...objectsIn(editor), ...fitting];
  return objects.length > party.max_objects ? refuse(editor, "too_many") : enter(editor, objects);
}

/**
 * @param {Editor} editor
 * @param {Target} target
 * @param {VocBox} box
 * @param {readonly Side[]} [sides] that the cursor moved last
 * @param {boolean} [isHeld]
 * @returns {Editor}
 */
export function reshape(editor, target, box, sides = [], isHeld = false) {
  const before = objectsOf.findBox(objectsIn(editor), target);
  if (!before) return editor;
  const touched = { ...editor, sides: touchSides(editor.sides, sides) };
  if (isSameBox(before, box)) return touched;
  const objects = objectsOf.reshape(objectsIn(editor), target, box, frameOf(editor));
  return enter(touched, objects, isHeld);
}

/**
 * The selected box moved by whole pixels.
 * @param {Editor} editor
 * @param {number} dx
 * @param {number} dy
 * @param {boolean} [isHeld] the key repeats itself
 */
export function nudge(editor, dx, dy, isHeld = false) {
  const box = selectedBox(editor);
  if (!box || !editor.selection) return editor;
  return reshape(editor, editor.selection, moveBox(box, dx, dy, editor.size), [], isHeld);
}

/**
 * The active side on one axis of the selected box moved by whole pixels, or the one opposite to it.
 * @param {Editor} editor
 * @param {number} dx
 * @param {number} dy
 * @param {boolean} [isHeld] the key repeats itself
 * @param {boolean} [isOther] the opposite side
 */
export function nudgeSide(editor, dx, dy, isHeld = false, isOther = false) {
  const box = selectedBox(editor);
  if (!box || !editor.selection) return editor;
  const sides = isOther ? switchSides(editor).sides : editor.sides;
  const side = dx !== 0 ? sides.x : sides.y;
  const minPx = minSidePx(editor, editor.selection.part !== null);
  const moved = moveSide(box, side, dx || dy, editor.size, minPx);
  return reshape(editor, editor.selection, moved, [], isHeld);
}

/** The other two sides become the active ones. @param {Editor} editor @returns {Editor} */
export function switchSides(editor) {
  const { x, y } = editor.sides;
  const sides = /** @type {ActiveSides} */ ({
    x: x === "xmax" ? "xmin" : "xmax",
    y: y === "ymax" ? "ymin" : "ymax",
  });
  return { ...editor, sides };
}

/**
 * The class of the selected object, and of the next box in any case.
 * @param {Editor} editor
 * @param {string} name
 * @returns {Editor}
 */
export function chooseClass(editor, name) {
  const spec = findClass(editor.party, name);
  if (!spec) return editor;
  const key = editor.selection?.key;
  const next = key ? enter(editor, objectsOf.setClass(objectsIn(editor), key, spec)) : editor;
  return { ...next, selection: keepSelection(next), lastClass: name, refusal: null };
}

/** @param {Editor} editor @param {string} view */
export function chooseView(editor, view) {
  return editSelected(editor, "has_views", (key) =>
    objectsOf.setView(objectsIn(editor), key, view),
  );
}

/** @param {Editor} editor @param {Flag} flag */
export function toggleFlag(editor, flag) {
  const isKnown = flag === "unsure" || editor.party.flags.includes(flag);
  if (!isKnown) return refuse(editor, "flag_unknown");
  return editSelected(editor, null, (key) => objectsOf.toggleFlag(objectsIn(editor), key, flag));
}

/** @param {Editor} editor @param {string} name */
export function toggleAction(editor, name) {
  return editSelected(editor, "has_actions", (key) =>
    objectsOf.toggleAction(objectsIn(editor), key, name, editor.party.actions),
  );
}

/** @param {Editor} editor @param {Point | null} point a pixel, 1-based */
export function setPoint(editor, point) {
  const next = editSelected(editor, "has_actions", (key) =>
    objectsOf.setPoint(objectsIn(editor), key, point),
  );
  return { ...next, armed: null };
}

/** Without the selected object, or the selected part. @param {Editor} editor @returns {Editor} */
export function removeSelected(editor) {
  const { selection } = editor;
  if (!selection) return refuse(editor, "none_selected");
  const next = enter(editor, objectsOf.remove(objectsIn(editor), selection));
  return select(next, selection.part === null ? null : { ...selection, part: null });
}

/**
 * All objects replaced by others, as one entry: nothing that stood here is lost.
 * @param {Editor} editor
 * @param {Objects} objects
 */
export function replaceAll(editor, objects) {
  return select(enter(editor, objects), null);
}

/** @param {Editor} editor @param {string} name @param {VocBox} box */
function drawPart(editor, name, box) {
  const object = selectedObject(editor);
  const spec = editor.party.parts.find((part) => part.name === name);
  if (!object || !spec) return refuse(editor, "none_selected");
  const next = enter(editor, objectsOf.addPart(objectsIn(editor), object.key, spec, box));
  return select(next, { key: object.key, part: object.parts.length });
}

/** @param {Editor} editor @returns {ImageFrame} */
function frameOf({ size, party }) {
  return { size, flags: party.flags };
}

/**
 * @param {Editor} editor
 * @param {"has_views" | "has_actions" | null} needs what the object's class must have
 * @param {(key: string) => Objects} change
 * @returns {Editor}
 */
function editSelected(editor, needs, change) {
  const object = selectedObject(editor);
  if (!object) return refuse(editor, "none_selected");
  const spec = findClass(editor.party, object.class);
  if (needs && !spec?.[needs]) return refuse(editor, "class_has_none");
  return enter(editor, change(object.key));
}

/** @param {ActiveSides} sides @param {readonly Side[]} touched @returns {ActiveSides} */
function touchSides({ x, y }, touched) {
  const touchedX = touched.find((side) => side === "xmin" || side === "xmax");
  const touchedY = touched.find((side) => side === "ymin" || side === "ymax");
  return /** @type {ActiveSides} */ ({ x: touchedX ?? x, y: touchedY ?? y });
}
