/** What a person chose about the page, kept from visit to visit. */

import { MAP_NAMES } from "./keymap.js";

/** @import {Drawing} from "../tools/types.js" */
/** @import {Changes, Magnifier, Preferences} from "./types.js" */

/** @type {readonly Drawing[]} in the order of the switch */
export const DRAWINGS = ["drag", "clicks", "extremes"];
/** @type {readonly Magnifier[]} */
const MAGNIFIERS = ["auto", "on", "off"];

/** @type {Preferences} */
export const DEFAULTS = { map: "labelimg", keys: {}, drawing: "drag", magnifier: "auto", colours: "class" };

/** The default in place of each stored value that is not valid. @type {(stored: unknown) => Preferences} */
export function readPreferences(stored) {
  const known = isRecord(stored) ? stored : {};
  const keys = isRecord(known.keys) ? known.keys : {};
  return {
    map: oneOf(MAP_NAMES, known.map) ?? DEFAULTS.map,
    keys: Object.fromEntries(MAP_NAMES.map((name) => [name, readChanges(keys[name])])),
    drawing: oneOf(DRAWINGS, known.drawing) ?? DEFAULTS.drawing,
    magnifier: oneOf(MAGNIFIERS, known.magnifier) ?? DEFAULTS.magnifier,
    colours: known.colours === "object" ? "object" : "class",
  };
}

/**
 * The keys that were changed in the map in use.
 * @param {Preferences} preferences
 * @returns {Changes}
 */
export function changesOf({ map, keys }) {
  return keys[map] ?? {};
}

/**
 * One key put elsewhere in the map in use; null brings the map's own back.
 * @type {(preferences: Preferences, command: string, chord: string | null) => Preferences}
 */
export function changeKey(preferences, command, chord) {
  const { [command]: _, ...others } = changesOf(preferences);
  const changes = chord === null ? others : { ...others, [command]: [chord] };
  return { ...preferences, keys: { ...preferences.keys, [preferences.map]: changes } };
}

/**
 * The map in use without changes.
 * @param {Preferences} preferences
 * @returns {Preferences}
 */
export function resetKeys(preferences) {
  return { ...preferences, keys: { ...preferences.keys, [preferences.map]: {} } };
}

/**
 * The next way of drawing in the order of the switch.
 * @param {Preferences} preferences
 * @returns {Preferences}
 */
export function switchDrawing(preferences) {
  const at = DRAWINGS.indexOf(preferences.drawing);
  return { ...preferences, drawing: DRAWINGS[(at + 1) % DRAWINGS.length] };
}

/**
 * @param {unknown} stored
 * @returns {Changes}
 */
function readChanges(stored) {
  if (!isRecord(stored)) return {};
  const isChords = (/** @type {unknown} */ value) =>
    Array.isArray(value) && value.every((chord) => typeof chord === "string");
  const entries = Object.entries(stored).filter(([, chords]) => isChords(chords));
  return /** @type {Changes} */ (Object.fromEntries(entries));
}

/**
 * @template T
 * @param {readonly T[]} known
 * @param {unknown} value
 * @returns {T | null}
 */
function oneOf(known, value) {
  return known.find((word) => word === value) ?? null;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
