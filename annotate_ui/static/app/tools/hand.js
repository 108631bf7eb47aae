/**
 * The hand over the image: where it is, what gesture it is making. The pointer moves it, and so do
 * the arrow keys while a tool is armed; tools see no difference.
 */

import { nearestCorner } from "../geometry/pixels.js";
import { applyOutcome, pickTool } from "./pick.js";

/** @typedef {import("../geometry/pixels.js").Point} Point */
/** @typedef {import("../state/editor.js").Editor} Editor */
/** @typedef {import("./tool.js").Gesture} Gesture */
/** @typedef {import("./tool.js").Grip} Grip */
/**
 * `resumes` is the gesture as it was before the button went down: between two clicks a press may
 * turn out to be the first finger of a pinch.
 * @typedef {{at: Point | null, gesture: Gesture | null, isByKeys: boolean,
 *   resumes: Gesture | null}} Hand
 */
/** @typedef {{editor: Editor, hand: Hand}} Desk what the hand works at */

/** @type {Hand} */
export const IDLE_HAND = { at: null, gesture: null, isByKeys: false, resumes: null };

/** Keys set corners, whatever the pointer does. @type {Grip} */
const BY_KEYS = { reachPx: 0, slackPx: 0, drawing: "clicks", isPicking: false };

/**
 * The button goes down: a tool is picked, or the second of two clicks begins.
 * @param {Desk} desk
 * @param {Point} at
 * @param {Grip} grip
 * @returns {Desk}
 */
export function press({ editor, hand }, at, grip) {
  const gesture = hand.gesture
    ? hand.gesture.drag(at)
    : pickTool({ editor, ...grip }, at).down({ editor, ...grip }, at);
  return { editor, hand: { at, gesture, isByKeys: false, resumes: hand.gesture } };
}

/**
 * The hand moves, with the button down or not.
 * @param {Desk} desk
 * @param {Point} at
 * @returns {Desk}
 */
export function moveHand({ editor, hand }, at) {
  const gesture = hand.gesture?.drag(at) ?? null;
  return { editor, hand: { ...hand, at, gesture, isByKeys: false } };
}

/**
 * The button goes up: the gesture ends, or waits for the second click.
 * @param {Desk} desk
 * @param {Point} at
 * @param {string} newKey for the object, should one be drawn
 * @returns {Desk}
 */
export function lift({ editor, hand }, at, newKey) {
  if (!hand.gesture) return { editor, hand };
  const { gesture, outcome } = hand.gesture.up(at);
  const next = applyOutcome(editor, outcome, newKey);
  return { editor: next, hand: { ...hand, at, gesture, resumes: null } };
}

/**
 * The press is taken back, as if the button had never gone down.
 * @param {Desk} desk
 * @returns {Desk}
 */
export function drop({ editor, hand }) {
  return { editor, hand: { ...hand, gesture: hand.resumes, resumes: null } };
}

/**
 * One click of the gesture taken back, or the whole of it; every shape is as it was.
 * @param {Desk} desk
 * @returns {Desk}
 */
export function takeBack({ editor, hand }) {
  const gesture = hand.gesture?.cancel().gesture ?? null;
  return { editor, hand: { ...hand, gesture, resumes: null } };
}

/**
 * The hand moved by keys, from corner of pixels to corner of pixels.
 * @param {Desk} desk
 * @param {number} dx
 * @param {number} dy
 * @param {Point} start where it appears if it was nowhere
 * @returns {Desk}
 */
export function stepHand({ editor, hand }, dx, dy, start) {
  const [x, y] = nearestCorner(hand.at ?? start, editor.size);
  const at = nearestCorner([x + dx, y + dy], editor.size);
  const gesture = hand.gesture?.drag(at) ?? null;
  return { editor, hand: { ...hand, at, gesture, isByKeys: true } };
}

/**
 * The hand sent by a key to the border of the image that lies in this direction.
 * @param {Desk} desk
 * @param {number} dx
 * @param {number} dy
 * @param {Point} start where it appears if it was nowhere
 * @returns {Desk}
 */
export function sendHand(desk, dx, dy, start) {
  const [width, height] = desk.editor.size;
  return stepHand(desk, dx * width, dy * height, start);
}

/**
 * A corner set by key: a click of the hand where it is.
 * @param {Desk} desk
 * @param {Point} start where it appears if it was nowhere
 * @param {string} newKey
 * @returns {Desk}
 */
export function clickByKey(desk, start, newKey) {
  const at = nearestCorner(desk.hand.at ?? start, desk.editor.size);
  const pressed = press(desk, at, BY_KEYS);
  const lifted = lift(pressed, at, newKey);
  return { ...lifted, hand: { ...lifted.hand, isByKeys: true } };
}
