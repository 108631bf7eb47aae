/** A box by dragging, or by two clicks where the tool was armed or the person draws that way. */

import { boxOfCorners } from "../geometry/pixels.js";
import { finish, giveUp } from "./tool.js";

/** @typedef {import("../geometry/pixels.js").Point} Point */
/** @typedef {import("./tool.js").Scene} Scene */

/** @type {import("./tool.js").Tool} */
export const drawTool = {
  cursor: "crosshair",
  down: (scene, at) => drawing(scene, at, at, "pressed"),
};

/**
 * @param {Scene} scene
 * @param {Point} start
 * @param {Point} at
 * @param {"pressed" | "placed"} phase placed: the first of two clicks is done
 * @returns {import("./tool.js").Gesture}
 */
function drawing(scene, start, at, phase) {
  const box = boxOfCorners(start, at, scene.editor.size);
  const points = phase === "placed" ? [start] : [];
  const isShown = phase === "placed" || isDrag(start, at, scene.slackPx);
  return {
    cursor: "crosshair",
    isHeld: phase === "pressed",
    preview: isShown ? { box, target: null, points } : null,
    drag: (next) => drawing(scene, start, next, phase),
    up: (next) => lift(scene, start, next, phase),
    cancel: giveUp,
  };
}

/**
 * @param {Scene} scene
 * @param {Point} start
 * @param {Point} at
 * @param {"pressed" | "placed"} phase
 * @returns {import("./tool.js").Step}
 */
function lift(scene, start, at, phase) {
  if (isDrag(start, at, scene.slackPx)) {
    return finish({ kind: "draw", box: boxOfCorners(start, at, scene.editor.size) });
  }
  if (scene.editor.armed === null && scene.drawing === "drag") return finish({ kind: "click", at });
  if (phase === "placed") return giveUp();
  return { gesture: drawing(scene, start, at, "placed"), outcome: { kind: "none" } };
}

/**
 * @param {Point} start
 * @param {Point} at
 * @param {number} slackPx
 */
function isDrag([x1, y1], [x2, y2], slackPx) {
  return Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1)) > slackPx;
}
