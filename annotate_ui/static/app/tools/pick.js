/** Which tool a press at a point starts, and what an outcome makes of the editor. */

import { handleAt, isOnOutline } from "../geometry/handles.js";
import { nextInStack, shapesAt } from "../geometry/hits.js";
import { objectsIn, select, selectedBox } from "../state/editor.js";
import { draw, reshape, setPoint } from "../state/edits.js";
import { listShapes } from "../state/objects.js";
import { drawTool } from "./draw.js";
import { moveTool } from "./move.js";
import { pointTool } from "./point.js";
import { resizeTool } from "./resize.js";

/** @typedef {import("../geometry/pixels.js").Point} Point */
/** @typedef {import("../state/editor.js").Editor} Editor */
/** @typedef {import("./tool.js").Scene} Scene */

/**
 * The armed tool, else a handle or the outline of the selected box, else drawing: a new box may
 * start inside another, and nothing but the selected box's own edge is in its way.
 * @param {Scene} scene
 * @param {Point} at
 * @returns {import("./tool.js").Tool}
 */
export function pickTool({ editor, reachPx }, at) {
  if (editor.armed?.kind === "point") return pointTool;
  const box = selectedBox(editor);
  if (editor.armed || !box || !editor.selection) return drawTool;
  const handle = handleAt(box, at, reachPx);
  if (handle) return resizeTool(editor.selection, box, handle);
  return isOnOutline(box, at, reachPx / 2) ? moveTool(editor.selection, box) : drawTool;
}

/**
 * The editor after a gesture; `newKey` names the object, should one be drawn.
 * @param {Editor} editor
 * @param {import("./tool.js").Outcome} outcome
 * @param {string} newKey
 * @returns {Editor}
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
    case "click":
      return selectAt(editor, outcome.at);
  }
}

/**
 * The next box under the point selected: click again to reach the one below.
 * @param {Editor} editor
 * @param {Point} at
 */
function selectAt(editor, at) {
  const { selection } = editor;
  const stack = shapesAt(listShapes(objectsIn(editor)), at);
  const next = nextInStack(
    stack,
    ({ target }) => target.key === selection?.key && target.part === selection?.part,
  );
  return select(editor, next?.target ?? null);
}
