import { pixelAt } from "../geometry/pixels.js";

/** @import {Editor} from "../state/editor.js" */

/**
 * What a tool is: `down` starts a gesture, and the gesture answers to drag, up and cancel, all in
 * image coordinates. Gestures are values: each answer is the next gesture, the old one stays as it
 * was. What should happen comes back as an outcome; no tool changes anything itself.
 *
 * @typedef {import("../types.js").Target} Target
 * @typedef {import("../geometry/pixels.js").VocBox} VocBox
 * @typedef {import("../geometry/pixels.js").Point} Point
 * @typedef {import("../geometry/boxes.js").Side} Side
 *
 * How a person draws: by dragging; by two clicks (a drag does as well); by four clicks on the
 * outermost points of the object (Papadopoulos et al., ICCV 2017).
 * @typedef {"drag" | "clicks" | "extremes"} Drawing
 *
 * How the cursor works. `reachPx` is how near to a handle is on it, `slackPx` how far a click may
 * wander before it is a drag; both in image pixels, so that tools know nothing of the zoom.
 * `isPicking` while the key is down that makes a click select, whatever it would draw.
 * @typedef {{reachPx: number, slackPx: number, drawing: Drawing, isPicking: boolean}} PointerState
 *
 * What a tool sees.
 * @typedef {PointerState & {editor: Editor}} Scene
 *
 * @typedef {{kind: "none"}
 *   | {kind: "draw", box: VocBox}
 *   | {kind: "reshape", target: Target, box: VocBox, sides: readonly Side[]}
 *   | {kind: "click", at: Point}
 *   | {kind: "edit", change: (editor: Editor) => Editor}
 *   | {kind: "point", pixel: Point}} Outcome
 *
 * The shape to show while the gesture lasts; `target` is the one that it stands for, `points` are
 * those that were set on the way.
 * @typedef {{box: VocBox, target: Target | null, points?: readonly Point[]}} Preview
 *
 * What to show of an outline: the rings as they would be, or the line that the pointer has drawn, so wide.
 * @typedef {{rings?: import("../types.js").Rings, trail?: readonly Point[], widthPx?: number}} Sketch
 *
 * @typedef {{gesture: Gesture | null, outcome: Outcome}} Step
 *
 * `isHeld` is true while the button must stay down, and false between two clicks. `cancel` takes
 * back one click, or ends the gesture where there is none to take back.
 * @typedef {{
 *   preview: Preview | null, cssCursor: string, isHeld: boolean, sketch?: Sketch,
 *   drag: (at: Point) => Gesture, up: (at: Point) => Step, cancel: () => Step,
 * }} Gesture
 *
 * @typedef {{cssCursor: string, down: (scene: Scene, at: Point) => Gesture}} Tool
 * @typedef {(scene: Scene, at: Point) => Tool} Pick which tool a press there begins
 */

/** The end of a gesture. @param {Outcome} outcome @returns {Step} */
export function finish(outcome) {
  return { gesture: null, outcome };
}

/** The end of a gesture that leaves everything as it was. @returns {Step} */
export function giveUp() {
  return finish({ kind: "none" });
}

/** Sets the reference point of the selected object by one click. @type {Tool} */
export const pointTool = { cssCursor: "crosshair", down: (scene) => pointing(scene) };

/** @param {Scene} scene @returns {Gesture} */
function pointing(scene) {
  return {
    cssCursor: "crosshair",
    isHeld: true,
    preview: null,
    drag: () => pointing(scene),
    up: (at) => finish({ kind: "point", pixel: pixelAt(at, scene.editor.size) }),
    cancel: giveUp,
  };
}

/** Selects whatever a press there would draw. @type {Tool} */
export const chooseTool = { cssCursor: "pointer", down: () => CHOOSING };

/** @type {Gesture} */
const CHOOSING = {
  cssCursor: "pointer",
  isHeld: true,
  preview: null,
  drag: () => CHOOSING,
  up: (at) => finish({ kind: "click", at }),
  cancel: giveUp,
};
