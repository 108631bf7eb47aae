import assert from "node:assert/strict";
import { test } from "node:test";
import { armBox, armPoint, objectsIn, selectedObject } from "#app/state/editor.js";
import { clickByKey, drop, lift, moveCursor, press, sendCursor, stepCursor } from "#app/tools/cursor.js";
import { boxesOn, HORSE, makeEditor, RIDER, workspaceWith } from "./fixtures.js";

/** @import {Point} from "#app/geometry/types.js" */
/** @import {Workspace} from "#app/tools/types.js" */

const REACH = /** @type {const} */ ({ reachPx: 6, slackPx: 3, drawing: "drag", isPicking: false });

/**
 * @param {Workspace} workspace
 * @param {Point} from
 * @param {Point} to
 */
function drag(workspace, from, to) {
  const halfway = /** @type {Point} */ ([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]);
  return lift(moveCursor(press(workspace, from, REACH), halfway), to, "new");
}

/**
 * @param {Workspace} workspace
 * @param {Point} at
 */
const click = (workspace, at) => lift(press(workspace, at, REACH), at, "new");

test("a drag on the image draws a box", () => {
  const { editor, cursor } = drag(workspaceWith(makeEditor()), [40, 50], [90, 120]);
  assert.deepEqual(selectedObject(editor)?.box, [41, 51, 90, 120]);
  assert.equal(cursor.gesture, null);
});

test("a new box may start inside the selected one", () => {
  const workspace = workspaceWith(makeEditor([HORSE], "h"));
  const { editor } = drag(workspace, [150, 150], [250, 400]);
  assert.deepEqual(boxesOn({ editor }), [
    [100, 100, 300, 300],
    [151, 151, 250, 375],
  ]);
});

test("a click selects the smallest box, a second click the one below it", () => {
  const first = click(workspaceWith(makeEditor([HORSE, RIDER])), [180, 200]);
  assert.equal(first.editor.selection?.key, "r");
  const second = click(first, [180, 200]);
  assert.equal(second.editor.selection?.key, "h");
  assert.equal(click(second, [180, 200]).editor.selection?.key, "r");
});

test("a click on nothing selects nothing", () => {
  const workspace = workspaceWith(makeEditor([HORSE], "h"));
  assert.equal(click(workspace, [400, 20]).editor.selection, null);
});

test("a handle of the selected box reshapes it, a handle of another box does not", () => {
  const workspace = workspaceWith(makeEditor([HORSE, RIDER], "h"));
  const { editor } = drag(workspace, [300, 300], [310, 290]);
  assert.deepEqual(objectsIn(editor)[0].box, [100, 100, 310, 290]);
  assert.deepEqual(editor.sides, { x: "xmax", y: "ymax" });
  const onRider = drag(workspace, [220, 260], [240, 280]);
  assert.equal(objectsIn(onRider.editor).length, 3);
});

test("the outline of the selected box moves it", () => {
  const workspace = workspaceWith(makeEditor([HORSE], "h"));
  const { editor } = drag(workspace, [150, 99], [160, 104]);
  assert.deepEqual(objectsIn(editor)[0].box, [110, 105, 310, 305]);
});

test("with the box tool armed a press on a handle draws", () => {
  const workspace = workspaceWith(armBox(makeEditor([HORSE], "h")));
  assert.equal(objectsIn(drag(workspace, [300, 300], [350, 350]).editor).length, 2);
});

test("with the box tool armed two clicks draw", () => {
  const first = click(workspaceWith(armBox(makeEditor())), [40, 50]);
  assert.equal(first.cursor.gesture?.isHeld, false);
  assert.deepEqual(moveCursor(first, [70, 90]).cursor.gesture?.preview?.box, [41, 51, 70, 90]);
  const second = click(moveCursor(first, [70, 90]), [90, 120]);
  assert.deepEqual(selectedObject(second.editor)?.box, [41, 51, 90, 120]);
  assert.equal(second.cursor.gesture, null);
});

test("a box drawn by keys alone is the box drawn by pointer", () => {
  let workspace = stepCursor(workspaceWith(armBox(makeEditor())), -160, -100, [200, 150]);
  workspace = clickByKey(workspace, [0, 0], "new");
  workspace = stepCursor(workspace, 50, 70, [0, 0]);
  workspace = clickByKey(workspace, [0, 0], "new");
  assert.deepEqual(selectedObject(workspace.editor)?.box, [41, 51, 90, 120]);
  assert.equal(workspace.editor.armed, null);
});

test("a key sends the cursor to the border in its direction, and nowhere else", () => {
  const workspace = workspaceWith(armBox(makeEditor()));
  const [width, height] = workspace.editor.size;
  const sent = [
    [-1, 0],
    [1, 0],
    [0, 1],
  ].map(([dx, dy]) => sendCursor(workspace, dx, dy, [20, 10]).cursor.at);
  assert.deepEqual(sent, [
    [0, 10],
    [width, 10],
    [20, height],
  ]);
});

test("the cursor moved by keys never leaves the image", () => {
  const workspace = stepCursor(workspaceWith(armBox(makeEditor())), -900, 900, [10, 10]);
  assert.deepEqual(workspace.cursor.at, [0, 375]);
});

test("a cancelled gesture leaves every shape as it was", () => {
  const workspace = workspaceWith(makeEditor([HORSE], "h"));
  const held = moveCursor(press(workspace, [300, 300], REACH), [400, 370]);
  assert.deepEqual(held.cursor.gesture?.preview?.box, [100, 100, 400, 370]);
  const dropped = drop(held);
  assert.equal(dropped.editor, workspace.editor);
  assert.equal(dropped.cursor.gesture, null);
});

test("an edit starts from the shape at the moment it was grabbed", () => {
  const workspace = workspaceWith(makeEditor([HORSE], "h"));
  let held = press(workspace, [300, 300], REACH);
  for (const at of /** @type {Point[]} */ ([
    [900, 900],
    [-50, -50],
    [301, 301],
  ]))
    held = moveCursor(held, at);
  assert.deepEqual(lift(held, [302, 303], "new").editor.history.present.objects[0].box, [100, 100, 302, 303]);
});

test("the reference point is the pixel under the pointer", () => {
  const person = makeEditor([RIDER], "r");
  const { editor } = click(workspaceWith(armPoint(person)), [180.9, 200.2]);
  assert.deepEqual(selectedObject(editor)?.point, [181, 201]);
  assert.equal(editor.armed, null);
});
