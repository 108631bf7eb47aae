/** The selected box moved by its outline or reshaped by one of its eight handles. */

import { isSameBox, moveBox } from "../geometry/boxes.js";
import { dragHandle, sidesOf } from "../geometry/handles.js";
import { minSidePx } from "../state/editor.js";
import { finish, giveUp } from "./tool.js";

/** @import {Handle, Point, Side, VocBox} from "../geometry/types.js" */
/** @import {Target} from "../types.js" */
/** @import {Gesture, Scene, Tool} from "./types.js" */

/** Moves the box; a press that does not move it is a click. @param {Target} target @param {VocBox} box @returns {Tool} */
export function moveTool(target, box) {
  return boxTool("move", target, box, ({ editor }, [dx, dy]) => moveBox(box, dx, dy, editor.size));
}

/** @param {Target} target @param {VocBox} box @param {Handle} handle @returns {Tool} */
export function resizeTool(target, box, handle) {
  /** @type {Change} */
  const resize = ({ editor }, delta) => dragHandle(box, handle, delta, editor.size, minSidePx(editor, target.part !== null));
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
          return finish(isClick ? { kind: "click", at } : { kind: "reshape", target, box: changed(at), sides });
        },
        cancel: giveUp,
      });
      return dragging(grabbed);
    },
  };
}
