import assert from "node:assert/strict";
import { test } from "node:test";
import { boxOfPoints, edgesOf } from "../../../annotate_ui/static/app/geometry/pixels.js";
import {
  armPart,
  objectsIn,
  select,
  selectedObject,
  toggleHidden,
} from "../../../annotate_ui/static/app/state/editor.js";
import {
  drop,
  IDLE_HAND,
  lift,
  moveHand,
  press,
  takeBack,
} from "../../../annotate_ui/static/app/tools/hand.js";
import { selectBelow } from "../../../annotate_ui/static/app/tools/pick.js";
import { makeEditor, makeObject, SIZE } from "./fixtures.js";
import { forAll } from "./random.js";

/** @typedef {import("../../../annotate_ui/static/app/geometry/pixels.js").Point} Point */
/** @typedef {import("../../../annotate_ui/static/app/tools/hand.js").Desk} Desk */
/** @typedef {import("../../../annotate_ui/static/app/tools/tool.js").Grip} Grip */

/** @type {Grip} */
const EXTREMES = { reachPx: 6, slackPx: 3, drawing: "extremes", isPicking: false };
/** @type {Grip} */
const CLICKS = { ...EXTREMES, drawing: "clicks" };
const horse = makeObject("h", [100, 100, 300, 300], "bus");
const rider = makeObject("r", [150, 120, 220, 260]);

/**
 * @param {import("../../../annotate_ui/static/app/state/editor.js").Editor} editor
 * @returns {Desk}
 */
const deskWith = (editor) => ({ editor, hand: IDLE_HAND });

/**
 * @param {Desk} desk
 * @param {Point[]} places
 * @param {Grip} grip
 */
const clickAll = (desk, places, grip) =>
  places.reduce((one, at) => lift(press(moveHand(one, at), at, grip), at, "new"), desk);

/** @param {Desk} desk */
const boxesOn = (desk) => objectsIn(desk.editor).map((object) => object.box);

test("four points in any order draw the box that they touch", () => {
  forAll(200, (random) => {
    const [xmin, ymin] = [random.whole(1, 400), random.whole(1, 300)];
    const [xmax, ymax] = [random.whole(xmin + 3, 500), random.whole(ymin + 3, 375)];
    const { left, top, right, bottom } = edgesOf([xmin, ymin, xmax, ymax]);
    const x = () => random.between(left, right);
    const y = () => random.between(top, bottom);
    const points = /** @type {Point[]} */ ([[x(), top], [left, y()], [x(), bottom], [right, y()]]);
    points.sort(() => random.next() - 0.5);
    const desk = clickAll(deskWith(makeEditor()), points, EXTREMES);
    assert.deepEqual(boxesOn(desk), [[xmin, ymin, xmax, ymax]]);
    assert.equal(desk.hand.gesture, null);
  });
});

test("points keep their meaning where one lies on a corner of the object", () => {
  const corner = /** @type {Point} */ ([40, 50]);
  const desk = clickAll(deskWith(makeEditor()), [corner, corner, [90, 70], [60, 120]], EXTREMES);
  assert.deepEqual(boxesOn(desk), [[41, 51, 90, 120]]);
});

test("the last point can be taken back, and the one before it, and then there is no gesture", () => {
  let desk = clickAll(deskWith(makeEditor()), [[10, 50], [30, 20], [90, 60]], EXTREMES);
  assert.equal(desk.hand.gesture?.preview?.points?.length, 3);
  desk = takeBack(desk);
  assert.deepEqual(desk.hand.gesture?.preview?.points, [[10, 50], [30, 20]]);
  desk = takeBack(takeBack(desk));
  assert.equal(desk.hand.gesture, null);
  assert.deepEqual(boxesOn(desk), []);
});

test("a second finger takes back the press, not the points before it", () => {
  const two = clickAll(deskWith(makeEditor()), [[10, 50], [30, 20]], EXTREMES);
  const pinched = drop(press(two, [200, 200], EXTREMES));
  assert.deepEqual(pinched.hand.gesture?.preview?.points, [[10, 50], [30, 20]]);
  assert.equal(drop(press(deskWith(makeEditor()), [9, 9], EXTREMES)).hand.gesture, null);
});

test("four points on one place are too small for a box, and are said to be", () => {
  const same = /** @type {Point[]} */ (Array.from({ length: 4 }, () => [50, 50]));
  const desk = clickAll(deskWith(makeEditor()), same, EXTREMES);
  assert.equal(desk.editor.refusal, "too_small");
  assert.deepEqual(boxesOn(desk), []);
});

test("who draws by clicks starts a box inside another one without touching that", () => {
  const desk = clickAll(deskWith(makeEditor([horse])), [[150, 150], [250, 400]], CLICKS);
  assert.deepEqual(boxesOn(desk), [horse.box, [151, 151, 250, 375]]);
});

test("who draws by clicks may drag as well", () => {
  const held = moveHand(press(deskWith(makeEditor()), [40, 50], CLICKS), [90, 120]);
  assert.deepEqual(boxesOn(lift(held, [90, 120], "new")), [[41, 51, 90, 120]]);
});

for (const [what, grip] of /** @type {const} */ ([["clicks", CLICKS], ["points", EXTREMES]])) {
  test(`who draws by ${what} selects with the key for that`, () => {
    const desk = clickAll(deskWith(makeEditor([horse, rider])), [[180, 200]], {
      ...grip,
      isPicking: true,
    });
    assert.equal(desk.editor.selection?.key, "r");
    assert.equal(desk.hand.gesture, null);
  });

  test(`who draws by ${what} still grips the handles of the selected box`, () => {
    const desk = deskWith(select(makeEditor([horse]), { key: "h", part: null }));
    const held = moveHand(press(desk, [300, 300], grip), [310, 290]);
    assert.deepEqual(boxesOn(lift(held, [310, 290], "new")), [[100, 100, 310, 290]]);
  });
}

test("a part is drawn by four points too", () => {
  const editor = armPart(select(makeEditor([rider]), { key: "r", part: null }), "head");
  const desk = clickAll(deskWith(editor), [[160, 130], [180, 120], [200, 140], [170, 160]], EXTREMES);
  assert.deepEqual(selectedObject(desk.editor)?.parts, [{ name: "head", box: [161, 121, 200, 160] }]);
});

test("overlapping boxes are reached one after the other without a pointer", () => {
  const child = makeObject("c", [170, 170, 190, 210]);
  let editor = select(makeEditor([horse, rider, child]), { key: "c", part: null });
  const order = [1, 1, 1].map(() => (editor = selectBelow(editor, 1)).selection?.key);
  assert.deepEqual(order, ["r", "h", "c"]);
  assert.equal(selectBelow(editor, -1).selection?.key, "h");
});

test("a hidden class is not in the way of a click", () => {
  const hidden = toggleHidden(makeEditor([horse, rider]), "person");
  /** @type {Grip} */
  const grip = { ...CLICKS, isPicking: true };
  assert.equal(clickAll(deskWith(hidden), [[180, 200]], grip).editor.selection?.key, "h");
  const shown = toggleHidden(hidden, "person");
  assert.equal(clickAll(deskWith(shown), [[180, 200]], grip).editor.selection?.key, "r");
});

test("the box around points holds them all and grows with each", () => {
  forAll(200, (random) => {
    const points = Array.from({ length: random.whole(1, 6) }, () => random.corner(SIZE));
    const [xmin, ymin, xmax, ymax] = boxOfPoints(points, SIZE);
    for (const [x, y] of points) {
      assert(x >= xmin - 1 && x <= xmax && y >= ymin - 1 && y <= ymax);
    }
    const more = boxOfPoints([...points, random.corner(SIZE)], SIZE);
    assert(more[2] - more[0] >= xmax - xmin && more[3] - more[1] >= ymax - ymin);
  });
});
