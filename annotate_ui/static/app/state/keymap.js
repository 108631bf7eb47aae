/**
 * The key maps as data: one table for both maps, one for where they differ, and keys for the words of a party.
 *
 * A chord is written "Ctrl+Z", "Shift+3", "q", "?", "ArrowLeft". Deletion is never on a single
 * letter, and nothing is on what browsers keep for themselves (a test says so for every map).
 */

import { displayOf, displayOfClass } from "./party.js";
import { hasMany } from "./recent.js";

/** @import {Party} from "../types.js" */
/** @import {Changes, Keymap, MapName, Page, Row, Rows} from "./types.js" */

/** @type {MapName[]} */
export const MAP_NAMES = ["labelimg", "cvat"];

/**
 * Where the maps differ: the keys in each, the group, and the page where only one has the command. The keys
 * of views are under the left hand, while the right hand holds the mouse.
 * @type {readonly (readonly [command: string, chords: Readonly<Record<MapName, string[]>>, group: string, page?: Page])[]}
 */
const HABITS = [
  ["box.new", { labelimg: ["w"], cvat: ["n"] }, "draw"],
  ["finding.wrong", { labelimg: ["n"], cvat: ["c"] }, "image", "check"],
  ["image.finish", { labelimg: ["d"], cvat: ["f"] }, "image"],
  ["image.previous", { labelimg: ["a"], cvat: ["d"] }, "image", "annotate"],
  ["flag:occluded", { labelimg: ["o", "c"], cvat: ["q", "o"] }, "object"],
  ["suggestion.accept", { labelimg: ["n"], cvat: ["c"] }, "suggest", "annotate"],
  ["view:Left", { labelimg: ["q"], cvat: ["a"] }, "object"],
  ["view:Right", { labelimg: ["e"], cvat: ["e"] }, "object"],
  ["view:Frontal", { labelimg: ["f"], cvat: ["w"] }, "object"],
  ["view:Rear", { labelimg: ["r"], cvat: ["r"] }, "object"],
];

/**
 * Rows for the four arrow keys, with the modifier of each family of commands.
 * @param {Record<string, string>} families
 * @returns {Rows}
 */
function arrowRows(families) {
  return Object.entries(families).flatMap(([name, held]) =>
    ["Left", "Right", "Up", "Down"].map(
      (side) => /** @type {const} */ ([`${name}.${side.toLowerCase()}`, [`${held}Arrow${side}`], "correct"]),
    ),
  );
}

/** @type {Rows} */
const SHARED = [
  ["corner.set", ["Enter"], "draw"],
  ["box.remove", ["Delete", "Backspace"], "draw"],
  ["undo", ["Ctrl+Z"], "draw"],
  ["redo", ["Ctrl+Shift+Z", "Ctrl+Y"], "draw"],
  ["step.back", ["Escape"], "draw"],
  ["draw.mode", [";"], "draw"],
  ...arrowRows({ nudge: "", nudge10: "Shift+", leap: "Ctrl+Shift+", side: "Alt+", other: "Alt+Shift+" }),
  ["box.copy", ["Ctrl+C"], "draw"],
  ["box.paste", ["Ctrl+V"], "draw"],
  ["box.repeat", ["Shift+Enter"], "draw"],
  ["side.switch", ["s"], "correct"],
  ["object.next", ["."], "select"],
  ["object.previous", [","], "select"],
  ["object.below", [">"], "select"],
  ["object.above", ["<"], "select"],
  ["view:Unspecified", ["v"], "object"],
  ["flag:truncated", ["t"], "object"],
  ["flag:unsure", ["u"], "object"],
  ["point.set", ["p"], "object"],
  ["class.filter", ["m"], "class"],
  ["zoom.in", ["+", "="], "see"],
  ["zoom.out", ["-"], "see"],
  ["zoom.fit", ["_", "Home"], "see"],
  ["zoom.actual", ["i"], "see"],
  ["zoom.object", ["z"], "see"],
  ["show.boxes", ["y"], "see"],
  ["show.labels", ["l"], "see"],
  ["class.hide", ["Shift+Y"], "see"],
  ["colours.switch", [":"], "see"],
  ["magnifier", ["Shift+Z"], "see"],
  ["light.show", [], "see"],
  ["light.brighter", ["]"], "see"],
  ["light.darker", ["["], "see"],
  ["light.harder", ["}"], "see"],
  ["light.softer", ["{"], "see"],
  ["light.reset", ["\\"], "see"],
  ["image.history", [], "see"],
  ["guidelines", ["g"], "see"],
  ["help", ["?"], "see"],
];

/** @type {Rows} */
const CHECKERS_KEYS = [
  ["verdict.accept", ["Space"], "image"],
  ["verdict.reject", ["x"], "image"],
  ["verdict.remark", ["Shift+X"], "image"],
];

/** @type {Rows} */
const DRAWERS_KEYS = [["image.previous", ["a"], "image"]];

/** What the segmentation pages share with the others. */
const AS_WITH_BOXES = new Set([
  ..."undo redo step.back object.next object.previous zoom.in zoom.out zoom.actual zoom.object".split(" "),
  ..."show.labels colours.switch magnifier light.show help".split(" "),
]);

/** @type {Rows} */
const SEGMENT_KEYS = [
  ["outline.close", ["Enter"], "draw"],
  ["outline.corner", ["c"], "draw"],
  ["wire", ["w"], "draw"],
  ["piece.add", ["p"], "draw"],
  ["hole.cut", ["h"], "draw"],
  ["brush", ["b"], "draw"],
  ["eraser", ["e"], "draw"],
  ["brush.smaller", ["["], "draw"],
  ["brush.larger", ["]"], "draw"],
  ["void.new", ["v"], "draw"],
  ["propose", ["g"], "draw"],
  ["propose.switch", ["s"], "draw"],
  ["model.click", ["k"], "draw"],
  ["corner.remove", ["Delete", "Backspace"], "correct"],
  ["corner.next", ["n"], "correct"],
  ["corner.previous", ["Shift+N"], "correct"],
  ["depth.forward", ["f"], "object"],
  ["depth.back", ["Shift+F"], "object"],
  ["show.masks", ["m"], "see"],
  ["zoom.fit", ["Home", "0"], "see"],
  ["guidelines", ["Shift+G"], "see"],
  ["image.finish", ["d"], "image"],
  ...arrowRows({ cross: "", cross10: "Shift+" }),
];

/** @type {Readonly<Record<"annotate" | "check", Rows>>} */
const ONLY_ON = {
  annotate: [
    ["suggestion.reject", ["Shift+N"], "suggest"],
    ["suggestion.show", ["Shift+S"], "suggest"],
    ["event.copy", ["b"], "draw"],
    ["image.verify", ["Space"], "image"],
    ["image.discard", ["x"], "image"],
    ["image.unwanted", ["Shift+X"], "image"],
  ],
  check: [...CHECKERS_KEYS, ["finding.right", ["Shift+N"], "image"]],
};

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"];
const SPARE_LETTERS = ["h", "j", "k"];

/**
 * The whole key map of a page for a party: what is fixed, then a chord for each class in the palette's order, view,
 * part and action. A word for which no chord is left has none and is reached by pointer or filter. What the person
 * has changed goes before everything. `classOrder` holds of many classes those that have keys.
 * @param {Party} party
 * @param {readonly string[]} classOrder
 * @param {MapName} mapName
 * @param {Page} page
 * @param {Changes} [changed]
 * @returns {Keymap}
 */
export function buildKeymap(party, classOrder, mapName, page, changed = {}) {
  const isOfBoxes = page === "annotate" || page === "check";
  const habits = HABITS.filter(([, , , only = page]) => only === page);
  const fixed = isOfBoxes
    ? [
        ...habits.map(([command, chords, group]) => row(command, chords[mapName], group)),
        ...listRows(SHARED, ONLY_ON[page]),
      ]
    : listSegmentRows(page);
  const views = new Set(["view:Unspecified", ...party.views.map(({ id }) => `view:${id}`)]);
  const ours = fixed
    .filter(({ command }) => !command.startsWith("view:") || views.has(command))
    .map((row) => ({ ...row, label: labelOfView(party, row.command) }));
  const classes = isOfBoxes ? classRows(party, classOrder, changed) : [];
  const words = isOfBoxes ? [...classes, ...partyRows(party, ours)] : [];
  const taken = new Set([...ours, ...words].flatMap(({ command }) => changed[command] ?? []));
  const rows = ours.map((row) => keepFree(row, taken, changed));
  for (const chord of rows.flatMap((row) => row.chords)) taken.add(chord);
  for (const row of words) {
    rows.push(keepFree(row, taken, changed, 1));
    for (const chord of rows[rows.length - 1].chords) taken.add(chord);
  }
  const pairs = rows.flatMap(({ command, chords }) =>
    chords.map((chord) => /** @type {const} */ ([chord, command])),
  );
  return { rows, commandOf: new Map(pairs) };
}

/** What the party calls the view of a command; null for other commands. @type {(party: Party, command: string) => string | null} */
function labelOfView(party, command) {
  const [family, id] = command.split(":");
  return family === "view" ? displayOf(party, "view", id) : null;
}

/**
 * The row with what the person chose for it, else with its own chords as far as they are free.
 * @type {(row: Row, taken: ReadonlySet<string>, changed: Changes, most?: number) => Row}
 */
function keepFree(row, taken, changed, most = row.chords.length) {
  const free = row.chords.filter((chord) => !taken.has(chord)).slice(0, most);
  return { ...row, chords: changed[row.command] ?? free };
}

/** Whether a held key repeats it: moving and zooming do, decisions do not. @param {string} command */
export function mayRepeat(command) {
  return /^(nudge10|nudge|leap|side|other|cross10?)\.(left|right|up|down)$|^(zoom\.(in|out)|undo|redo|brush\.\w+er)$|^light\.\w+er$/.test(
    command,
  );
}

/**
 * The first chord of a command, or null.
 * @param {Keymap} keymap
 * @param {string} command
 */
export function chordFor(keymap, command) {
  return keymap.rows.find((row) => row.command === command)?.chords[0] ?? null;
}

/**
 * The digits, with Shift for the second ten. Of many classes each has one of its own, and only what a person gave a
 * key has a row besides these.
 * @type {(party: Party, classOrder: readonly string[], changed: Changes) => Row[]}
 */
function classRows(party, classOrder, changed) {
  const digits = [...DIGITS, ...DIGITS.map((digit) => `Shift+${digit}`)];
  const classRow = (/** @type {string} */ id, /** @type {string[]} */ chords) =>
    row(`class:${id}`, chords, "class", displayOfClass(party, id));
  if (!hasMany(party)) return classOrder.map((id) => classRow(id, digits));
  const others = party.classes.filter(({ id }) => changed[`class:${id}`] && !classOrder.includes(id));
  return [
    ...classOrder.map((id, place) => classRow(id, digits.slice(place, place + 1))),
    ...others.map(({ id }) => classRow(id, [])),
  ];
}

/**
 * The chords for each other word of the party, best first; for actions the first letters of their words, with Shift,
 * which parts and views take where no letter is left.
 * @type {(party: Party, fixed: readonly Row[]) => Row[]}
 */
function partyRows(party, fixed) {
  const hasRow = new Set(fixed.map((row) => row.command));
  const letters = [...SPARE_LETTERS, ..."nxabcdefgilmopqrstuvwyz"];
  const lettersOf = (/** @type {string} */ display) => [...letters, ...likedLetters(display)];
  return [
    ...party.parts.map(({ id, display }) => row(`part:${id}`, lettersOf(display), "part", display)),
    ...party.views
      .filter(({ id }) => !hasRow.has(`view:${id}`))
      .map(({ id, display }) => row(`view:${id}`, lettersOf(display), "object", display)),
    ...party.actions.map(({ id, display }) => row(`action:${id}`, likedLetters(display), "action", display)),
    ...(party.flags.includes("group_of") ? [row("flag:group_of", lettersOf("group"), "object")] : []),
  ];
}

/** Shift and a letter: of each word the first, then the others, then any. @param {string} display */
function likedLetters(display) {
  const words = display.toLowerCase().match(/[a-z]{2,}/g) ?? [];
  const firsts = words.map((word) => word[0]);
  const letters = [...firsts, ...words.join(""), ..."abcdefghijklmnopqrstuvwxyz"];
  return [...new Set(letters)].map((letter) => `Shift+${letter.toUpperCase()}`);
}

/**
 * Outlines have no classes to choose, and the same keys in both maps.
 * @param {Page} page
 * @returns {Row[]}
 */
function listSegmentRows(page) {
  const shared = SHARED.filter(([command]) => AS_WITH_BOXES.has(command));
  return listRows(SEGMENT_KEYS, page === "check-segment" ? CHECKERS_KEYS : DRAWERS_KEYS, shared);
}

/** @param {...Rows} lists */
function listRows(...lists) {
  return lists.flat().map((entry) => row(...entry));
}

/**
 * A row of the map; `label` is the party's word, null where the page has one.
 * @type {(command: string, chords: string[], group: string, label?: string | null) => Row}
 */
function row(command, chords, group, label = null) {
  return { command, chords, group, label };
}
