/** The reference point of the selected object, set where the button is let go. */

import { pixelAt } from "../geometry/pixels.js";
import { finish, giveUp } from "./tool.js";

/** @type {import("./tool.js").Tool} */
export const pointTool = {
  cursor: "crosshair",
  down: (scene) => pointing(scene),
};

/**
 * @param {import("./tool.js").Scene} scene
 * @returns {import("./tool.js").Gesture}
 */
function pointing(scene) {
  return {
    cursor: "crosshair",
    isHeld: true,
    preview: null,
    drag: () => pointing(scene),
    up: (at) => finish({ kind: "point", pixel: pixelAt(at, scene.editor.size) }),
    cancel: giveUp,
  };
}
