/**
 * The cursor over the image: where it is, what gesture it is making. The pointer moves it, and so do
 * the arrow keys while a tool is armed; tools see no difference.
 */

import { nearestCorner } from "../geometry/pixels.js";
import { selectedObject } from "../state/editor.js";
import { applyOutcome, pickTool } from "./pick.js";

/** @import {Point} from "../geometry/types.js" */
/** @import {Editor} from "../state/types.js" */
/** @import {Cursor, Outcome, PickTool, PointerState, Workspace} from "./types.js" */

/** Keys set corners, whatever the pointer does. @type {PointerState} */
const BY_KEYS = { reachPx: 0, slackPx: 0, drawing: "clicks", isPicking: false };

/**
 * The button goes down: a tool is picked, or the second of two clicks begins.
 * @type {(workspace: Workspace, at: Point, pointerState: PointerState, pick?: PickTool) => Workspace}
 */
export function press({ editor, cursor }, at, pointerState, pick = pickTool) {
  const gesture = cursor.gesture
    ? cursor.gesture.drag(at)
    : pick({ editor, ...pointerState }, at).down({ editor, ...pointerState }, at);
  const { selection, armed } = editor;
  const held = cursor.gesture ? cursor.held : { selection, armed };
  return { editor, cursor: { at, gesture, isByKeys: false, resumes: cursor.gesture, held } };
}

/** The cursor moves, with the button down or not. @type {(workspace: Workspace, at: Point) => Workspace} */
export function moveCursor({ editor, cursor }, at) {
  const gesture = cursor.gesture?.drag(at) ?? null;
  return { editor, cursor: { ...cursor, at, gesture, isByKeys: false } };
}

/**
 * The button goes up: the gesture ends, or waits for the second click; a drawn object gets the key.
 * @param {Workspace} workspace
 * @param {Point} at
 * @param {string} newKey
 * @returns {Workspace}
 */
export function lift({ editor, cursor }, at, newKey) {
  if (!cursor.gesture) return { editor, cursor };
  const { gesture, outcome } = cursor.gesture.up(at);
  const next = end(editor, cursor, outcome, newKey);
  return { editor: next, cursor: { ...cursor, at, gesture, resumes: null } };
}

/**
 * The gesture ends where the cursor is if the button is down, and is taken back between two clicks.
 * @type {(workspace: Workspace, newKey: string) => Workspace}
 */
export function endAtCursor(workspace, newKey) {
  const { at, gesture } = workspace.cursor;
  const { editor, cursor } = gesture?.isHeld && at ? lift(workspace, at, newKey) : workspace;
  return { editor, cursor: { ...cursor, gesture: null, resumes: null } };
}

/**
 * The gesture changes the object on which it began, whatever was selected meanwhile; nothing where that is gone.
 * @type {(editor: Editor, cursor: Cursor, outcome: Outcome, newKey: string) => Editor}
 */
function end(editor, { held }, outcome, newKey) {
  if (!held || outcome.kind === "none") return applyOutcome(editor, outcome, newKey);
  const { selection, armed } = held;
  const isThere = selection === null || selectedObject({ ...editor, selection }) !== null;
  if (isThere) return applyOutcome({ ...editor, selection, armed }, outcome, newKey);
  const isNewBox = outcome.kind === "draw" && armed?.kind !== "part";
  return isNewBox || outcome.kind === "click" ? applyOutcome(editor, outcome, newKey) : editor;
}

/**
 * The press is taken back, as if the button had never gone down.
 * @param {Workspace} workspace
 * @returns {Workspace}
 */
export function drop({ editor, cursor }) {
  return { editor, cursor: { ...cursor, gesture: cursor.resumes, resumes: null } };
}

/** One click taken back, or all; shapes are as they were. @type {(workspace: Workspace) => Workspace} */
export function takeBack({ editor, cursor }) {
  const gesture = cursor.gesture?.cancel().gesture ?? null;
  return { editor, cursor: { ...cursor, gesture, resumes: null } };
}

/**
 * The cursor moved by keys, from corner of pixels to corner of pixels; from `start` if it was nowhere.
 * @type {(workspace: Workspace, dx: number, dy: number, start: Point) => Workspace}
 */
export function stepCursor({ editor, cursor }, dx, dy, start) {
  const [x, y] = nearestCorner(cursor.at ?? start, editor.size);
  const at = nearestCorner([x + dx, y + dy], editor.size);
  const gesture = cursor.gesture?.drag(at) ?? null;
  return { editor, cursor: { ...cursor, at, gesture, isByKeys: true } };
}

/**
 * The cursor sent by a key to the border of the image that lies in this direction.
 * @type {(workspace: Workspace, dx: number, dy: number, start: Point) => Workspace}
 */
export function sendCursor(workspace, dx, dy, start) {
  const [width, height] = workspace.editor.size;
  return stepCursor(workspace, dx * width, dy * height, start);
}

/**
 * A corner set by key: a click of the cursor where it is, or at `start` if it was nowhere.
 * @type {(workspace: Workspace, start: Point, newKey: string, pick?: PickTool) => Workspace}
 */
export function clickByKey(workspace, start, newKey, pick) {
  const at = nearestCorner(workspace.cursor.at ?? start, workspace.editor.size);
  const pressed = press(workspace, at, BY_KEYS, pick);
  const lifted = lift(pressed, at, newKey);
  return { ...lifted, cursor: { ...lifted.cursor, isByKeys: true } };
}
