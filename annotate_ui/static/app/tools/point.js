/**
 * Tools of one click: the reference point of the selected object, and selecting whatever a press there would draw.
 */

import { pixelAt } from "../geometry/pixels.js";
import { finish, giveUp } from "./tool.js";

/** @import {Gesture, Scene, Tool} from "./tool.js" */

/** @type {Tool} */
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

/** @type {Tool} */
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
