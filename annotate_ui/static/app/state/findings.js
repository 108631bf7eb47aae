/** What the automatic checks found on the image, and what the checker said of it. */

import { objectsIn } from "./editor.js";
import { findNext } from "./objects.js";

/** @import {Annotated, Finding, Found} from "../types.js" */
/** @import {Editor, Numbered} from "./types.js" */

const RANKS = ["error", "warning", "hint"];

/**
 * What is shown next to the image: findings about the whole of it, then about the object of the key.
 * @param {readonly Found[]} findings
 * @param {string | null} key
 */
export function listShown(findings, key) {
  const about = (/** @type {string | null} */ object) =>
    findings.filter((finding) => finding.object_key === object);
  return key === null ? about(null) : [...about(null), ...about(key)];
}

/**
 * The finding that a key speaks of: the first of the selected object that was not judged, then of
 * the whole image; null where there is none.
 * @type {(found: readonly Found[], key: string | null) => Found | null}
 */
export function currentFinding(findings, key) {
  const ofObject = openAt(findings, key);
  const whole = openAt(findings, null);
  return (key === null ? undefined : ofObject[0]) ?? whole[0] ?? null;
}

/**
 * The key of the next object of which a finding waits.
 * @type {(found: readonly Found[], objects: readonly {key: string}[], key: string | null) => string | null}
 */
export function nextWithFinding(findings, objects, key) {
  return findNext(objects, key, (object) => openAt(findings, object.key).length > 0);
}

/**
 * The findings with what changed of one of them: the verdict, or all that the server says of it now.
 * @template {Found} F
 * @param {readonly F[]} findings
 * @param {number} id
 * @param {Partial<Pick<Found, "verdict" | "version" | "message">>} change
 * @returns {F[]}
 */
export function changeFinding(findings, id, { verdict, version, message }) {
  const given = Object.entries({ verdict, version, message }).filter(([, value]) => value !== undefined);
  const changed = Object.fromEntries(given);
  return findings.map((finding) => (finding.id === id ? { ...finding, ...changed } : finding));
}

/**
 * What was found of an object and not judged wrong; hints of a save have no verdict yet.
 * @template {Finding & {verdict?: Found["verdict"]}} F
 * @param {readonly F[]} findings
 * @param {string} key
 */
export function standingOf(findings, key) {
  return findings.filter((finding) => finding.object_key === key && finding.verdict !== "wrong");
}

/**
 * The gravest severity of what stands of an object; null without any.
 * @type {(findings: readonly (Finding & {verdict?: Found["verdict"]})[], key: string) => string | null}
 */
export function worstOf(findings, key) {
  const holding = standingOf(findings, key);
  return RANKS.find((severity) => holding.some((finding) => finding.severity === severity)) ?? null;
}

/** @param {readonly Found[]} findings */
export function countUnjudged(findings) {
  return findings.filter((finding) => finding.verdict === null).length;
}

/**
 * @param {readonly Found[]} findings
 * @param {string | null} key
 */
function openAt(findings, key) {
  return findings.filter((finding) => finding.object_key === key && finding.verdict === null);
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
    const isThere = at >= 0 && group.some((/** @type {Numbered} */ member) => member.number === at + 1);
    if (!isThere) groups.set(id, [...group, { hint, object: objects[at], number: at + 1 }]);
  }
  return groups;
}
