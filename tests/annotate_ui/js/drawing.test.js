import assert from "node:assert/strict";
import { test } from "node:test";
import { boxOfPoints, edgesOf } from "#app/geometry/pixels.js";
import {
  armBox,
  armPart,
  armPoint,
  objectsIn,
  select,
  selectedObject,
  selectNext,
  toggleHidden,
} from "#app/state/editor.js";
import { paste, removeSelected } from "#app/state/edits.js";
import { drop, lift, moveCursor, press, takeBack } from "#app/tools/cursor.js";
import { selectBelow } from "#app/tools/pick.js";
import { boxesOn, HORSE, makeEditor, makeObject, RIDER, SIZE, workspaceWith } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {Point} from "#app/geometry/types.js" */
/** @import {Editor} from "#app/state/types.js" */
/** @import {PointerState, Workspace} from "#app/tools/types.js" */

/** @type {PointerState} */
const EXTREMES = { reachPx: 6, slackPx: 3, drawing: "extremes", isPicking: false };
/** @type {PointerState} */
const CLICKS = { ...EXTREMES, drawing: "clicks" };

/**
 * @param {Workspace} workspace
 * @param {Point[]} places
 * @param {PointerState} pointerState
 */
const clickAll = (workspace, places, pointerState) =>
  places.reduce((drawn, at) => lift(press(moveCursor(drawn, at), at, pointerState), at, "new"), workspace);

testProperty("four points in any order draw the box that they touch", 200, (random) => {
  const xmin = random.whole(1, 400);
  const ymin = random.whole(1, 300);
  const xmax = random.whole(xmin + 3, 500);
  const ymax = random.whole(ymin + 3, 375);
  const { left, top, right, bottom } = edgesOf([xmin, ymin, xmax, ymax]);
  const x = () => random.between(left, right);
  const y = () => random.between(top, bottom);
  const points = /** @type {Point[]} */ ([
    [x(), top],
    [left, y()],
    [x(), bottom],
    [right, y()],
  ]);
  points.sort(() => random.next() - 0.5);
  const workspace = clickAll(workspaceWith(makeEditor()), points, EXTREMES);
  assert.deepEqual(boxesOn(workspace), [[xmin, ymin, xmax, ymax]]);
  assert.equal(workspace.cursor.gesture, null);
});

test("four points keep their roles if one lies on a corner of the object", () => {
  const corner = /** @type {Point} */ ([40, 50]);
  const workspace = clickAll(workspaceWith(makeEditor()), [corner, corner, [90, 70], [60, 120]], EXTREMES);
  assert.deepEqual(boxesOn(workspace), [[41, 51, 90, 120]]);
});

test("points can be undone one by one, and then there is no gesture", () => {
  let workspace = clickAll(
    workspaceWith(makeEditor()),
    [
      [10, 50],
      [30, 20],
      [90, 60],
    ],
    EXTREMES,
  );
  assert.equal(workspace.cursor.gesture?.preview?.points?.length, 3);
  workspace = takeBack(workspace);
  assert.deepEqual(workspace.cursor.gesture?.preview?.points, [
    [10, 50],
    [30, 20],
  ]);
  workspace = takeBack(takeBack(workspace));
  assert.equal(workspace.cursor.gesture, null);
  assert.deepEqual(boxesOn(workspace), []);
});

test("a second finger cancels the press, not the points before it", () => {
  const two = clickAll(
    workspaceWith(makeEditor()),
    [
      [10, 50],
      [30, 20],
    ],
    EXTREMES,
  );
  const pinched = drop(press(two, [200, 200], EXTREMES));
  assert.deepEqual(pinched.cursor.gesture?.preview?.points, [
    [10, 50],
    [30, 20],
  ]);
  assert.equal(drop(press(workspaceWith(makeEditor()), [9, 9], EXTREMES)).cursor.gesture, null);
});

test("four points in one place are reported as too small for a box", () => {
  const same = /** @type {Point[]} */ (Array.from({ length: 4 }, () => [50, 50]));
  const workspace = clickAll(workspaceWith(makeEditor()), same, EXTREMES);
  assert.equal(workspace.editor.refusal, "too_small");
  assert.deepEqual(boxesOn(workspace), []);
});

test("a box drawn by clicks can start inside another one without moving it", () => {
  const workspace = clickAll(
    workspaceWith(makeEditor([HORSE])),
    [
      [150, 150],
      [250, 400],
    ],
    CLICKS,
  );
  assert.deepEqual(boxesOn(workspace), [HORSE.box, [151, 151, 250, 375]]);
});

test("in clicking mode a box can be dragged as well", () => {
  const held = moveCursor(press(workspaceWith(makeEditor()), [40, 50], CLICKS), [90, 120]);
  assert.deepEqual(boxesOn(lift(held, [90, 120], "new")), [[41, 51, 90, 120]]);
});

for (const [what, pointerState] of /** @type {const} */ ([
  ["clicks", CLICKS],
  ["points", EXTREMES],
])) {
  test(`who draws by ${what} selects with the key for that`, () => {
    const picking = { ...pointerState, isPicking: true };
    const workspace = clickAll(workspaceWith(makeEditor([HORSE, RIDER])), [[180, 200]], picking);
    assert.equal(workspace.editor.selection?.key, "r");
    assert.equal(workspace.cursor.gesture, null);
  });

  test(`who draws by ${what} still grips the handles of the selected box`, () => {
    const workspace = workspaceWith(makeEditor([HORSE], "h"));
    const held = moveCursor(press(workspace, [300, 300], pointerState), [310, 290]);
    assert.deepEqual(boxesOn(lift(held, [310, 290], "new")), [[100, 100, 310, 290]]);
  });
}

test("a part is drawn by four points too", () => {
  const editor = armPart(makeEditor([RIDER], "r"), "head");
  const workspace = clickAll(
    workspaceWith(editor),
    [
      [160, 130],
      [180, 120],
      [200, 140],
      [170, 160],
    ],
    EXTREMES,
  );
  assert.deepEqual(selectedObject(workspace.editor)?.parts, [{ part: "head", box: [161, 121, 200, 160] }]);
});

/** @type {[what: string, change: (editor: Editor) => Editor][]} */
const MEANWHILE = [
  ["the next object is selected", (editor) => selectNext(editor, 1)],
  ["nothing is selected", (editor) => select(editor, null)],
  ["a copy is added", (editor) => paste(editor, HORSE, "copy")],
];
for (const [what, change] of MEANWHILE) {
  const corners = /** @type {const} */ ([
    [160, 130],
    [200, 160],
  ]);

  test(`a part goes to the object on which its gesture began, though ${what}`, () => {
    const start = press(workspaceWith(armPart(makeEditor([RIDER, HORSE], "r"), "head")), corners[0], CLICKS);
    const { editor } = lift({ ...start, editor: change(start.editor) }, corners[1], "new");
    const [rider, horse] = objectsIn(editor);
    assert.deepEqual([rider.parts.length, horse.parts.length], [1, 0]);
  });

  test(`a point goes to the object on which its press began, though ${what}`, () => {
    const start = press(workspaceWith(armPoint(makeEditor([RIDER, HORSE], "r"))), corners[0], CLICKS);
    const { editor } = lift({ ...start, editor: change(start.editor) }, corners[0], "new");
    assert.deepEqual(objectsIn(editor)[0].point, [161, 131]);
  });
}

test("a part is not drawn where its object was deleted meanwhile, a new box is", () => {
  const both = makeEditor([RIDER, HORSE], "r");
  for (const [editor, count] of /** @type {const} */ ([
    [armPart(both, "head"), 1],
    [armBox(both), 2],
  ])) {
    const start = press(workspaceWith(editor), [10, 20], CLICKS);
    const after = lift({ ...start, editor: removeSelected(start.editor) }, [80, 90], "new").editor;
    assert.equal(objectsIn(after).length, count);
    assert(objectsIn(after).every(({ parts }) => parts.length === 0));
  }
});

test("overlapping boxes are reached one after the other without a pointer", () => {
  const child = makeObject("c", [170, 170, 190, 210]);
  let editor = makeEditor([HORSE, RIDER, child], "c");
  const order = [1, 1, 1].map(() => (editor = selectBelow(editor, 1)).selection?.key);
  assert.deepEqual(order, ["r", "h", "c"]);
  assert.equal(selectBelow(editor, -1).selection?.key, "h");
});

test("a box of a hidden class is not hit by a click", () => {
  const hidden = toggleHidden(makeEditor([HORSE, RIDER]), "person");
  /** @type {PointerState} */
  const pointerState = { ...CLICKS, isPicking: true };
  assert.equal(clickAll(workspaceWith(hidden), [[180, 200]], pointerState).editor.selection?.key, "h");
  const shown = toggleHidden(hidden, "person");
  assert.equal(clickAll(workspaceWith(shown), [[180, 200]], pointerState).editor.selection?.key, "r");
});

testProperty("the box around points holds them all and grows with each", 200, (random) => {
  const points = Array.from({ length: random.whole(1, 6) }, () => random.corner(SIZE));
  const [xmin, ymin, xmax, ymax] = boxOfPoints(points, SIZE);
  for (const [x, y] of points) assert(x >= xmin - 1 && x <= xmax && y >= ymin - 1 && y <= ymax);
  const more = boxOfPoints([...points, random.corner(SIZE)], SIZE);
  assert(more[2] - more[0] >= xmax - xmin && more[3] - more[1] >= ymax - ymin);
});
