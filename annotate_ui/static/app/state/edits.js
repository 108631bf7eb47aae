/** Edits; each is one history entry, or none where nothing changed. */

import { heightPx, isLargeEnough, isSameBox, moveBox, moveSide, widthPx } from "../geometry/boxes.js";
import {
  changeSelected,
  changeSelection,
  enter,
  findPattern,
  isOfMany,
  keepSelection,
  listChosen,
  minSidePx,
  objectsIn,
  objectsToChange,
  refuse,
  rejectedIn,
  select,
  selectedBox,
  selectedObject,
  selectedObjects,
  selectMany,
} from "./editor.js";
import { changeObject, findBox, isProposed, newObject, UNSPECIFIED } from "./objects.js";
import { findClass } from "./party.js";

/** @import {Point, Side, VocBox} from "../geometry/types.js" */
/** @import {Annotated, ClassSpec, LaidAside, Target} from "../types.js" */
/** @import {ActiveSides, Editor, Flag, ImageFrame, Objects} from "./types.js" */

/**
 * With a new object of the last class, selected; or a new part of the selected object where the
 * tool for it is armed. `key` is the object's, should it be one.
 * @type {(editor: Editor, box: VocBox, key: string) => Editor}
 */
export function draw(editor, box, key) {
  const { armed } = editor;
  const isPart = armed?.kind === "part";
  if (!isLargeEnough(box, minSidePx(editor, isPart))) return refuse(editor, "too_small");
  if (!isPart) return addObject(editor, newObject(key, editor.lastClass, box, frameOf(editor)));
  const object = selectedObject(editor);
  const part = { part: armed.id, box };
  const next = changeSelected(editor, (object) => ({ ...object, parts: [...object.parts, part] }));
  return object ? select(next, { key: object.key, part: object.parts.length }) : next;
}

/**
 * With one more object, selected, if the party allows it.
 * @param {Editor} editor
 * @param {Annotated} object
 * @returns {Editor}
 */
function addObject(editor, object) {
  if (objectsIn(editor).length >= editor.party.max_objects) return refuse(editor, "too_many");
  const next = enter(editor, [...objectsIn(editor), object]);
  return select({ ...next, sides: { x: "xmax", y: "ymax" } }, { key: object.key, part: null });
}

/**
 * With a copy of an object of this image or another next to it, selected: its class, view, flags and actions,
 * without parts. @type {(editor: Editor, source: Annotated, key: string) => Editor}
 */
export function paste(editor, source, key) {
  const { size } = editor;
  const [x, y] = [widthPx(source.box), heightPx(source.box)].map((side, axis) => Math.min(side, size[axis]));
  const cut = /** @type {VocBox} */ ([
    source.box[0],
    source.box[1],
    source.box[0] + x - 1,
    source.box[1] + y - 1,
  ]);
  const aside = Math.max(Math.round(x / 5), 2);
  const right = moveBox(cut, aside, 0, size);
  const box = isSameBox(right, cut) ? moveBox(cut, -aside, 0, size) : right;
  return addObject(editor, copyTo(editor, source, box, key));
}

/**
 * Another object like this one, elsewhere: its class, view, flags and actions, without parts.
 * @type {(editor: Editor, source: Annotated, box: VocBox, key: string) => Annotated}
 */
function copyTo(editor, source, box, key) {
  const { view, occluded, unsure, group_of, actions } = source;
  const copied = { view, occluded, unsure, actions, ...(group_of && { group_of }) };
  return { ...newObject(key, source.class, box, frameOf(editor)), ...copied };
}

/**
 * With boxes like the one that is repeated, in one step and all selected; the tool stays. Their keys begin with `key`.
 * @type {(editor: Editor, boxes: readonly VocBox[], key: string) => Editor}
 */
export function layBoxes(editor, boxes, key) {
  const pattern = findPattern(editor);
  if (!pattern) return refuse(editor, "none_to_repeat");
  const objects = objectsIn(editor);
  if (objects.length + boxes.length > editor.party.max_objects) return refuse(editor, "too_many");
  const keyOf = (/** @type {number} */ place) => (place === 0 ? key : `${key}-${place}`);
  const copies = boxes.map((box, place) => copyTo(editor, pattern, box, keyOf(place)));
  const laid = selectMany(
    enter(editor, [...objects, ...copies]),
    copies.map((copy) => copy.key),
  );
  return { ...laid, armed: editor.armed };
}

/**
 * With copies of objects of another image where they were, in one step; cut to this image. Those that are there
 * already are left out.
 * @type {(editor: Editor, sources: Objects, makeKey: () => string) => Editor}
 */
export function pasteAll(editor, sources, makeKey) {
  const {
    size: [width, height],
    party,
  } = editor;
  const copies = sources.map(({ box: [xmin, ymin, xmax, ymax], parts, point, suggestion_id, ...rest }) => ({
    ...{ ...rest, key: makeKey(), parts: [], point: null, difficult: false },
    box: /** @type {VocBox} */ ([xmin, ymin, Math.min(xmax, width), Math.min(ymax, height)]),
  }));
  const isThere = (/** @type {Annotated} */ copy) =>
    objectsIn(editor).some((object) => object.class === copy.class && isSameBox(object.box, copy.box));
  const fitting = copies.filter(
    (copy) => isLargeEnough(copy.box, minSidePx(editor, false)) && !isThere(copy),
  );
  if (fitting.length === 0) return refuse(editor, "all_there");
  const objects = [...objectsIn(editor), ...fitting];
  return objects.length > party.max_objects ? refuse(editor, "too_many") : enter(editor, objects);
}

/**
 * `sides` are those that the cursor moved last.
 * @param {Editor} editor
 * @param {Target} target
 * @param {VocBox} box
 * @param {readonly Side[]} [sides]
 * @param {boolean} [isHeld]
 * @returns {Editor}
 */
export function reshape(editor, target, box, sides = [], isHeld = false) {
  const toChange = objectsToChange(editor);
  const before = findBox(toChange, target);
  if (!before) return editor;
  const x = sides.find((side) => side === "xmin" || side === "xmax") ?? editor.sides.x;
  const y = sides.find((side) => side === "ymin" || side === "ymax") ?? editor.sides.y;
  const touched = { ...editor, sides: /** @type {ActiveSides} */ ({ x, y }) };
  if (isSameBox(before, box)) return touched;
  const objects = changeObject(toChange, target.key, (object) => {
    const { part } = target;
    if (part !== null) return { ...object, parts: object.parts.with(part, { ...object.parts[part], box }) };
    return moveObject(editor, object, box);
  });
  return enter(touched, objects, isHeld);
}

/**
 * The selected box moved by whole pixels; `isHeld` where the key repeats itself.
 * @type {(editor: Editor, dx: number, dy: number, isHeld?: boolean) => Editor}
 */
export function nudge(editor, dx, dy, isHeld = false) {
  const box = selectedBox(editor);
  if (!box || !editor.selection) return editor;
  if (isOfMany(editor)) return nudgeMany(editor, dx, dy, isHeld);
  return reshape(editor, editor.selection, moveBox(box, dx, dy, editor.size), [], isHeld);
}

/** All selected boxes moved, in one step. @type {(editor: Editor, dx: number, dy: number, isHeld: boolean) => Editor} */
function nudgeMany(editor, dx, dy, isHeld) {
  const before = objectsIn(editor);
  const objects = selectedObjects(editor).reduce(
    (changed, { key }) =>
      changeObject(changed, key, (object) =>
        moveObject(editor, object, moveBox(object.box, dx, dy, editor.size)),
      ),
    before,
  );
  return enter(editor, objects, isHeld && objects !== before);
}

/** The object with another box; the proposal follows the border until a person has decided. @type {(editor: Editor, object: Annotated, box: VocBox) => Annotated} */
function moveObject(editor, object, box) {
  if (isSameBox(object.box, box)) return object;
  const truncated = object.truncatedBy === "person" ? object.truncated : isProposed(box, frameOf(editor));
  return { ...object, box, truncated };
}

/**
 * The active side on one axis of the selected box moved by whole pixels, or the one opposite to it.
 * @type {(editor: Editor, dx: number, dy: number, isHeld?: boolean, isOther?: boolean) => Editor}
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

/**
 * The other two sides become the active ones.
 * @param {Editor} editor
 * @returns {Editor}
 */
export function switchSides(editor) {
  const { x, y } = editor.sides;
  const sides = /** @type {ActiveSides} */ ({
    x: x === "xmax" ? "xmin" : "xmax",
    y: y === "ymax" ? "ymin" : "ymax",
  });
  return { ...editor, sides };
}

/**
 * The class of the selected objects, and of the next box in any case. What the new class cannot have is laid aside,
 * since the server would refuse it, and comes back with the class.
 * @type {(editor: Editor, name: string) => Editor}
 */
export function chooseClass(editor, name) {
  const spec = findClass(editor.party, name);
  if (!spec) return editor;
  const objects = listChosen(editor).reduce(
    (changed, { key }) =>
      changeObject(changed, key, (object) => {
        return object.class === name ? object : classify(object, findClass(editor.party, object.class), spec);
      }),
    objectsToChange(editor),
  );
  const next = enter(editor, objects);
  return { ...next, selection: keepSelection(next), lastClass: name };
}

/** @type {LaidAside} */
const NOTHING = { view: UNSPECIFIED, parts: [], actions: [], point: null };

/**
 * The object with another class: it keeps what both have, takes back what was laid aside, and lays aside the rest.
 * @param {Annotated} object
 * @param {ClassSpec | null} from
 * @param {ClassSpec} to
 * @returns {Annotated}
 */
function classify(object, from, to) {
  const { laidAside = NOTHING, ...rest } = object;
  const all = keepFor(from, rest, laidAside);
  const aside = keepFor(to, NOTHING, all);
  const isNothing = JSON.stringify(aside) === JSON.stringify(NOTHING);
  const changed = { ...rest, class: to.id, ...keepFor(to, all, NOTHING) };
  return isNothing ? changed : { ...changed, laidAside: aside };
}

/**
 * Of each kind what `its` says where the class has the kind, else what `other` says.
 * @type {(spec: ClassSpec | null, its: LaidAside, other: LaidAside) => LaidAside}
 */
function keepFor(spec, its, other) {
  const { actions, point } = (spec?.has_actions ?? true) ? its : other;
  const { view } = (spec?.has_views ?? true) ? its : other;
  const { parts } = (spec?.has_parts ?? true) ? its : other;
  return { view, parts, actions, point };
}

/**
 * @param {Editor} editor
 * @param {string} view
 */
export function chooseView(editor, view) {
  const change = (/** @type {Annotated} */ object) => (object.view === view ? object : { ...object, view });
  return changeSelection(editor, change, "has_views");
}

/**
 * The other value; a flag that was only proposed is confirmed first. Of several objects all have it then, unless all
 * had it. A flag that the party no longer has can only be taken away.
 * @param {Editor} editor
 * @param {Flag} flag
 */
export function toggleFlag(editor, flag) {
  const chosen = listChosen(editor);
  const isOn = chosen.length > 0 && chosen.every((object) => isDecided(object, flag));
  const isKnown = flag === "unsure" || editor.party.flags.includes(flag);
  if (!isKnown && !isOn) return refuse(editor, "flag_unknown");
  return changeSelection(editor, (object) => {
    if (isDecided(object, flag) === !isOn) return object;
    const by = flag === "truncated" ? { truncatedBy: /** @type {const} */ ("person") } : {};
    return { ...object, [flag]: !isOn, ...by };
  });
}

/** Whether a person said that the object has the flag. @type {(object: Annotated, flag: Flag) => boolean} */
function isDecided(object, flag) {
  const isProposal = flag === "truncated" && object.truncatedBy === "border";
  return Boolean(object[flag]) && !isProposal;
}

/**
 * An action that excludes others stands alone: it takes their place, and they take its. Retired ones come last.
 * @type {(editor: Editor, id: string) => Editor}
 */
export function toggleAction(editor, id) {
  const specs = editor.party.actions;
  const lonely = specs.filter((spec) => spec.excludes_others).map((spec) => spec.id);
  const isOn = listChosen(editor).every(({ actions }) => actions.includes(id));
  const toggle = (/** @type {readonly string[]} */ actions) => {
    if (actions.includes(id)) return isOn ? actions.filter((action) => action !== id) : actions;
    if (!specs.some((spec) => spec.id === id)) return actions;
    const kept = lonely.includes(id) ? [] : actions.filter((action) => !lonely.includes(action));
    const known = specs.map((spec) => spec.id);
    const retired = kept.filter((action) => !known.includes(action));
    return [...known.filter((action) => action === id || kept.includes(action)), ...retired];
  };
  const change = (/** @type {Annotated} */ object) => {
    const actions = toggle(object.actions);
    return actions === object.actions ? object : { ...object, actions };
  };
  return changeSelection(editor, change, "has_actions");
}

/**
 * Sets the reference point of the selected object, a pixel from 1 on; null removes it.
 * @param {Editor} editor
 * @param {Point | null} point
 */
export function setPoint(editor, point) {
  const next = changeSelected(editor, (object) => ({ ...object, point }), { needs: "has_actions" });
  return { ...next, armed: null };
}

/**
 * Without the selected objects, or the selected part. What was suggested is rejected with its object.
 * @param {Editor} editor
 * @returns {Editor}
 */
export function removeSelected(editor) {
  const { selection } = editor;
  if (!selection) return refuse(editor, "none_selected");
  const { key, part } = selection;
  const objects = objectsIn(editor);
  if (part === null || isOfMany(editor)) {
    const gone = listChosen(editor);
    const others = objects.filter((object) => !gone.includes(object));
    const ids = gone.flatMap(({ suggestion_id: id }) => (id === undefined ? [] : [id]));
    const rejected = rejectedIn(editor);
    return select(enter(editor, others, false, ids.length === 0 ? rejected : [...rejected, ...ids]), null);
  }
  const without = changeObject(objectsToChange(editor), key, (object) => ({
    ...object,
    parts: object.parts.toSpliced(part, 1),
  }));
  return select(enter(editor, without), { key, part: null });
}

/**
 * @param {Editor} editor
 * @returns {ImageFrame}
 */
function frameOf({ size, party }) {
  return { size, flags: party.flags };
}
