/** How gestures end; the tools that take one click, and those that move or reshape the selected box. */

import { isSameBox, moveBox } from "../geometry/boxes.js";
import { dragHandle, sidesOf } from "../geometry/handles.js";
import { pixelAt } from "../geometry/pixels.js";
import { minSidePx } from "../state/editor.js";

/** @import {Handle, Point, Side, VocBox} from "../geometry/types.js" */
/** @import {Target} from "../types.js" */
/** @import {Gesture, Outcome, Scene, Step, Tool} from "./types.js" */

/**
 * The end of a gesture.
 * @param {Outcome} outcome
 * @returns {Step}
 */
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
export const pointTool = clickTool("crosshair", ({ editor }, at) => ({
  kind: "point",
  pixel: pixelAt(at, editor.size),
}));

/** Selects whatever a press there would draw. */
export const chooseTool = clickTool("pointer", (_, at) => ({ kind: "click", at }));

/**
 * Moves the box; a press that does not move it is a click.
 * @param {Target} target
 * @param {VocBox} box
 * @returns {Tool}
 */
export function moveTool(target, box) {
  return boxTool("move", target, box, ({ editor }, [dx, dy]) => moveBox(box, dx, dy, editor.size));
}

/**
 * @param {Target} target
 * @param {VocBox} box
 * @param {Handle} handle
 * @returns {Tool}
 */
export function resizeTool(target, box, handle) {
  /** @type {Change} */
  const resize = ({ editor }, delta) =>
    dragHandle(box, handle, delta, editor.size, minSidePx(editor, target.part !== null));
  return boxTool(`${handle}-resize`, target, box, resize, sidesOf(handle));
}

/** @typedef {(scene: Scene, delta: Point) => VocBox} Change the box after a drag so far from where it was grabbed */

/**
 * A tool that changes a box while the button is down.
 * @type {(cssCursor: string, target: Target, grabbed: VocBox, change: Change, sides?: readonly Side[]) => Tool}
 */
function boxTool(cssCursor, target, grabbed, change, sides = []) {
  return {
    cssCursor,
    down(scene, start) {
      const changed = (/** @type {Point} */ [x, y]) => change(scene, [x - start[0], y - start[1]]);
      /** @type {(box: VocBox) => Gesture} */
      const dragging = (box) => ({
        cssCursor,
        isHeld: true,
        preview: { box, target },
        drag: (at) => dragging(changed(at)),
        up(at) {
          const isClick = sides.length === 0 && isSameBox(changed(at), grabbed);
          return finish(
            isClick ? { kind: "click", at } : { kind: "reshape", target, box: changed(at), sides },
          );
        },
        cancel: giveUp,
      });
      return dragging(grabbed);
    },
  };
}
