/** What the automatic checks found on the image, and what the checker said of it. */

import { objectsIn } from "./editor.js";
import { findNext } from "./objects.js";

/** @import {Annotated, Finding, Found} from "../types.js" */
/** @import {Editor, Numbered} from "./types.js" */

const RANKS = ["error", "warning", "hint"];

/**
 * What is shown next to the image: findings about the whole of it, then about the object of the key.
 * @param {readonly Found[]} found @param {string | null} key
 */
export function listShown(found, key) {
  const about = (/** @type {string | null} */ object) => found.filter((one) => one.object_key === object);
  return key === null ? about(null) : [...about(null), ...about(key)];
}

/**
 * The finding that a key speaks of: the first of the selected object that was not judged, then of
 * the whole image; null where there is none.
 * @type {(found: readonly Found[], key: string | null) => Found | null}
 */
export function currentFinding(found, key) {
  const [own, whole] = [openAt(found, key), openAt(found, null)];
  return (key === null ? undefined : own[0]) ?? whole[0] ?? null;
}

/**
 * The key of the next object of which a finding waits.
 * @type {(found: readonly Found[], objects: readonly {key: string}[], key: string | null) => string | null}
 */
export function nextWithFinding(found, objects, key) {
  return findNext(objects, key, (object) => openAt(found, object.key).length > 0);
}

/**
 * The findings with what changed of one of them: the verdict, or all that the server says of it now.
 * @template {Found} F @param {readonly F[]} found @param {number} id
 * @param {Partial<Pick<Found, "verdict" | "version" | "message">>} change @returns {F[]}
 */
export function changeFinding(found, id, { verdict, version, message }) {
  const given = Object.entries({ verdict, version, message }).filter(([, value]) => value !== undefined);
  return found.map((one) => (one.id === id ? { ...one, ...Object.fromEntries(given) } : one));
}

/**
 * What was found of an object and not judged wrong; hints of a save have no verdict yet.
 * @template {Finding & {verdict?: Found["verdict"]}} F @param {readonly F[]} found @param {string} key
 */
export function standingOf(found, key) {
  return found.filter((one) => one.object_key === key && one.verdict !== "wrong");
}

/**
 * The gravest severity of what stands of an object; null without any.
 * @type {(found: readonly (Finding & {verdict?: Found["verdict"]})[], key: string) => string | null}
 */
export function worstOf(found, key) {
  const holding = standingOf(found, key);
  return RANKS.find((severity) => holding.some((one) => one.severity === severity)) ?? null;
}

/** @param {readonly Found[]} found */
export function countUnjudged(found) {
  return found.filter((one) => one.verdict === null).length;
}

/** @param {readonly Found[]} found @param {string | null} key */
function openAt(found, key) {
  return found.filter((one) => one.object_key === key && one.verdict === null);
}

/**
 * The gravest first, as the server sent them; one whose object was removed says no more.
 * @type {<F extends Finding>(work: {findings: readonly F[], editor: Editor}) => readonly F[]}
 */
export function listHints({ findings, editor }) {
  if (findings.length === 0) return findings;
  const keys = new Set(objectsIn(editor).map(({ key }) => key));
  return findings.filter(({ object_key: key }) => key === null || keys.has(key));
}

/**
 * Hints of one check about objects of one class together, in the order in which they came; each
 * object once, by its first hint.
 * @type {(hints: readonly Finding[], objects: readonly Annotated[]) => Map<string, Numbered[]>}
 */
export function groupHints(hints, objects) {
  const groups = new Map();
  for (const hint of hints) {
    const at = objects.findIndex(({ key }) => key === hint.object_key);
    const id = `${hint.check} ${objects[at]?.class}`;
    const group = groups.get(id) ?? [];
    const isThere = at >= 0 && group.some((/** @type {Numbered} */ one) => one.number === at + 1);
    if (!isThere) groups.set(id, [...group, { hint, object: objects[at], number: at + 1 }]);
  }
  return groups;
}
