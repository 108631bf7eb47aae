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
 * What a tool sees. `reachPx` is how near to a handle is on it, `slackPx` how far a click may
 * wander before it is a drag; both in image pixels, so that tools know nothing of the zoom.
 * @typedef {{
 *   editor: import("../state/editor.js").Editor, reachPx: number, slackPx: number,
 * }} Scene
 *
 * @typedef {{kind: "none"}
 *   | {kind: "draw", box: VocBox}
 *   | {kind: "reshape", target: Target, box: VocBox, sides: readonly Side[]}
 *   | {kind: "click", at: Point}
 *   | {kind: "point", pixel: Point}} Outcome
 *
 * The shape to show while the gesture lasts; `target` is the one that it stands for.
 * @typedef {{box: VocBox, target: Target | null}} Preview
 *
 * @typedef {{gesture: Gesture | null, outcome: Outcome}} Step
 *
 * `isHeld` is true while the button must stay down, and false between two clicks.
 * @typedef {{
 *   preview: Preview | null, cursor: string, isHeld: boolean,
 *   drag: (at: Point) => Gesture, up: (at: Point) => Step, cancel: () => Step,
 * }} Gesture
 *
 * @typedef {{cursor: string, down: (scene: Scene, at: Point) => Gesture}} Tool
 */

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
