/** The keys of the segmentation pages, in the form of state/keymap.js; what they share with the others is named only. */

/** @typedef {readonly (readonly [command: string, chords: string[], group: string])[]} Rows */

export const AS_WITH_BOXES = new Set([
  ..."undo redo step.back object.next object.previous zoom.in zoom.out zoom.actual zoom.object".split(" "),
  ..."show.labels colours.switch magnifier light.show help".split(" "),
]);

/** @type {Rows} */
export const SEGMENT_KEYS = [
  ["outline.close", ["Enter"], "draw"],
  ["outline.corner", ["c"], "draw"],
  ["piece.add", ["p"], "draw"],
  ["hole.cut", ["h"], "draw"],
  ["brush", ["b"], "draw"],
  ["eraser", ["e"], "draw"],
  ["brush.smaller", ["["], "draw"],
  ["brush.larger", ["]"], "draw"],
  ["void.new", ["v"], "draw"],
  ["propose", ["g"], "draw"],
  ["propose.switch", ["s"], "draw"],
  ["corner.remove", ["Delete", "Backspace"], "correct"],
  ["corner.next", ["n"], "correct"],
  ["corner.previous", ["Shift+N"], "correct"],
  ["depth.forward", ["f"], "object"],
  ["depth.back", ["Shift+F"], "object"],
  ["show.masks", ["m"], "see"],
  ["zoom.fit", ["Home", "0"], "see"],
  ["guidelines", ["Shift+G"], "see"],
  ["image.finish", ["d"], "image"],
  ...Object.entries({ cross: "", cross10: "Shift+" }).flatMap(([name, held]) =>
    ["Left", "Right", "Up", "Down"].map(
      (side) => /** @type {[string, string[], string]} */ ([`${name}.${side.toLowerCase()}`, [`${held}Arrow${side}`], "correct"]),
    ),
  ),
];

/** @type {Rows} */
export const DRAWERS_KEYS = [["image.previous", ["a"], "image"]];

/** @type {Rows} */
export const CHECKERS_KEYS = [
  ["verdict.accept", ["Space"], "image"],
  ["verdict.reject", ["x"], "image"],
  ["verdict.remark", ["Shift+X"], "image"],
];
