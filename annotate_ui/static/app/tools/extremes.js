/**
 * A box by four clicks on the object itself: its topmost, leftmost, lowest and rightmost points, in
 * any order (Papadopoulos et al., Extreme clicking, ICCV 2017).
 */

import { boxOfPoints } from "../geometry/pixels.js";
import { finish, giveUp } from "./tool.js";

/** @typedef {import("../geometry/pixels.js").Point} Point */
/** @typedef {import("./tool.js").Scene} Scene */

export const EXTREMES = 4;

/** @type {import("./tool.js").Tool} */
export const extremesTool = {
  cursor: "crosshair",
  down: (scene, at) => gathering(scene, [], at),
};

/**
 * @param {Scene} scene
 * @param {readonly Point[]} points that were clicked
 * @param {Point} at where the hand is
 * @returns {import("./tool.js").Gesture}
 */
function gathering(scene, points, at) {
  const { size } = scene.editor;
  return {
    cursor: "crosshair",
    isHeld: points.length === 0,
    preview: { box: boxOfPoints([...points, at], size), target: null, points },
    drag: (next) => gathering(scene, points, next),
    up: (next) => click(scene, [...points, next]),
    cancel: () => (points.length > 1 ? goOn(scene, points.slice(0, -1), at) : giveUp()),
  };
}

/**
 * @param {Scene} scene
 * @param {readonly Point[]} points
 * @returns {import("./tool.js").Step}
 */
function click(scene, points) {
  if (points.length < EXTREMES) return goOn(scene, points, points[points.length - 1]);
  return finish({ kind: "draw", box: boxOfPoints(points, scene.editor.size) });
}

/**
 * @param {Scene} scene
 * @param {readonly Point[]} points
 * @param {Point} at
 * @returns {import("./tool.js").Step}
 */
function goOn(scene, points, at) {
  return { gesture: gathering(scene, points, at), outcome: { kind: "none" } };
}
