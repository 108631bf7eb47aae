/**
 * What models suggest for an image: boxes that become objects only where a person says so.
 *
 * The selected one is accepted, corrected by any edit, or rejected, one at a time and only while it is shown.
 */

import { isLargeEnough } from "../geometry/boxes.js";
import {
  currentSuggestion,
  enter,
  isOfMany,
  listOpen,
  objectsIn,
  objectsToChange,
  refuse,
  rejectedIn,
  select,
  selectedObject,
} from "./editor.js";
import { chooseView, removeSelected } from "./edits.js";
import { newObject, UNSPECIFIED } from "./objects.js";
import { findClass, followWords } from "./party.js";

/** @import {Size} from "../geometry/types.js" */
/** @import {Annotated, Party, SentSuggestion} from "../types.js" */
/** @import {Editor, Objects, Sheet} from "./types.js" */

/**
 * The suggestions as objects that nobody accepted yet, without those that the party would not take. Whoever accepts
 * the same one in two windows makes the same object, by its key.
 * @type {(party: Party, size: Size, sent?: readonly SentSuggestion[]) => Objects}
 */
export function makeSuggestions(party, size, sent = []) {
  const made = sent.map(({ id, class: name, box, confidence, parts = [] }) => {
    const plain = newObject(`suggestion-${id}`, name, box, { size, flags: party.flags });
    const object = followWords(party, { ...plain, parts });
    return { ...object, parts: takeParts(party, object), suggestion_id: id, confidence };
  });
  return made.filter(
    (object) => findClass(party, object.class) && isLargeEnough(object.box, party.min_box_px),
  );
}

/**
 * The parts that an object of its class can have, as many as it can have.
 * @type {(party: Party, object: Annotated) => Annotated["parts"]}
 */
function takeParts(party, object) {
  if (!findClass(party, object.class)?.has_parts) return [];
  return object.parts.filter(({ part }, at) => {
    const spec = party.parts.find(({ id }) => id === part);
    const before = object.parts.slice(0, at).filter((other) => other.part === part);
    return spec && before.length < spec.most;
  });
}

/**
 * What two people confirmed on the verification page, as objects that are there when the image is opened. They saw the
 * box alone, so it has no parts.
 * @type {(party: Party, size: Size, sent?: readonly SentSuggestion[]) => Objects}
 */
export function openConfirmed(party, size, sent = []) {
  const confirmed = sent.filter(({ is_confirmed: isConfirmed }) => isConfirmed);
  return makeSuggestions(party, size, confirmed).map(({ confidence, ...object }) => ({
    ...object,
    parts: [],
  }));
}

/**
 * The next open suggestion after `key` is selected, of those that are in sight; nothing where there is none.
 * @type {(editor: Editor, key?: string | null) => Editor}
 */
export function selectOpen(editor, key = null) {
  if (editor.suggestions.length === 0) return editor;
  const { suggestions, hidden } = editor;
  const open = new Set(listOpen(editor).filter((suggestion) => !hidden.has(suggestion.class)));
  const after = suggestions.findIndex((suggestion) => suggestion.key === key) + 1;
  const ordered = [...suggestions.slice(after), ...suggestions.slice(0, after)];
  const next = ordered.find((suggestion) => open.has(suggestion));
  return select(editor, next ? { key: next.key, part: null } : null);
}

/**
 * The selected suggestion becomes an object as it is, and the next one is selected. Where none is selected, or they
 * are hidden, the next one is only shown: nothing is accepted unseen.
 * @type {(editor: Editor) => Editor}
 */
export function accept(editor) {
  const suggestion = currentSuggestion(editor);
  if (!suggestion || !editor.showsSuggestions) return showOpen(editor);
  const objects = objectsToChange(editor);
  if (objects === objectsIn(editor)) return refuse(editor, "too_many");
  return selectOpen(enter(editor, objects), suggestion.key);
}

/** Whether what is selected was suggested, open or made an object by now. @param {Editor} editor */
export function isOfSuggestion({ suggestions, selection }) {
  return suggestions.some(({ key }) => key === selection?.key);
}

/**
 * The view of what is selected. It comes last for what was suggested: its first view accepts the open suggestion, and
 * the next one is selected where one is left. Where suggestions are hidden, the next one is only shown.
 * @type {(editor: Editor, view: string) => Editor}
 */
export function giveView(editor, view) {
  if (currentSuggestion(editor) && !editor.showsSuggestions) return showOpen(editor);
  const before = selectedObject(editor);
  const given = chooseView(editor, view);
  const isFirst = given.history !== editor.history && before?.view === UNSPECIFIED;
  if (!isFirst || !isOfSuggestion(editor) || isOfMany(editor)) return given;
  const next = selectOpen(given, before.key);
  return currentSuggestion(next) && editor.showsSuggestions ? next : given;
}

/**
 * The selected suggestion is rejected, or the object that was made of it, and the next one is selected.
 * @type {(editor: Editor) => Editor}
 */
export function reject(editor) {
  const { selection } = editor;
  if (!isOfSuggestion(editor) || !editor.showsSuggestions) return showOpen(editor);
  return selectOpen(
    removeSelected(select(editor, selection && { ...selection, part: null })),
    selection?.key,
  );
}

/** All open suggestions are hidden, or shown again with the first one selected. @type {(editor: Editor) => Editor} */
export function toggleSuggestions(editor) {
  if (!editor.showsSuggestions) return showOpen(editor);
  const hidden = { ...editor, showsSuggestions: false, refusal: null };
  return currentSuggestion(editor) ? select(hidden, null) : hidden;
}

/**
 * The objects of two windows, and what either rejected and neither has: one may have accepted what the other did not
 * want. Of an object that both have, the editor's stays.
 * @type {(editor: Editor, theirs: Sheet) => Sheet}
 */
export function joinSheets(editor, theirs) {
  const mine = objectsIn(editor);
  const keys = new Set(mine.map(({ key }) => key));
  const objects = [...mine, ...theirs.objects.filter(({ key }) => !keys.has(key))];
  const accepted = new Set(objects.map(({ suggestion_id }) => suggestion_id));
  const rejected = new Set([...rejectedIn(editor), ...theirs.rejected]);
  return { objects, rejected: [...rejected].filter((id) => !accepted.has(id)) };
}

/** @param {Editor} editor */
function showOpen(editor) {
  if (listOpen(editor).length === 0) return refuse(editor, "none_suggested");
  return selectOpen({ ...editor, showsSuggestions: true }, editor.selection?.key);
}
