/** What follows from every change: time is counted, and edits want to be saved. */

import { countEdit, touch, turnTo } from "./clock.js";
import { objectsIn } from "./editor.js";
import { noteChange } from "./saving.js";

/** @import {Model, Objects, Work} from "./types.js" */

/**
 * The model after a change by the person.
 * @param {Model} before
 * @param {Model} after
 * @param {number} nowSecs
 * @returns {Model}
 */
export function trackChange(before, after, nowSecs) {
  if (!before.work || !after.work || before.work.task !== after.work.task) return after;
  const work = { ...after.work, clock: touch(after.work.clock, nowSecs) };
  return { ...after, work: trackObjects(before.work, trackSelection(work), nowSecs) };
}

/** The model after a sign of life that changed nothing. @param {Model} model @param {number} nowSecs */
export function trackLife(model, nowSecs) {
  return trackChange(model, model, nowSecs);
}

/** Whether the work is on its way to its end, when nothing may be edited any more. @param {Work} work */
export function isEnding({ saving }) {
  return saving.order !== null || saving.flight?.finish === true;
}

/** A new selection that no gesture made is where work turns to. @param {Work} work @returns {Work} */
function trackSelection(work) {
  const key = work.editor.selection?.key ?? null;
  const isNew = key !== null && !work.stints.secs.has(key);
  if (isNew || key === work.stints.key) return work;
  return { ...work, stints: turnTo(work.stints, key, work.clock.activeSecs) };
}

/** @param {Work} before @param {Work} work @param {number} nowSecs @returns {Work} */
function trackObjects(before, work, nowSecs) {
  const objects = objectsIn(work.editor);
  if (objects === objectsIn(before.editor)) return work;
  const changed = listChanged(objectsIn(before.editor), objects);
  const { stints, pressedAt, clock } = work;
  const counted =
    changed.length === 1 ? countEdit(stints, changed[0], pressedAt, clock.activeSecs) : stints;
  return { ...work, stints: counted, saving: noteChange(work.saving, objects, nowSecs) };
}

/** @param {Objects} before @param {Objects} after */
function listChanged(before, after) {
  const known = new Set(before);
  return after.filter((object) => !known.has(object)).map((object) => object.key);
}
