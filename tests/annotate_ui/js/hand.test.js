import assert from "node:assert/strict";
import { test } from "node:test";
import {
  armBox,
  armPoint,
  objectsIn,
  select,
  selectedObject,
} from "../../../annotate_ui/static/app/state/editor.js";
import {
  clickByKey,
  drop,
  IDLE_HAND,
  lift,
  moveHand,
  press,
  sendHand,
  stepHand,
} from "../../../annotate_ui/static/app/tools/hand.js";
import { makeEditor, makeObject } from "./fixtures.js";

/** @typedef {import("../../../annotate_ui/static/app/geometry/pixels.js").Point} Point */
/** @typedef {import("../../../annotate_ui/static/app/tools/hand.js").Desk} Desk */

const REACH = /** @type {const} */ ({
  reachPx: 6,
  slackPx: 3,
  drawing: "drag",
  isPicking: false,
});
const horse = makeObject("h", [100, 100, 300, 300], "bus");
const rider = makeObject("r", [150, 120, 220, 260]);

/**
 * @param {import("../../../annotate_ui/static/app/state/editor.js").Editor} editor
 * @returns {Desk}
 */
const deskWith = (editor) => ({ editor, hand: IDLE_HAND });

/**
 * @param {Desk} desk
 * @param {Point} from
 * @param {Point} to
 */
function drag(desk, from, to) {
  const halfway = /** @type {Point} */ ([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]);
  return lift(moveHand(press(desk, from, REACH), halfway), to, "new");
}

/**
 * @param {Desk} desk
 * @param {Point} at
 */
const click = (desk, at) => lift(press(desk, at, REACH), at, "new");

test("a drag on the image draws a box", () => {
  const { editor, hand } = drag(deskWith(makeEditor()), [40, 50], [90, 120]);
  assert.deepEqual(selectedObject(editor)?.box, [41, 51, 90, 120]);
  assert.equal(hand.gesture, null);
});

test("a new box may start inside the selected one", () => {
  const desk = deskWith(select(makeEditor([horse]), { key: "h", part: null }));
  const { editor } = drag(desk, [150, 150], [250, 400]);
  assert.deepEqual(objectsIn(editor).map((object) => object.box), [
    [100, 100, 300, 300],
    [151, 151, 250, 375],
  ]);
});

test("a click selects the smallest box, and again the one below it", () => {
  const first = click(deskWith(makeEditor([horse, rider])), [180, 200]);
  assert.equal(first.editor.selection?.key, "r");
  const second = click(first, [180, 200]);
  assert.equal(second.editor.selection?.key, "h");
  assert.equal(click(second, [180, 200]).editor.selection?.key, "r");
});

test("a click on nothing selects nothing", () => {
  const desk = deskWith(select(makeEditor([horse]), { key: "h", part: null }));
  assert.equal(click(desk, [400, 20]).editor.selection, null);
});

test("a handle of the selected box reshapes it, a handle of another box does not", () => {
  const desk = deskWith(select(makeEditor([horse, rider]), { key: "h", part: null }));
  const { editor } = drag(desk, [300, 300], [310, 290]);
  assert.deepEqual(objectsIn(editor)[0].box, [100, 100, 310, 290]);
  assert.deepEqual(editor.sides, { x: "xmax", y: "ymax" });
  const onRider = drag(desk, [220, 260], [240, 280]);
  assert.equal(objectsIn(onRider.editor).length, 3);
});

test("the outline of the selected box moves it", () => {
  const desk = deskWith(select(makeEditor([horse]), { key: "h", part: null }));
  const { editor } = drag(desk, [150, 99], [160, 104]);
  assert.deepEqual(objectsIn(editor)[0].box, [110, 105, 310, 305]);
});

test("with the box tool armed a press on a handle draws", () => {
  const desk = deskWith(armBox(select(makeEditor([horse]), { key: "h", part: null })));
  assert.equal(objectsIn(drag(desk, [300, 300], [350, 350]).editor).length, 2);
});

test("with the box tool armed two clicks draw", () => {
  const first = click(deskWith(armBox(makeEditor())), [40, 50]);
  assert.equal(first.hand.gesture?.isHeld, false);
  assert.deepEqual(moveHand(first, [70, 90]).hand.gesture?.preview?.box, [41, 51, 70, 90]);
  const second = click(moveHand(first, [70, 90]), [90, 120]);
  assert.deepEqual(selectedObject(second.editor)?.box, [41, 51, 90, 120]);
  assert.equal(second.hand.gesture, null);
});

test("a box drawn by keys alone is the box drawn by pointer", () => {
  let desk = deskWith(armBox(makeEditor()));
  desk = stepHand(desk, -160, -100, [200, 150]);
  desk = clickByKey(desk, [0, 0], "new");
  desk = stepHand(desk, 50, 70, [0, 0]);
  desk = clickByKey(desk, [0, 0], "new");
  assert.deepEqual(selectedObject(desk.editor)?.box, [41, 51, 90, 120]);
  assert.equal(desk.editor.armed, null);
});

test("a key sends the hand to the border in its direction, and nowhere else", () => {
  const desk = deskWith(armBox(makeEditor()));
  const [width, height] = desk.editor.size;
  assert.deepEqual(sendHand(desk, -1, 0, [20, 10]).hand.at, [0, 10]);
  assert.deepEqual(sendHand(desk, 1, 0, [20, 10]).hand.at, [width, 10]);
  assert.deepEqual(sendHand(desk, 0, 1, [20, 10]).hand.at, [20, height]);
});

test("the hand moved by keys never leaves the image", () => {
  const desk = stepHand(deskWith(armBox(makeEditor())), -900, 900, [10, 10]);
  assert.deepEqual(desk.hand.at, [0, 375]);
});

test("a dropped gesture leaves every shape as it was", () => {
  const desk = deskWith(select(makeEditor([horse]), { key: "h", part: null }));
  const held = moveHand(press(desk, [300, 300], REACH), [400, 370]);
  assert.deepEqual(held.hand.gesture?.preview?.box, [100, 100, 400, 370]);
  const dropped = drop(held);
  assert.equal(dropped.editor, desk.editor);
  assert.equal(dropped.hand.gesture, null);
});

test("an edit starts from the shape as it was grabbed, not from where the pointer wandered", () => {
  const desk = deskWith(select(makeEditor([horse]), { key: "h", part: null }));
  let held = press(desk, [300, 300], REACH);
  for (const at of /** @type {Point[]} */ ([[900, 900], [-50, -50], [301, 301]])) {
    held = moveHand(held, at);
  }
  assert.deepEqual(lift(held, [302, 303], "new").editor.history.present[0].box, [
    100, 100, 302, 303,
  ]);
});

test("the reference point is the pixel under the pointer", () => {
  const person = select(makeEditor([rider]), { key: "r", part: null });
  const { editor } = click(deskWith(armPoint(person)), [180.9, 200.2]);
  assert.deepEqual(selectedObject(editor)?.point, [181, 201]);
  assert.equal(editor.armed, null);
});
