import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRunner } from "#app/commands.js";
import { listOpen } from "#app/state/editor.js";
import { createStore, startWork } from "#app/state/model.js";
import { createWorkbench } from "#app/workbench.js";
import { boxesOn, makeModel, makeTask, SIZE } from "./fixtures.js";

/** @import {Point} from "#app/geometry/types.js" */
/** @import {Model} from "#app/state/types.js" */
/** @import {SentSuggestion} from "#app/types.js" */

/** A page with an open image, which presses chords and counts them. */
function openWorkspace() {
  const model = { ...makeModel(), stage: SIZE };
  const work = startWork(model, makeTask(), [], []);
  const store = createStore(/** @type {Model} */ ({ ...model, screen: "work", work }));
  const bench = createWorkbench(store, { nowSecs: () => 100, makeKey: () => "a", focusFilter: () => {} });
  const run = makeRunner(bench, {});
  const workspace = { count: 0, press, work: () => store.get().work ?? work };
  return workspace;

  /**
   * @param {string} chord
   * @param {number} [times]
   */
  function press(chord, times = 1) {
    const command = model.keymap.commandOf.get(chord);
    assert(command, chord);
    for (let time = 0; time < times; time += 1) run(command, { isRepeat: false, code: chord });
    workspace.count += times;
  }
}

/**
 * The arrows that bring the cross from one place to another along an axis, the long steps first.
 * @param {ReturnType<typeof openWorkspace>} workspace
 * @param {0 | 1} axis
 * @param {number} target
 */
function goTo(workspace, axis, target) {
  const arrows = /** @type {const} */ ([
    ["ArrowLeft", "ArrowRight"],
    ["ArrowUp", "ArrowDown"],
  ])[axis];
  const steps = { "Ctrl+Shift+": Math.round(SIZE[axis] / 10), "Shift+": 10, "": 1 };
  for (const [modifiers, step] of Object.entries(steps)) {
    const left = Math.round((target - crossOf(workspace)[axis]) / step);
    workspace.press(modifiers + arrows[left > 0 ? 1 : 0], Math.abs(left));
  }
}

/**
 * @param {ReturnType<typeof openWorkspace>} workspace
 * @returns {Point}
 */
function crossOf(workspace) {
  const { at } = workspace.work().cursor;
  assert(at, "there is no cross");
  return at;
}

for (const box of /** @type {const} */ ([
  [41, 51, 90, 120],
  [10, 8, 489, 367],
  [241, 183, 262, 194],
  [1, 1, 500, 375],
])) {
  test(`a box is drawn by few keys wherever it lies: ${box.join(", ")}`, () => {
    const workspace = openWorkspace();
    workspace.press("w");
    for (const [x, y] of [
      [box[0] - 1, box[1] - 1],
      [box[2], box[3]],
    ]) {
      goTo(workspace, 0, x);
      goTo(workspace, 1, y);
      workspace.press("Enter");
    }
    assert.deepEqual(boxesOn(workspace.work()), [box]);
    assert(workspace.count <= 45, `${workspace.count} keys`);
  });
}

test("a selected box moves by a tenth of the image, but not past its border", () => {
  const workspace = openWorkspace();
  for (const chord of ["w", "Enter", "Ctrl+Shift+ArrowRight", "Ctrl+Shift+ArrowDown", "Enter"])
    workspace.press(chord);
  const boxes = () => boxesOn(workspace.work());
  const [[left, top, right, bottom]] = boxes();
  assert.deepEqual([right - left + 1, bottom - top + 1], [50, 38]);
  workspace.press("Ctrl+Shift+ArrowLeft");
  workspace.press("Ctrl+Shift+ArrowUp");
  assert.deepEqual(boxes(), [[left - 50, top - 38, right - 50, bottom - 38]]);
  workspace.press("Ctrl+Shift+ArrowLeft", 9);
  assert.deepEqual(boxes(), [[1, top - 38, 50, bottom - 38]]);
});

for (const [what, unseen] of /** @type {const} */ ([
  ["is off the screen", { viewport: { scale: 1, x: -130, y: 0 } }],
  ["is hidden with all boxes", { showsBoxes: false }],
])) {
  for (const command of ["suggestion.accept", "suggestion.reject", "view:Left"]) {
    test(`${command} first shows a suggestion that ${what}`, () => {
      const model = { ...makeModel(), stage: SIZE };
      /** @type {SentSuggestion} */
      const sent = { id: 7, class: "person", box: [20, 20, 120, 220], confidence: 0.9 };
      const task = { ...makeTask(), suggestions: [sent] };
      const work = startWork(model, task, [], []);
      const opened = /** @type {Model} */ ({ ...model, screen: "work", work, ...unseen });
      const store = createStore(opened);
      const bench = createWorkbench(store, { nowSecs: () => 100, makeKey: () => "a", focusFilter: () => {} });
      const run = makeRunner(bench, {});
      const countOpen = () => listOpen(store.get().work?.editor ?? work.editor).length;
      run(command);
      assert.equal(countOpen(), 1);
      run(command);
      assert.equal(countOpen(), 0);
    });
  }
}
