/** The keys that no command may have: what browsers and systems keep, or do before a page is asked. */

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";

/** The few chords with Ctrl that pages may have. */
const FREE_CTRL = ["Ctrl+Y", "Ctrl+Z"];

/**
 * Chords as state/chords.js writes them. `'` and `/` are Firefox's search; Escape goes back, Enter
 * and Tab belong to whatever has the focus.
 * @type {ReadonlySet<string>}
 */
const RESERVED = new Set([
  ...[...LETTERS].map((letter) => `Ctrl+${letter}`).filter((chord) => !FREE_CTRL.includes(chord)),
  ...[...LETTERS].filter((letter) => letter !== "Z").map((letter) => `Ctrl+Shift+${letter}`),
  ...[...LETTERS].flatMap((letter) => [`Alt+${letter}`, `Alt+Shift+${letter}`]),
  ...[...DIGITS].flatMap((digit) => [`Ctrl+${digit}`, `Alt+${digit}`]),
  ...["+", "-", "="].map((sign) => `Ctrl+${sign}`),
  ...["", "Shift+", "Ctrl+", "Ctrl+Shift+", "Alt+"].map((modifier) => `${modifier}Tab`),
  ...["Ctrl+PageUp", "Ctrl+PageDown", "Alt+Home", "Ctrl+F4", "Alt+F4", "Shift+Delete"],
  ...["Shift+Escape", "Escape", "Enter", "'", "/"],
  ...Array.from({ length: 24 }, (_, index) => `F${index + 1}`),
]);

/**
 * Whether a browser or a system keeps this chord.
 * @param {string} chord
 */
export function isReserved(chord) {
  return RESERVED.has(chord) || chord.startsWith("Ctrl+Alt+") || /Arrow/.test(chord);
}
