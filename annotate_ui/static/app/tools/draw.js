/** A new box: by dragging or two clicks, or by four clicks on the object's outermost points. */

import { boxOfPoints } from "../geometry/pixels.js";
import { finish, giveUp } from "./tool.js";

/** @import {Point} from "../geometry/types.js" */
/** @import {Gesture, Scene, Step, Tool} from "./types.js" */

/** @type {Tool} */
export const drawTool = { cssCursor: "crosshair", down: (scene, at) => drawing(scene, at, at, "pressed") };

/**
 * It is placed once the first of two clicks is done.
 * @type {(scene: Scene, start: Point, at: Point, phase: "pressed" | "placed") => Gesture}
 */
function drawing(scene, start, at, phase) {
  const box = boxOfPoints([start, at], scene.editor.size);
  const points = phase === "placed" ? [start] : [];
  const isShown = phase === "placed" || isDrag(start, at, scene.slackPx);
  return {
    cssCursor: "crosshair",
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
 * @returns {Step}
 */
function lift(scene, start, at, phase) {
  if (isDrag(start, at, scene.slackPx)) {
    return finish({ kind: "draw", box: boxOfPoints([start, at], scene.editor.size) });
  }
  if (scene.editor.armed === null && scene.drawing === "drag") return finish({ kind: "click", at });
  if (phase === "placed") return giveUp();
  return { gesture: drawing(scene, start, at, "placed"), outcome: { kind: "none" } };
}

/**
 * Whether the pointer went further than a click may wander.
 * @param {Point} start
 * @param {Point} at
 * @param {number} slackPx
 */
export function isDrag([x1, y1], [x2, y2], slackPx) {
  return Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1)) > slackPx;
}

export const EXTREMES = 4;

/** @type {Tool} */
export const extremesTool = { cssCursor: "crosshair", down: (scene, at) => gathering(scene, [], at) };

/**
 * The points that were clicked, and the cursor.
 * @type {(scene: Scene, points: readonly Point[], at: Point) => Gesture}
 */
function gathering(scene, points, at) {
  const { size } = scene.editor;
  return {
    cssCursor: "crosshair",
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
 * @returns {Step}
 */
function click(scene, points) {
  if (points.length < EXTREMES) return goOn(scene, points, points[points.length - 1]);
  return finish({ kind: "draw", box: boxOfPoints(points, scene.editor.size) });
}

/**
 * @param {Scene} scene
 * @param {readonly Point[]} points
 * @param {Point} at
 * @returns {Step}
 */
function goOn(scene, points, at) {
  return { gesture: gathering(scene, points, at), outcome: { kind: "none" } };
}
