/** How gestures end, and the two tools that take one click. */

import { pixelAt } from "../geometry/pixels.js";

/** @import {Gesture, Outcome, Scene, Step, Tool} from "./types.js" */

/** The end of a gesture. @param {Outcome} outcome @returns {Step} */
export function finish(outcome) {
  return { gesture: null, outcome };
}

/** The end of a gesture that leaves everything as it was. @returns {Step} */
export function giveUp() {
  return finish({ kind: "none" });
}

/** Sets the reference point of the selected object by one click. @type {Tool} */
export const pointTool = { cssCursor: "crosshair", down: (scene) => pointing(scene) };

/** @param {Scene} scene @returns {Gesture} */
function pointing(scene) {
  return {
    cssCursor: "crosshair",
    isHeld: true,
    preview: null,
    drag: () => pointing(scene),
    up: (at) => finish({ kind: "point", pixel: pixelAt(at, scene.editor.size) }),
    cancel: giveUp,
  };
}

/** Selects whatever a press there would draw. @type {Tool} */
export const chooseTool = { cssCursor: "pointer", down: () => CHOOSING };

/** @type {Gesture} */
const CHOOSING = {
  cssCursor: "pointer",
  isHeld: true,
  preview: null,
  drag: () => CHOOSING,
  up: (at) => finish({ kind: "click", at }),
  cancel: giveUp,
};
