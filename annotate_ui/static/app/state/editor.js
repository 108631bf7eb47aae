/**
 * What is being edited: the objects with their history, undo and redo without limit, and what is
 * selected and armed.
 *
 * Every function takes a state and returns the next one; what changes objects is in edits.js.
 */

import { changeObject, findBox, findObject, hasRoomForPart } from "./objects.js";
import { findClass } from "./party.js";

/** @import {Size} from "../geometry/types.js" */
/** @import {Annotated, Party, Target} from "../types.js" */
/** @import {Editor, History, Objects, Refusal} from "./types.js" */

/** @type {readonly number[]} */
const NONE_REJECTED = [];
/** @type {readonly string[]} */
const NO_KEYS = [];

/**
 * The next box takes the class `lastClass`.
 * @param {Party} party
 * @param {Size} size
 * @param {Objects} objects
 * @param {string} lastClass
 * @param {{suggestions?: Objects, rejected?: readonly number[]}} [suggested]
 * @returns {Editor}
 */
export function openEditor(party, size, objects, lastClass, suggested = {}) {
  const { suggestions = [], rejected = NONE_REJECTED } = suggested;
  return {
    party,
    size,
    history: startHistory({ objects, rejected }),
    suggestions,
    showsSuggestions: true,
    selection: null,
    also: NO_KEYS,
    lastClass,
    armed: null,
    sides: { x: "xmax", y: "ymax" },
    hidden: new Set(),
    pile: null,
    refusal: null,
  };
}

/**
 * The objects and open suggestions that are not of a hidden class; the selected one is always shown.
 * @param {Editor} editor
 */
export function listShown(editor) {
  const { hidden, selection } = editor;
  return listSelectable(editor).filter(({ class: name, key }) => !hidden.has(name) || key === selection?.key);
}

/** What can be selected: the objects, and the open suggestions where they are shown. @param {Editor} editor */
function listSelectable(editor) {
  const open = editor.showsSuggestions ? listOpen(editor) : [];
  return open.length === 0 ? objectsIn(editor) : [...objectsIn(editor), ...open];
}

/** The suggestions about which nobody has decided: neither rejected, nor made an object. @param {Editor} editor */
export function listOpen({ suggestions, history }) {
  if (suggestions.length === 0) return suggestions;
  const { objects, rejected } = history.present;
  const decided = new Set([...rejected, ...objects.map(({ suggestion_id }) => suggestion_id)]);
  return suggestions.filter(({ suggestion_id }) => !decided.has(suggestion_id));
}

/** The open suggestion that is selected, or null. @param {Editor} editor */
export function currentSuggestion(editor) {
  const suggestion = findObject(editor.suggestions, editor.selection?.key);
  return suggestion && listOpen(editor).includes(suggestion) ? suggestion : null;
}

/**
 * The objects as an edit changes them: what is done to the selected suggestion makes it an object.
 * @param {Editor} editor
 * @returns {Objects}
 */
export function objectsToChange(editor) {
  const suggestion = currentSuggestion(editor);
  const objects = objectsIn(editor);
  if (!suggestion || objects.length >= editor.party.max_objects) return objects;
  const { confidence, ...object } = suggestion;
  return [...objects, object];
}

/** Hides the boxes of a class, or shows them again. @type {(editor: Editor, name: string) => Editor} */
export function toggleHidden(editor, name) {
  const hidden = new Set(editor.hidden);
  if (!hidden.delete(name)) hidden.add(name);
  return { ...editor, hidden, refusal: null };
}

/** @param {Editor} editor */
export function objectsIn(editor) {
  return editor.history.present.objects;
}

/** The ids of the suggestions that were rejected. @param {Editor} editor */
export function rejectedIn(editor) {
  return editor.history.present.rejected;
}

/** The object that is selected, or the open suggestion. @param {Editor} editor */
export function selectedObject(editor) {
  return findObject(objectsIn(editor), editor.selection?.key) ?? currentSuggestion(editor);
}

/** The key of the selected object, or null where it is gone. @param {Editor} editor */
export function selectedKey(editor) {
  return selectedObject(editor)?.key ?? null;
}

/** @param {Editor} editor */
export function selectedBox(editor) {
  const suggestion = currentSuggestion(editor);
  const open = suggestion ? [suggestion] : [];
  return findBox(objectsIn(editor), editor.selection) ?? findBox(open, editor.selection);
}

/**
 * @param {Editor} editor
 * @param {Target | null} selection
 * @returns {Editor}
 */
export function select(editor, selection) {
  return { ...editor, selection, also: NO_KEYS, armed: null, pile: null, refusal: null };
}

/**
 * The objects that are selected, in the order of the list; never suggestions, since nothing is accepted unseen.
 * @param {Editor} editor
 * @returns {Objects}
 */
export function selectedObjects({ selection, also, history }) {
  if (!selection) return [];
  const keys = new Set([...also, selection.key]);
  return history.present.objects.filter(({ key }) => keys.has(key));
}

/** Whether an edit means several objects. @param {Editor} editor */
export function isOfMany(editor) {
  return editor.also.length > 0 && selectedObjects(editor).length > 1;
}

/** These objects selected, the last of them as the one that is moved and reshaped. @type {(editor: Editor, keys: readonly string[]) => Editor} */
export function selectMany(editor, keys) {
  const key = keys.at(-1);
  const first = select(editor, key === undefined ? null : { key, part: null });
  return { ...first, also: keys.slice(0, -1) };
}

/** The object selected with the others, or no more. @type {(editor: Editor, key: string) => Editor} */
export function toggleSelected(editor, key) {
  const keys = selectedKeys(editor);
  const others = keys.filter((other) => other !== key);
  return selectMany(editor, others.length < keys.length ? others : [...keys, key]);
}

/** The keys of the selected objects, the one that is moved and reshaped last. @param {Editor} editor */
export function selectedKeys(editor) {
  const main = editor.selection?.key;
  const keys = selectedObjects(editor).map(({ key }) => key);
  return [...keys.filter((key) => key !== main), ...keys.filter((key) => key === main)];
}

/** The next or previous one, in the order of drawing; open suggestions come last. @type {(editor: Editor, step: 1 | -1) => Editor} */
export function selectNext(editor, step) {
  const objects = listSelectable(editor);
  if (objects.length === 0) return editor;
  const at = objects.findIndex((object) => object.key === editor.selection?.key);
  const start = at < 0 && step < 0 ? 0 : at;
  const index = (start + step + objects.length) % objects.length;
  return select(editor, { key: objects[index].key, part: null });
}

/**
 * One step back: what is armed, else from a part to its object, else to nothing selected.
 * @type {(editor: Editor) => Editor}
 */
export function stepBack(editor) {
  if (editor.armed) return { ...editor, armed: null, refusal: null };
  const { selection } = editor;
  if (selection && selection.part !== null) return select(editor, { ...selection, part: null });
  return select(editor, null);
}

/**
 * The next press on the image draws, even on top of a handle.
 * @param {Editor} editor
 * @returns {Editor}
 */
export function armBox(editor) {
  return { ...editor, armed: { kind: "box" }, refusal: null };
}

/** The object that is repeated: the selected one, else the last of the list. @param {Editor} editor */
export function findPattern(editor) {
  const objects = objectsIn(editor);
  return findObject(objects, editor.selection?.key) ?? objects.at(-1) ?? null;
}

/** Each press on the image repeats a box, until the tool is put away. @param {Editor} editor */
export function armRepeat(editor) {
  if (editor.armed?.kind === "repeat") return { ...editor, armed: null, refusal: null };
  if (!findPattern(editor)) return refuse(editor, "none_to_repeat");
  return { ...editor, armed: /** @type {const} */ ({ kind: "repeat" }), refusal: null };
}

/**
 * @param {Editor} editor
 * @param {string} id of the part
 * @returns {Editor}
 */
export function armPart(editor, id) {
  const object = selectedObject(editor);
  const spec = editor.party.parts.find((part) => part.id === id);
  if (!object || !spec) return refuse(editor, "none_selected");
  if (!findClass(editor.party, object.class)?.has_parts) return refuse(editor, "class_has_none");
  if (!hasRoomForPart(object, spec)) return refuse(editor, "parts_full");
  return { ...editor, armed: { kind: "part", id }, refusal: null };
}

/**
 * @param {Editor} editor
 * @returns {Editor}
 */
export function armPoint(editor) {
  const object = selectedObject(editor);
  if (!object) return refuse(editor, "none_selected");
  if (!findClass(editor.party, object.class)?.has_actions) return refuse(editor, "class_has_none");
  return { ...editor, armed: { kind: "point" }, refusal: null };
}

/** @param {Editor} editor */
export function undoLast(editor) {
  return beginAgain(editor, travel(editor, undo(editor.history)));
}

/**
 * Where all of an outline was taken back, the next press begins it again: as a hole, if it was one.
 * @type {(before: Editor, after: Editor) => Editor}
 */
export function beginAgain(before, after) {
  const was = selectedObject(before);
  const now = selectedObject(after);
  if (!was?.open || now?.key !== was.key || now.open || !now.rings?.length) return after;
  return { ...after, armed: { kind: was.open.isHole ? "hole" : "piece" } };
}

/** @param {Editor} editor */
export function redoLast(editor) {
  return travel(editor, redo(editor.history));
}

/**
 * @param {Editor} editor
 * @param {Refusal | null} refusal why nothing happened
 * @returns {Editor}
 */
export function refuse(editor, refusal) {
  return { ...editor, refusal };
}

/**
 * One more history entry, or none where the objects are the same; `isHeld` while a key repeats
 * itself, when the entry that it began goes on. Where other suggestions are `rejected`, the objects are another list.
 * @type {(editor: Editor, objects: Objects, isHeld?: boolean, rejected?: readonly number[]) => Editor}
 */
export function enter(editor, objects, isHeld = false, rejected = rejectedIn(editor)) {
  const { present } = editor.history;
  const sheet = objects === present.objects ? present : { objects, rejected };
  const write = isHeld ? amend : commit;
  return { ...editor, history: write(editor.history, sheet), refusal: null };
}

/**
 * The selected object changed, as one entry; refused where its class lacks what the change needs.
 * @param {Editor} editor
 * @param {(object: Annotated) => Annotated} change
 * @param {{needs?: "has_views" | "has_actions", isHeld?: boolean}} [how]
 */
export function changeSelected(editor, change, { needs, isHeld } = {}) {
  const object = selectedObject(editor);
  if (!object) return refuse(editor, "none_selected");
  if (needs && !findClass(editor.party, object.class)?.[needs]) return refuse(editor, "class_has_none");
  const before = objectsToChange(editor);
  const objects = changeObject(before, object.key, change);
  return objects === before ? refuse(editor, null) : enter(editor, objects, isHeld);
}

/**
 * Every selected object changed, in one entry; those whose class lacks what the change needs stay as they are, and it
 * is refused where all of them do.
 * @type {(editor: Editor, change: (object: Annotated) => Annotated, needs?: "has_views" | "has_actions") => Editor}
 */
export function changeSelection(editor, change, needs) {
  if (!isOfMany(editor)) return changeSelected(editor, change, { needs });
  const chosen = selectedObjects(editor);
  const able = chosen.filter(({ class: name }) => !needs || findClass(editor.party, name)?.[needs]);
  if (able.length === 0) return refuse(editor, "class_has_none");
  const before = objectsIn(editor);
  const objects = able.reduce((changed, { key }) => changeObject(changed, key, change), before);
  return objects === before ? refuse(editor, null) : enter(editor, objects);
}

/** What an edit of attributes is about: every selected object, or the suggestion. @param {Editor} editor */
export function listChosen(editor) {
  if (isOfMany(editor)) return selectedObjects(editor);
  const object = selectedObject(editor);
  return object ? [object] : [];
}

/** The smallest side; the server asks nothing of parts. @type {(editor: Editor, isPart: boolean) => number} */
export function minSidePx({ party }, isPart) {
  return isPart ? 1 : party.min_box_px;
}

/** Selects what was undone, so that it is seen; several that were selected stay so. @type {(editor: Editor, history: Editor["history"]) => Editor} */
function travel(editor, history) {
  if (history === editor.history) return editor;
  const moved = { ...editor, history, armed: null, refusal: null };
  const before = new Set([...objectsIn(editor), ...listOpen(editor)]);
  const all = [...objectsIn(moved), ...listOpen(moved)].filter((object) => !before.has(object));
  const selected = selectedKeys(moved);
  if (isOfMany(moved) && all.length > 0 && all.every(({ key }) => selected.includes(key))) return moved;
  const [changed] = all;
  const selection = changed ? { key: changed.key, part: null } : keepSelection(moved);
  return { ...moved, selection, also: NO_KEYS };
}

/** As far as it still exists: a part that is gone leaves its object. @type {(editor: Editor) => Target | null} */
export function keepSelection(editor) {
  const { selection } = editor;
  if (!selectedObject(editor)) return null;
  return selectedBox(editor) || !selection ? selection : { ...selection, part: null };
}

/**
 * @template T
 * @param {T} present
 * @returns {History<T>}
 */
export function startHistory(present) {
  return { past: [], present, future: [] };
}

/**
 * One more entry; the history itself where nothing changed.
 * @template T
 * @param {History<T>} history
 * @param {T} next
 * @returns {History<T>}
 */
export function commit(history, next) {
  if (next === history.present) return history;
  return { past: [...history.past, history.present], present: next, future: [] };
}

/**
 * The last entry changed once more, as while a key is held down: still one entry.
 * @template T
 * @param {History<T>} history
 * @param {T} next
 * @returns {History<T>}
 */
export function amend(history, next) {
  if (history.past.length === 0) return commit(history, next);
  return { past: history.past, present: next, future: [] };
}

/**
 * @template T
 * @param {History<T>} history
 * @returns {History<T>}
 */
export function undo(history) {
  const { past, present, future } = history;
  if (past.length === 0) return history;
  return { past: past.slice(0, -1), present: past[past.length - 1], future: [present, ...future] };
}

/**
 * @template T
 * @param {History<T>} history
 * @returns {History<T>}
 */
function redo(history) {
  const { past, present, future } = history;
  if (future.length === 0) return history;
  return { past: [...past, present], present: future[0], future: future.slice(1) };
}
