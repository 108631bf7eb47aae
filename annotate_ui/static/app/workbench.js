/** The one way in which hands change the model: edits are tracked, and stop when the work ends. */

import { toImage } from "./geometry/viewport.js";
import { objectsIn, select } from "./state/editor.js";
import { changeEditor, changeWork } from "./state/model.js";
import { keyOfField } from "./state/revision.js";
import { isEnding, trackChange, trackLife } from "./state/tracking.js";

/** @typedef {import("./state/model.js").Model} Model */
/** @typedef {import("./state/model.js").Work} Work */
/** @typedef {import("./state/editor.js").Editor} Editor */
/** @typedef {import("./tools/hand.js").Desk} Desk */
/** @typedef {import("./geometry/pixels.js").Point} Point */
/** @typedef {{middle: Point, newKey: string}} Context the middle of what is seen, and a new key */
/** @typedef {import("./state/store.js").Store<Model>} ModelStore */
/**
 * `update` changes what is seen, `edit` the objects, `desk` the hand and the objects, `judge` a
 * checker's verdicts; `touch` is a sign of life.
 * @typedef {{
 *   store: ModelStore, get: () => Model,
 *   update: (change: (model: Model) => Model) => void,
 *   edit: (change: (editor: Editor) => Editor) => void,
 *   desk: (change: (desk: Desk, context: Context) => Desk) => void,
 *   changeWork: (change: (work: Work) => Work) => void,
 *   touch: () => void, focusFilter: () => void, makeKey: () => string, nowSecs: () => number,
 * }} Workbench
 */

/**
 * @param {ModelStore} store
 * @param {{nowSecs: () => number, makeKey: () => string, focusFilter: () => void}} parts
 * @returns {Workbench}
 */
export function createWorkbench(store, { nowSecs, makeKey, focusFilter }) {
  const track = (/** @type {(model: Model) => Model} */ change) =>
    store.update((before) => trackChange(before, change(before), nowSecs()));
  const byHand = (/** @type {(model: Model) => Model} */ change) => {
    const { work, screen } = store.get();
    if (work && screen === "work" && !isEnding(work)) track((model) => change(silence(model)));
  };
  return {
    store,
    get: store.get,
    update: store.update,
    edit: (change) => byHand((model) => changeEditor(model, change)),
    desk: (change) => byHand((model) => changeDesk(model, change, makeKey())),
    changeWork: (change) => byHand((model) => changeWork(model, change)),
    touch: () => store.update((model) => trackLife(model, nowSecs())),
    focusFilter,
    makeKey,
    nowSecs,
  };
}

/**
 * The server did not take it: its sentence is shown, and the object that it means is selected.
 * @param {Workbench} bench
 * @param {{message: string, field: string | null}} error
 */
export function refuse({ get, edit, update }, { message, field }) {
  const { work } = get();
  const key = work && keyOfField(field, objectsIn(work.editor));
  if (key) edit((editor) => select(editor, { key, part: null }));
  update((model) => ({ ...model, notice: { text: message, tone: "danger" } }));
}

/**
 * The hand and the objects together. The gesture's beginning is noted for the object's time.
 * @param {Model} model
 * @param {(desk: Desk, context: Context) => Desk} change
 * @param {string} newKey
 */
function changeDesk(model, change, newKey) {
  const { stage, viewport } = model;
  const middle = toImage(viewport, [stage[0] / 2, stage[1] / 2]);
  const changed = changeWork(model, (work) => {
    const { hand, editor } = change({ hand: work.hand, editor: work.editor }, { middle, newKey });
    const isBeginning = hand.gesture !== null && work.hand.gesture === null;
    const pressedAt = isBeginning ? work.clock.activeSecs : work.pressedAt;
    return { ...work, hand, editor, pressedAt };
  });
  return changeEditor(changed, (editor) => editor);
}

/**
 * What was said is no longer news once the work goes on.
 * @param {Model} model
 * @returns {Model}
 */
function silence(model) {
  const isOver = model.notice !== null && model.work?.hand.gesture != null;
  return isOver ? { ...model, notice: null } : model;
}
