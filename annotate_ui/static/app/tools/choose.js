/** A click that selects what lies under it, whatever a press there would draw. */

import { finish, giveUp } from "./tool.js";

/** @type {import("./tool.js").Tool} */
export const chooseTool = {
  cursor: "pointer",
  down: () => CHOOSING,
};

/** @type {import("./tool.js").Gesture} */
const CHOOSING = {
  cursor: "pointer",
  isHeld: true,
  preview: null,
  drag: () => CHOOSING,
  up: (at) => finish({ kind: "click", at }),
  cancel: giveUp,
};
