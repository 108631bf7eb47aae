import assert from "node:assert/strict";
import { test } from "node:test";
import {
  amend,
  commit,
  enter,
  objectsIn,
  redoLast,
  select,
  selectNext,
  startHistory,
  undo,
  undoLast,
} from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { makeEditor, makeObject, SIZE } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {Editor} from "#app/state/types.js" */
/** @import {Random} from "./random.js" */

const START = [
  makeObject("a", [10, 10, 90, 90]),
  makeObject("b", [200, 30, 330, 280], "bus"),
  makeObject("c", [1, 1, 40, 40], "bottle"),
];

/** @type {((editor: Editor, random: Random) => Editor)[]} */
const EDITS = [
  (editor, random) => edits.draw(editor, random.box(SIZE), `n${random.whole(1, 1e9)}`),
  (editor) => selectNext(editor, 1),
  (editor) => select(editor, null),
  (editor, random) => edits.nudge(editor, random.whole(-20, 20), random.whole(-20, 20)),
  (editor, random) => edits.nudge(editor, 1, 0, random.whole(0, 1) === 1),
  (editor, random) => edits.nudgeSide(editor, random.whole(-9, 9), 0),
  (editor, random) => edits.chooseClass(editor, random.pick(["person", "bus", "bottle"])),
  (editor, random) => edits.chooseView(editor, random.pick(["Left", "Rear", "Unspecified"])),
  (editor, random) => edits.toggleFlag(editor, random.pick(["truncated", "occluded", "unsure"])),
  (editor, random) => edits.toggleAction(editor, random.pick(["walking", "running", "other"])),
  (editor, random) => edits.setPoint(editor, [random.whole(1, 500), random.whole(1, 375)]),
  (editor, random) =>
    edits.draw({ ...editor, armed: { kind: "part", id: "hand" } }, random.box(SIZE), "unused"),
  (editor) => edits.removeSelected(editor),
  (editor) => select(enter(editor, START), null),
];

testProperty("undo of any sequence of edits restores the start, and redo the end", 300, (random) => {
  const steps = random.whole(1, 40);
  let editor = makeEditor(START);
  for (let step = 0; step < steps; step += 1) editor = random.pick(EDITS)(editor, random);
  const end = objectsIn(editor);
  let back = editor;
  for (let step = 0; step < steps; step += 1) back = undoLast(back);
  assert.equal(objectsIn(back), START);
  assert.equal(undoLast(back), back);
  let again = back;
  for (let step = 0; step < steps; step += 1) again = redoLast(again);
  assert.equal(objectsIn(again), end);
});

testProperty("an edit never changes the lists that undo goes back to", 100, (random) => {
  let editor = makeEditor(Object.freeze(START.map((object) => Object.freeze({ ...object }))));
  for (let step = 0; step < 20; step += 1) editor = random.pick(EDITS)(editor, random);
});

test("one edit is one history entry, and an edit without effect is none", () => {
  const editor = edits.chooseView(makeEditor(START, "b"), "Left");
  assert.equal(editor.history.past.length, 1);
  assert.equal(edits.chooseView(editor, "Left").history.past.length, 1);
  assert.equal(edits.nudge(editor, 0, 0).history.past.length, 1);
});

test("a key that is held down makes one history entry", () => {
  let editor = edits.nudge(makeEditor(START, "a"), 1, 0);
  for (let times = 0; times < 30; times += 1) editor = edits.nudge(editor, 1, 0, true);
  assert.deepEqual(objectsIn(editor)[0].box, [41, 10, 121, 90]);
  assert.equal(objectsIn(undoLast(editor)), START);
});

test("an edit after an undo discards the undone edits", () => {
  const history = commit(undo(commit(startHistory("a"), "b")), "c");
  assert.deepEqual(history, { past: ["a"], present: "c", future: [] });
});

test("an amendment without an earlier entry makes one", () =>
  assert.deepEqual(amend(startHistory("a"), "b").past, ["a"]));

test("undo selects the object that it restored", () => {
  const removed = edits.removeSelected(makeEditor(START, "b"));
  assert.equal(removed.selection, null);
  assert.deepEqual(undoLast(removed).selection, { key: "b", part: null });
});
