/** Pressed keys as chords on any keyboard layout, and which chords a person may choose for a command. */

/** @import {Keymap, KeyPress, Obstacle} from "./types.js" */

/**
 * The command of a key press: of its sign, else of the digit or letter of its place on the keyboard.
 * @template T
 * @param {KeyPress} press
 * @param {(chord: string) => T | undefined} commandOf
 * @returns {T | undefined}
 */
export function findCommand(press, commandOf) {
  return commandOf(chordOf(press, (chord) => commandOf(chord) !== undefined));
}

/**
 * The chord of a key press. What is printed on the key decides first, if it is a chord that `isUsed`. Then a key of
 * the digit row counts as its digit, since some layouts have other signs there, and a letter of another script as
 * the letter of its place. A sign made with AltGr has no place. Signs are written without Shift.
 * @param {KeyPress} press
 * @param {(chord: string) => boolean} [isUsed]
 * @returns {string}
 */
export function chordOf(press, isUsed = () => false) {
  const sign = withModifiers(press, signOf(press));
  const place = isUsed(sign) ? null : placeOf(press);
  return place === null ? sign : withModifiers(press, place);
}

/**
 * The digit that was typed, by its sign or by its key of the digit row; null where another key was pressed.
 * @param {KeyPress} press
 * @returns {string | null}
 */
export function digitOf(press) {
  const chord = chordOf(press);
  if (/^\d$/.test(chord)) return chord;
  // Some layouts need Shift for the digits of their top row.
  return chord === `Shift+${press.key}` && /^\d$/.test(press.key) ? press.key : null;
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

/**
 * @param {KeyPress} press
 * @param {string} base
 * @returns {string}
 */
function withModifiers(press, base) {
  const isSign = base.length === 1 && !/[a-z0-9]/.test(base);
  const isControl = (press.ctrlKey || press.metaKey) && !(isSign && isAltGr(press));
  const modifiers = [
    isControl ? "Ctrl+" : "",
    press.altKey && !isSign ? "Alt+" : "",
    press.shiftKey && !isSign ? "Shift+" : "",
  ].join("");
  return modifiers + (modifiers && base.length === 1 ? base.toUpperCase() : base);
}

/** What is printed on the key; letters in lower case. @param {KeyPress} press */
function signOf({ key }) {
  if (key === " ") return "Space";
  return /^[a-z]$/i.test(key) ? key.toLowerCase() : key;
}

/** The signs of these keys in the United States, without and with Shift. @type {Readonly<Record<string, string>>} */
const SIGNS = {
  Minus: "-_",
  Equal: "=+",
  BracketLeft: "[{",
  BracketRight: "]}",
  Backslash: "\\|",
  Semicolon: ";:",
  Comma: ",<",
  Period: ".>",
};

/** The digit, letter or sign of the key's place in the United States, or null where the place tells nothing. @param {KeyPress} press */
function placeOf(press) {
  const { key, code, shiftKey } = press;
  if (isAltGr(press)) return null;
  const digit = /^Digit(\d)$/.exec(code)?.[1];
  if (digit) return digit;
  const isOtherScript = /^\p{L}$/u.test(key) && !/\p{Script=Latin}/u.test(key);
  if (!isOtherScript) return null;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  return letter?.toLowerCase() ?? SIGNS[code]?.[Number(shiftKey)] ?? null;
}

/** Whether AltGr makes the sign; on Windows it may say so as Ctrl and Alt together. @param {KeyPress} press */
function isAltGr(press) {
  return press.getModifierState?.("AltGraph") || (press.ctrlKey && press.altKey);
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
