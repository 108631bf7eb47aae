/** Pressed keys as chords on any keyboard layout, and which chords a person may choose for a command. */

/** @import {Keymap, KeyPress, Obstacle} from "./types.js" */

/**
 * The chord of a key press. Digits go by their place on the keyboard, since some layouts need Shift
 * for them; letters by what is printed on them; other signs as they come out, without Shift.
 * @param {KeyPress} press
 * @returns {string}
 */
export function chordOf(press) {
  const base = baseOf(press);
  const isSign = base.length === 1 && !/[a-z0-9]/.test(base);
  const modifiers = [
    press.ctrlKey || press.metaKey ? "Ctrl+" : "",
    press.altKey && !isSign ? "Alt+" : "",
    press.shiftKey && !isSign ? "Shift+" : "",
  ].join("");
  return modifiers + (modifiers && base.length === 1 ? base.toUpperCase() : base);
}

/**
 * Whether the press belongs to an input method: what it composes is typed, and the Enter that ends it chooses
 * nothing. Chrome on macOS says so by the number 229 alone.
 * @param {{isComposing: boolean, keyCode: number}} press
 */
export function isForNobody({ isComposing, keyCode }) {
  return isComposing || keyCode === 229;
}

/** Keys that move while they are held; typing repeats too, but never Enter. */
const MOVES = /^(Arrow\w+|Tab|Page(Up|Down)|Home|End)$/;

/**
 * Whether a held key would choose something: every one but those that move, and those of text that is typed.
 * @param {{key: string}} press
 * @param {boolean} isTyping
 */
export function isHeldChoice({ key }, isTyping) {
  return isTyping ? key === "Enter" : !MOVES.test(key);
}

/** Keys that only modify others, or are half of a sign, and so are no chords, as KeyboardEvent.key. */
export const HALVES = ["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Unidentified"];

/**
 * How a chord is shown on a key cap; `names` are what keys are called where the page's language has other names.
 * @param {string} chord
 * @param {Readonly<Record<string, string>>} names
 */
export function formatChord(chord, names = {}) {
  const parts = chord === "+" ? ["+"] : chord.split(/\+(?=.)/);
  const capOf = (/** @type {string} */ part) => (part.length === 1 ? part.toUpperCase() : part);
  return parts.map((part) => names[part] ?? CAPS[part] ?? capOf(part)).join("");
}

/** @type {Readonly<Record<string, string>>} */
const CAPS = {
  Shift: "⇧",
  Ctrl: "Ctrl ",
  Alt: "Alt ",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  Delete: "Del",
  Backspace: "⌫",
  "-": "−",
};

/** @param {KeyPress} press */
function baseOf({ key, code }) {
  const digit = /^Digit(\d)$/.exec(code)?.[1];
  if (digit) return digit;
  if (key === " ") return "Space";
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  const letter = /^Key([A-Z])$/.exec(code);
  return letter && key.length === 1 ? letter[1].toLowerCase() : key;
}

/** Firefox searches by `'` and `/`; Escape goes back; Enter and Tab belong to what has the focus. */
const RESERVED = [
  /^Ctrl\+[ABD-UWX]$/, // pages may have C, V, Y and Z
  /^Ctrl\+Shift\+[A-Y]$/,
  /^Alt\+(Shift\+)?[A-Z]$/,
  /^(Ctrl|Alt)\+\d$|^Ctrl\+[-+=]$/,
  /^(Shift\+|Ctrl\+|Ctrl\+Shift\+|Alt\+)?Tab$/,
  /^(Ctrl\+Page(Up|Down)|Alt\+Home|(Ctrl|Alt)\+F4|Shift\+Delete|(Shift\+)?Escape|Enter|'|\/)$/,
  /^F([1-9]|1\d|2[0-4])$|^Ctrl\+Alt\+|Arrow/,
];

/** Whether a browser or a system keeps this chord. @param {string} chord */
export function isReserved(chord) {
  return RESERVED.some((pattern) => pattern.test(chord));
}

/** Whether a person may give the command another key; the arrow keys, Enter and Escape stay. @param {string} command */
export function isChangeable(command) {
  return !/^(nudge|nudge10|leap|side|other|cross10?)\.|^(corner\.set|outline\.close|step\.back)$/.test(
    command,
  );
}

/**
 * Why the command cannot have the chord, with the command that has it already; null where it can.
 * @type {(keymap: Keymap, command: string, chord: string) => {why: Obstacle, by: string | null} | null}
 */
export function findObstacle({ commandOf }, command, chord) {
  if (isReserved(chord)) return { why: "reserved", by: null };
  if (command === "box.remove" && chord.length === 1) return { why: "deletes", by: null };
  const holder = commandOf.get(chord);
  return holder && holder !== command ? { why: "taken", by: holder } : null;
}
