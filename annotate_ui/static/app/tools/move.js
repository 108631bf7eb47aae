/** The selected box moved by its outline. */

import { isSameBox, moveBox } from "../geometry/boxes.js";
import { finish, giveUp } from "./tool.js";

/** @typedef {import("../geometry/pixels.js").Point} Point */
/** @typedef {import("../geometry/pixels.js").VocBox} VocBox */
/** @typedef {import("../types.js").Target} Target */
/** @typedef {import("./tool.js").Scene} Scene */

/**
 * @param {Target} target
 * @param {VocBox} box as it was when grabbed
 * @returns {import("./tool.js").Tool}
 */
export function moveTool(target, box) {
  return {
    cursor: "move",
    down: (scene, at) => moving(scene, target, box, at, box),
  };
}

/**
 * @param {Scene} scene
 * @param {Target} target
 * @param {VocBox} grabbed
 * @param {Point} start
 * @param {VocBox} box
 * @returns {import("./tool.js").Gesture}
 */
function moving(scene, target, grabbed, start, box) {
  const moved = (/** @type {Point} */ [x, y]) =>
    moveBox(grabbed, x - start[0], y - start[1], scene.editor.size);
  return {
    cursor: "move",
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
