/** For crowds: a box repeated by a click or along a row, and several boxes selected by clicks or a band around them. */

import { heightPx, isSameBox, moveBox, widthPx } from "../geometry/boxes.js";
import { boxOfPoints, distance, edgesOf, within } from "../geometry/pixels.js";
import { findPattern } from "../state/editor.js";
import { isDrag } from "./draw.js";
import { finish, giveUp } from "./tool.js";

/** @import {Point, Size, VocBox} from "../geometry/types.js" */
/** @import {Editor} from "../state/types.js" */
/** @import {Cursor, Gesture, Scene, Tool} from "./types.js" */

/** A click repeats the box with its middle there; a drag lays a row of them. @type {Tool} */
export const repeatTool = { cssCursor: "copy", down: (scene, at) => laying(scene, at, at) };

/** @type {(scene: Scene, start: Point, at: Point) => Gesture} */
function laying(scene, start, at) {
  const pattern = findPattern(scene.editor)?.box;
  const end = isDrag(start, at, scene.slackPx) ? at : start;
  const boxes = pattern ? layRow(pattern, start, end, scene.editor.size) : [];
  const last = boxes.at(-1);
  return {
    cssCursor: "copy",
    isHeld: true,
    preview: last ? { box: last, target: null, others: boxes.slice(0, -1) } : null,
    drag: (next) => laying(scene, start, next),
    up: (next) => {
      const { preview } = laying(scene, start, next);
      return preview ? finish({ kind: "lay", boxes: [...(preview.others ?? []), preview.box] }) : giveUp();
    },
    cancel: giveUp,
  };
}

/**
 * As many boxes of this size as fit on the line from middle to middle without covering each other, evenly; all lie
 * inside the image.
 * @type {(box: VocBox, start: Point, end: Point, size: Size) => VocBox[]}
 */
export function layRow(box, start, end, size) {
  const first = inside(start, size);
  const last = inside(end, size);
  const dx = last[0] - first[0];
  const dy = last[1] - first[1];
  const lengthPx = distance(first, last);
  // Along the line two boxes touch after this many pixels, by their sides or by top and bottom.
  const apartPx = Math.min(
    (widthPx(box) * lengthPx) / Math.abs(dx),
    (heightPx(box) * lengthPx) / Math.abs(dy),
  );
  const steps = lengthPx === 0 ? 0 : Math.floor(lengthPx / apartPx);
  const boxes = Array.from({ length: steps + 1 }, (_, step) => {
    const share = steps === 0 ? 0 : step / steps;
    return placeAt(box, [first[0] + share * dx, first[1] + share * dy], size);
  });
  // At the border of the image, several in a row come to lie on one place.
  return boxes.filter((laid, place) => place === 0 || !isSameBox(laid, boxes[place - 1]));
}

/** The box with its middle at a point, as far as the image lets it. @type {(box: VocBox, at: Point, size: Size) => VocBox} */
function placeAt(box, [x, y], size) {
  const { left, top, right, bottom } = edgesOf(box);
  return moveBox(box, x - (left + right) / 2, y - (top + bottom) / 2, size);
}

/** @type {(at: Point, size: Size) => Point} */
function inside([x, y], [width, height]) {
  return [within(x, 0, width), within(y, 0, height)];
}

/** Where a click would repeat the box; null where none would be. @type {(editor: Editor, cursor: Cursor) => VocBox | null} */
export function ghostOf(editor, { at, gesture }) {
  if (editor.armed?.kind !== "repeat" || gesture || !at) return null;
  const pattern = findPattern(editor);
  return pattern && placeAt(pattern.box, at, editor.size);
}

/** A click selects one more box, or one less; a drag selects those that lie in the band. @type {Tool} */
export const gatherTool = { cssCursor: "crosshair", down: (scene, at) => gathering(scene, at, at) };

/** @type {(scene: Scene, start: Point, at: Point) => Gesture} */
function gathering(scene, start, at) {
  const box = boxOfPoints([start, at], scene.editor.size);
  const isShown = isDrag(start, at, scene.slackPx);
  return {
    cssCursor: "crosshair",
    isHeld: true,
    preview: isShown ? { box, target: null, isBand: true } : null,
    drag: (next) => gathering(scene, start, next),
    up: (next) =>
      isDrag(start, next, scene.slackPx)
        ? finish({ kind: "band", box: boxOfPoints([start, next], scene.editor.size) })
        : finish({ kind: "gather", at: next }),
    cancel: giveUp,
  };
}
