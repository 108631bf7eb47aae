/** What a pressed key is called in the key maps, whatever the keyboard's layout. */

/**
 * The part of a keyboard event that names a chord.
 * @typedef {{
 *   key: string, code: string,
 *   ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean,
 * }} KeyPress
 */

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
 * Whether a key only modifies others, or is half of a sign, and so is no chord by itself.
 * @param {string} key as KeyboardEvent.key
 */
export function isHalf(key) {
  return HALVES.includes(key);
}

const HALVES = ["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Unidentified"];

/**
 * How a chord is shown on a key cap.
 * @param {string} chord
 */
export function formatChord(chord) {
  const parts = chord === "+" ? ["+"] : chord.split(/\+(?=.)/);
  return parts.map((part) => CAPS[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join("");
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
