import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRunner } from "../../../annotate_ui/static/app/commands.js";
import { objectsIn } from "../../../annotate_ui/static/app/state/editor.js";
import { startWork } from "../../../annotate_ui/static/app/state/model.js";
import { createStore } from "../../../annotate_ui/static/app/state/store.js";
import { createWorkbench } from "../../../annotate_ui/static/app/workbench.js";
import { makeModel, makeTask, SIZE } from "./fixtures.js";

/** @typedef {import("../../../annotate_ui/static/app/geometry/pixels.js").Point} Point */
/** @typedef {import("../../../annotate_ui/static/app/state/model.js").Model} Model */

/** A page with an image in hand, which presses chords and counts them. */
function openDesk() {
  const model = { ...makeModel(), stage: SIZE };
  const work = startWork(model, makeTask(), [], []);
  const store = createStore(/** @type {Model} */ ({ ...model, screen: "work", work }));
  const bench = createWorkbench(store, { nowSecs: () => 100, makeKey: () => "a", focusFilter: () => {} });
  const run = makeRunner(bench, {});
  const desk = { count: 0, press, work: () => store.get().work ?? work };
  return desk;

  /**
   * @param {string} chord
   * @param {number} [times]
   */
  function press(chord, times = 1) {
    const command = model.keymap.commandOf.get(chord);
    assert(command, chord);
    for (let time = 0; time < times; time += 1) run(command, { isRepeat: false, code: chord });
    desk.count += times;
  }
}

/**
 * The arrows that bring the cross from one place to another along an axis, the long steps first.
 * @param {ReturnType<typeof openDesk>} desk
 * @param {0 | 1} axis
 * @param {number} target
 */
function goTo(desk, axis, target) {
  const arrows = /** @type {const} */ ([["ArrowLeft", "ArrowRight"], ["ArrowUp", "ArrowDown"]])[axis];
  for (const [modifiers, step] of /** @type {const} */ ([
    ["Ctrl+Shift+", Math.round(SIZE[axis] / 10)],
    ["Shift+", 10],
    ["", 1],
  ])) {
    const left = Math.round((target - crossOf(desk)[axis]) / step);
    desk.press(modifiers + arrows[left > 0 ? 1 : 0], Math.abs(left));
  }
}

/**
 * @param {ReturnType<typeof openDesk>} desk
 * @returns {Point}
 */
function crossOf(desk) {
  const { at } = desk.work().hand;
  assert(at, "there is no cross");
  return at;
}

for (const box of /** @type {const} */ ([[41, 51, 90, 120], [10, 8, 489, 367], [241, 183, 262, 194], [1, 1, 500, 375]])) {
  test(`a box is drawn by few keys wherever it lies: ${box.join(", ")}`, () => {
    const desk = openDesk();
    desk.press("w");
    for (const [x, y] of [[box[0] - 1, box[1] - 1], [box[2], box[3]]]) {
      goTo(desk, 0, x);
      goTo(desk, 1, y);
      desk.press("Enter");
    }
    assert.deepEqual(objectsIn(desk.work().editor).map((object) => object.box), [box]);
    assert(desk.count <= 45, `${desk.count} keys`);
  });
}

test("a selected box leaps by a tenth of the image, and no further than its border", () => {
  const desk = openDesk();
  desk.press("w");
  desk.press("Enter");
  desk.press("Ctrl+Shift+ArrowRight");
  desk.press("Ctrl+Shift+ArrowDown");
  desk.press("Enter");
  const boxes = () => objectsIn(desk.work().editor).map((object) => object.box);
  const [[left, top, right, bottom]] = boxes();
  assert.deepEqual([right - left + 1, bottom - top + 1], [50, 38]);
  desk.press("Ctrl+Shift+ArrowLeft");
  desk.press("Ctrl+Shift+ArrowUp");
  assert.deepEqual(boxes(), [[left - 50, top - 38, right - 50, bottom - 38]]);
  desk.press("Ctrl+Shift+ArrowLeft", 9);
  assert.deepEqual(boxes(), [[1, top - 38, 50, bottom - 38]]);
});
