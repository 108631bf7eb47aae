/** Single keys changed by a person: what may be put where, and why not. */

import { isReserved } from "./reserved.js";

/** @typedef {import("./keymap.js").Keymap} Keymap */
/** @typedef {"reserved" | "deletes" | "taken"} Obstacle */

/**
 * Whether a person may give the command another key; the arrow keys, Enter and Escape stay.
 * @param {string} command
 */
export function isChangeable(command) {
  return !/^(nudge|nudge10|leap|side|other)\.|^(corner\.set|step\.back)$/.test(command);
}

/**
 * Why the command cannot have the chord, with the command that has it already; null where it can.
 * @param {Keymap} keymap
 * @param {string} command
 * @param {string} chord
 * @returns {{why: Obstacle, by: string | null} | null}
 */
export function findObstacle({ commandOf }, command, chord) {
  if (isReserved(chord)) return { why: "reserved", by: null };
  if (command === "box.remove" && chord.length === 1) return { why: "deletes", by: null };
  const by = commandOf.get(chord);
  return by && by !== command ? { why: "taken", by } : null;
}
