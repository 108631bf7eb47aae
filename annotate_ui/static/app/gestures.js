/** From keys, pointer and wheel to the workbench: what a press, a move, a lift and a zoom change. */

import { panBy, toImage, zoomAt } from "./geometry/viewport.js";
import { drop, lift, moveCursor, press } from "./tools/cursor.js";
import { byId } from "./view/dom.js";
import { listenToKeys, listenToPointer } from "./view/input.js";
import { handlePx } from "./view/paint_cursor.js";
import { look } from "./view_commands.js";

/** @import {Point} from "./geometry/pixels.js" */
/** @import {Run} from "./page.js" */
/** @import {Model, Pointer} from "./state/model.js" */
/** @import {Pick, PointerState} from "./tools/tool.js" */
/** @import {Workbench} from "./workbench.js" */

/** How far a click may wander before it is a drag. @type {Readonly<Record<Pointer, number>>} */
const SLACK_PX = { mouse: 3, pen: 5, touch: 8 };

/** @param {Workbench} bench @param {Run} run @param {Pick} pick */
export function listenToGestures(bench, run, pick) {
  const { get, update, changeWorkspace } = bench;
  const keys = listenToKeys({
    commandOf: (chord) => get().keymap.commandOf.get(chord),
    run,
    touch: bench.touch,
  });
  const inImage = (/** @type {Point} */ at) => toImage(get().viewport, at);
  listenToPointer(byId("stage"), {
    press: (at, pointer, isPicking) => {
      if (pointer !== get().pointer) update((model) => ({ ...model, pointer }));
      changeWorkspace((workspace) => press(workspace, inImage(at), pointerStateOf(get(), isPicking), pick));
    },
    move: (at) => changeWorkspace((workspace) => moveCursor(workspace, inImage(at))),
    lift: (at) => changeWorkspace((workspace, { newKey }) => lift(workspace, inImage(at), newKey)),
    cancel: () => changeWorkspace(drop),
    leave: () => changeWorkspace((workspace) => ({ ...workspace, cursor: { ...workspace.cursor, at: null } })),
    pan: (dx, dy) => update((model) => look(model, (size) => panBy(model.viewport, dx, dy, size, model.stage))),
    zoom: (factor, at) => update((model) => look(model, (size) => zoomAt(model.viewport, factor, at, size, model.stage))),
    wantsPan: keys.isSpaceDown,
    panned: keys.spendSpace,
  });
}

/**
 * How near is near, in image pixels: fingers reach further than a mouse.
 * @param {Model} model
 * @param {boolean} isPicking
 * @returns {PointerState}
 */
function pointerStateOf(model, isPicking) {
  const { viewport, pointer, preferences } = model;
  const reachPx = handlePx(model) / viewport.scale;
  const slackPx = SLACK_PX[pointer] / viewport.scale;
  return { reachPx, slackPx, drawing: preferences.drawing, isPicking };
}

/** The CSS cursor of the stage. @param {Model} model @param {Pick} pick */
export function cssCursorOf(model, pick) {
  const { work } = model;
  if (!work || model.screen !== "work") return "default";
  if (work.cursor.gesture) return work.cursor.gesture.cssCursor;
  if (!work.cursor.at) return "crosshair";
  return pick({ editor: work.editor, ...pointerStateOf(model, false) }, work.cursor.at).cssCursor;
}
