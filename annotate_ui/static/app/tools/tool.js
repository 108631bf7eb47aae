/** How gestures end, and the two tools that take one click. */

import { pixelAt } from "../geometry/pixels.js";

/** @import {Point} from "../geometry/types.js" */
/** @import {Gesture, Outcome, Scene, Step, Tool} from "./types.js" */

/** The end of a gesture. @param {Outcome} outcome @returns {Step} */
export function finish(outcome) {
  return { gesture: null, outcome };
}

/** The end of a gesture that leaves everything as it was. @returns {Step} */
export function giveUp() {
  return finish({ kind: "none" });
}

/**
 * A tool that takes one click.
 * @type {(cssCursor: string, outcomeOf: (scene: Scene, at: Point) => Outcome) => Tool}
 */
const clickTool = (cssCursor, outcomeOf) => ({
  cssCursor,
  down(scene) {
    const up = (/** @type {Point} */ at) => finish(outcomeOf(scene, at));
    /** @type {Gesture} */
    const gesture = { cssCursor, isHeld: true, preview: null, drag: () => gesture, up, cancel: giveUp };
    return gesture;
  },
});

/** Sets the reference point of the selected object. */
export const pointTool = clickTool("crosshair", ({ editor }, at) => ({ kind: "point", pixel: pixelAt(at, editor.size) }));

/** Selects whatever a press there would draw. */
export const chooseTool = clickTool("pointer", (_, at) => ({ kind: "click", at }));
