/** Which tool a press at a point starts, and what an outcome makes of the editor. */

import { handleAt, isOnOutline, nextInStack, shapesAt } from "../geometry/handles.js";
import { edgesOf } from "../geometry/pixels.js";
import {
  listShown,
  objectsIn,
  select,
  selectedBox,
  selectedKeys,
  selectMany,
  selectNext,
  toggleSelected,
} from "../state/editor.js";
import { draw, layBoxes, reshape, setPoint } from "../state/edits.js";
import { findObject, listShapes } from "../state/objects.js";
import { gatherTool, repeatTool } from "./crowd.js";
import { drawTool, extremesTool } from "./draw.js";
import { chooseTool, moveTool, pointTool, resizeTool } from "./tool.js";

/** @import {Point, VocBox} from "../geometry/types.js" */
/** @import {Editor} from "../state/types.js" */
/** @import {Target} from "../types.js" */
/** @import {Outcome, Scene, Tool} from "./types.js" */

/**
 * The armed tool, else a handle or the outline of the selected box, else drawing: a new box may
 * start inside another, and nothing but the selected box's own edge is in its way.
 * @param {Scene} scene
 * @param {Point} at
 * @returns {Tool}
 */
export function pickTool({ editor, reachPx, drawing, isPicking, isGathering }, at) {
  if (isPicking) return chooseTool;
  if (isGathering) return gatherTool;
  if (editor.armed?.kind === "repeat") return repeatTool;
  if (editor.armed?.kind === "point") return pointTool;
  const drawer = drawing === "extremes" ? extremesTool : drawTool;
  const box = selectedBox(editor);
  if (editor.armed || !box || !editor.selection) return drawer;
  const handle = handleAt(box, at, reachPx);
  if (handle) return resizeTool(editor.selection, box, handle);
  return isOnOutline(box, at, reachPx / 2) ? moveTool(editor.selection, box) : drawer;
}

/**
 * The editor after a gesture; `newKey` names the object, should one be drawn.
 * @type {(editor: Editor, outcome: Outcome, newKey: string) => Editor}
 */
export function applyOutcome(editor, outcome, newKey) {
  switch (outcome.kind) {
    case "none":
      return editor;
    case "draw":
      return draw(editor, outcome.box, newKey);
    case "reshape":
      return reshape(editor, outcome.target, outcome.box, outcome.sides);
    case "point":
      return setPoint(editor, outcome.pixel);
    case "lay":
      return layBoxes(editor, outcome.boxes, newKey);
    case "gather":
      return gatherAt(editor, outcome.at);
    case "band":
      return gatherIn(editor, outcome.box);
    case "edit":
      return outcome.change(editor);
    case "click":
      // Click again to reach the box below.
      return select(editor, nextInStack(stackAt(editor, outcome.at), isSelected(editor))?.target ?? null);
  }
}

/** The smallest object there selected with the others, or no more. @type {(editor: Editor, at: Point) => Editor} */
function gatherAt(editor, at) {
  const isWhole = (/** @type {Target} */ { key, part }) =>
    part === null && findObject(objectsIn(editor), key) !== null;
  const hit = stackAt(editor, at).find(({ target }) => isWhole(target));
  return hit ? toggleSelected(editor, hit.target.key) : editor;
}

/** The objects that lie in the band selected too. @type {(editor: Editor, band: VocBox) => Editor} */
function gatherIn(editor, [xmin, ymin, xmax, ymax]) {
  const objects = new Set(objectsIn(editor));
  const keys = listShown(editor)
    .filter((object) => objects.has(object))
    .filter(({ box }) => box[0] >= xmin && box[1] >= ymin && box[2] <= xmax && box[3] <= ymax)
    .map(({ key }) => key);
  return keys.length === 0 ? editor : selectMany(editor, [...new Set([...selectedKeys(editor), ...keys])]);
}

/**
 * The box above or below the selected one in the pile at its middle, for cycling without a pointer. The
 * place stays the same while the person goes on, so that every box of the pile is selected once.
 * @type {(editor: Editor, step: 1 | -1) => Editor}
 */
export function selectBelow(editor, step) {
  const box = selectedBox(editor);
  if (!box) return selectNext(editor, step);
  const { left, top, right, bottom } = edgesOf(box);
  const pile = editor.pile ?? /** @type {Point} */ ([(left + right) / 2, (top + bottom) / 2]);
  const stack = stackAt(editor, pile);
  const next = nextInStack(step > 0 ? stack : stack.toReversed(), isSelected(editor));
  return next ? { ...select(editor, next.target), pile } : editor;
}

/**
 * What a click there can mean: boxes that are not hidden, the smallest first.
 * @param {Editor} editor
 * @param {Point} at
 */
function stackAt(editor, at) {
  return shapesAt(listShapes(listShown(editor)), at);
}

/** @param {Editor} editor */
function isSelected({ selection }) {
  return (/** @type {{target: Target}} */ { target }) =>
    target.key === selection?.key && target.part === selection?.part;
}
