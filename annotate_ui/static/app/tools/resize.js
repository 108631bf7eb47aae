/** The selected box reshaped by one of its eight handles. */

import { dragHandle, sidesOf } from "../geometry/handles.js";
import { minSidePx } from "../state/editor.js";
import { finish, giveUp } from "./tool.js";

/** @typedef {import("../geometry/pixels.js").Point} Point */
/** @typedef {import("../geometry/pixels.js").VocBox} VocBox */
/** @typedef {import("../geometry/handles.js").Handle} Handle */
/** @typedef {import("../types.js").Target} Target */
/** @typedef {import("./tool.js").Scene} Scene */

/**
 * @param {Target} target
 * @param {VocBox} box as it was when grabbed
 * @param {Handle} handle
 * @returns {import("./tool.js").Tool}
 */
export function resizeTool(target, box, handle) {
  return {
    cursor: `${handle}-resize`,
    down: (scene, at) => resizing(scene, { target, handle, grabbed: box, start: at }, box),
  };
}

/**
 * @param {Scene} scene
 * @param {{target: Target, handle: Handle, grabbed: VocBox, start: Point}} grip
 * @param {VocBox} box
 * @returns {import("./tool.js").Gesture}
 */
function resizing(scene, grip, box) {
  const { target, handle } = grip;
  const resized = (/** @type {Point} */ at) => reshapeBy(scene, grip, at);
  return {
    cursor: `${handle}-resize`,
    isHeld: true,
    preview: { box, target },
    drag: (at) => resizing(scene, grip, resized(at)),
    up: (at) => finish({ kind: "reshape", target, box: resized(at), sides: sidesOf(handle) }),
    cancel: giveUp,
  };
}

/**
 * @param {Scene} scene
 * @param {{target: Target, handle: Handle, grabbed: VocBox, start: Point}} grip
 * @param {Point} at
 */
function reshapeBy({ editor }, { target, handle, grabbed, start }, [x, y]) {
  const delta = /** @type {const} */ ([x - start[0], y - start[1]]);
  const minPx = minSidePx(editor, target.part !== null);
  return dragHandle(grabbed, handle, delta, editor.size, minPx);
}
