/** The selected box moved by its outline or reshaped by one of its eight handles. */

import { isSameBox, moveBox } from "../geometry/boxes.js";
import { dragHandle, sidesOf } from "../geometry/handles.js";
import { minSidePx } from "../state/editor.js";
import { finish, giveUp } from "./tool.js";

/** @import {Handle, Point, VocBox} from "../geometry/types.js" */
/** @import {Target} from "../types.js" */
/** @import {Gesture, Scene, Tool} from "./types.js" */

/** @param {Target} target @param {VocBox} box as it was when grabbed @returns {Tool} */
export function moveTool(target, box) {
  return { cssCursor: "move", down: (scene, at) => moving(scene, target, box, at, box) };
}

/** @type {(scene: Scene, target: Target, grabbed: VocBox, start: Point, box: VocBox) => Gesture} */
function moving(scene, target, grabbed, start, box) {
  const moved = (/** @type {Point} */ [x, y]) =>
    moveBox(grabbed, x - start[0], y - start[1], scene.editor.size);
  return {
    cssCursor: "move",
    isHeld: true,
    preview: { box, target },
    drag: (at) => moving(scene, target, grabbed, start, moved(at)),
    up: (at) =>
      isSameBox(moved(at), grabbed)
        ? finish({ kind: "click", at })
        : finish({ kind: "reshape", target, box: moved(at), sides: [] }),
    cancel: giveUp,
  };
}

/**
 * @param {Target} target
 * @param {VocBox} box as it was when grabbed
 * @param {Handle} handle
 * @returns {Tool}
 */
export function resizeTool(target, box, handle) {
  return {
    cssCursor: `${handle}-resize`,
    down: (scene, at) => resizing(scene, { target, handle, grabbed: box, start: at }, box),
  };
}

/**
 * @type {(scene: Scene, grab: {target: Target, handle: Handle, grabbed: VocBox, start: Point}, box: VocBox) => Gesture}
 */
function resizing(scene, grab, box) {
  const { target, handle } = grab;
  const resized = (/** @type {Point} */ at) => reshapeBy(scene, grab, at);
  return {
    cssCursor: `${handle}-resize`,
    isHeld: true,
    preview: { box, target },
    drag: (at) => resizing(scene, grab, resized(at)),
    up: (at) => finish({ kind: "reshape", target, box: resized(at), sides: sidesOf(handle) }),
    cancel: giveUp,
  };
}

/**
 * @type {(scene: Scene, grab: {target: Target, handle: Handle, grabbed: VocBox, start: Point}, at: Point) => VocBox}
 */
function reshapeBy({ editor }, { target, handle, grabbed, start }, [x, y]) {
  const delta = /** @type {const} */ ([x - start[0], y - start[1]]);
  const minPx = minSidePx(editor, target.part !== null);
  return dragHandle(grabbed, handle, delta, editor.size, minPx);
}
