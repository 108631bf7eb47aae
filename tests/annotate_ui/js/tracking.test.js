import assert from "node:assert/strict";
import { test } from "node:test";
import { secsOn } from "#app/state/clock.js";
import { select, undoLast } from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { changeEditor, changeWork, isEnding, startWork, trackChange, trackLife } from "#app/state/model.js";
import { giveOrder, statusOf } from "#app/state/saving.js";
import { DONE, makeModel, makeTask } from "./fixtures.js";

/** @import {Editor, Model, Objects, Work} from "#app/state/types.js" */

const empty = makeModel();
/** @type {Objects} */
const none = [];
const opened = { ...empty, work: startWork(empty, makeTask(), none, none) };

/**
 * @param {Model} model
 * @param {number} nowSecs
 * @param {(editor: Editor) => Editor} change
 */
const edit = (model, nowSecs, change) => trackChange(model, changeEditor(model, change), nowSecs);

/**
 * @param {Model} model
 * @returns {Work}
 */
function workIn({ work }) {
  assert(work !== null);
  return work;
}

test("an edit is to be saved, unless it was undone", () => {
  const drawn = edit(opened, 10, (editor) => edits.draw(editor, [10, 10, 60, 60], "a"));
  assert.equal(statusOf(workIn(drawn).saving), "unsaved");
  assert.equal(statusOf(workIn(edit(drawn, 10.5, undoLast)).saving), "saved");
});

test("moving the view needs no save but counts as activity", () => {
  const touched = trackLife(trackLife(opened, 10), 14);
  assert.equal(statusOf(workIn(touched).saving), "saved");
  assert.equal(workIn(touched).clock.activeSecs, 4);
});

test("an object's seconds run from the first press to its last edit", () => {
  let model = trackLife(opened, 100);
  model = changeWork(trackLife(model, 102), (work) => ({ ...work, pressedAt: work.clock.activeSecs }));
  model = edit(model, 103.5, (editor) => edits.draw(editor, [10, 10, 60, 60], "a"));
  model = edit(model, 105, (editor) => edits.chooseView(editor, "Left"));
  assert.equal(secsOn(workIn(model).stints, "a"), 3);
});

test("returning to an object counts from its selection", () => {
  let model = edit(opened, 100, (editor) => edits.draw(editor, [10, 10, 60, 60], "a"));
  model = edit(model, 110, (editor) => edits.draw(editor, [80, 10, 90, 60], "b"));
  const before = secsOn(workIn(model).stints, "a");
  model = edit(model, 120, (editor) => select(editor, { key: "a", part: null }));
  model = edit(model, 124, (editor) => edits.nudge(editor, 1, 0));
  assert.equal(secsOn(workIn(model).stints, "a") - before, 4);
});

test("finished work is ending until the server has it", () => {
  const work = workIn(opened);
  assert(!isEnding(work));
  assert(isEnding({ ...work, saving: giveOrder(work.saving, DONE) }));
});

test("the class used last is kept for the next image", () => {
  const model = edit(opened, 10, (editor) => edits.chooseClass(editor, "bus"));
  assert.equal(model.lastClass, "bus");
  assert.equal(startWork(model, makeTask(), [], []).editor.lastClass, "bus");
});
