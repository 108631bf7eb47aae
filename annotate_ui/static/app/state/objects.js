/** An image's objects: new ones, where they are, one of them changed, and what the checklist counts. */

import { touchesBorder } from "../geometry/boxes.js";
import { findClass, foldClasses, groupClasses } from "./party.js";
import { hasMany } from "./recent.js";

/** @import {VocBox} from "../geometry/types.js" */
/** @import {Annotated, PartSpec, Party, Target} from "../types.js" */
/** @import {ChecklistLine, ImageFrame, Objects} from "./types.js" */

export const UNSPECIFIED = "Unspecified";

/**
 * A new object; truncated is proposed where its box touches the border.
 * @type {(key: string, className: string, box: VocBox, frame: ImageFrame) => Annotated}
 */
export function newObject(key, className, box, frame) {
  return {
    key,
    class: className,
    box,
    view: UNSPECIFIED,
    truncated: isProposed(box, frame),
    truncatedBy: "border",
    occluded: false,
    unsure: false,
    difficult: false,
    actions: [],
    point: null,
    parts: [],
  };
}

/**
 * @param {Objects} objects
 * @param {string | undefined} key
 */
export function findObject(objects, key) {
  return objects.find((object) => object.key === key) ?? null;
}

/**
 * The box that a target means, or null where it is gone.
 * @param {Objects} objects
 * @param {Target | null} target
 */
export function findBox(objects, target) {
  const object = findObject(objects, target?.key);
  if (!object || !target) return null;
  return target.part === null ? object.box : (object.parts[target.part]?.box ?? null);
}

/**
 * The key of the next object that is wanted, after `key` and around the end; null where there is none.
 * @template {{key: string}} T
 * @param {readonly T[]} objects
 * @param {string | null} key
 * @param {(object: T) => boolean} isWanted
 */
export function findNext(objects, key, isWanted) {
  const at = objects.findIndex((object) => object.key === key) + 1;
  return [...objects.slice(at), ...objects.slice(0, at)].find(isWanted)?.key ?? null;
}

/** Every box that can be clicked, objects and parts. @type {(objects: Objects) => {target: Target, box: VocBox}[]} */
export function listShapes(objects) {
  return objects.flatMap((object) => [
    { target: { key: object.key, part: null }, box: object.box },
    ...object.parts.map(({ box }, part) => ({ target: { key: object.key, part }, box })),
  ]);
}

/**
 * @param {Annotated} object
 * @param {PartSpec} spec
 */
export function hasRoomForPart(object, spec) {
  return object.parts.filter(({ part }) => part === spec.id).length < spec.most;
}

/**
 * How many objects of each class there are.
 * @param {readonly {class: string}[]} objects
 * @returns {Map<string, number>}
 */
export function countClasses(objects) {
  const counts = new Map();
  for (const object of objects) counts.set(object.class, (counts.get(object.class) ?? 0) + 1);
  return counts;
}

/**
 * The same list where nothing changed, so that an edit without effect makes no history entry.
 * @type {(objects: Objects, key: string, change: (object: Annotated) => Annotated) => Objects}
 */
export function changeObject(objects, key, change) {
  const index = objects.findIndex((object) => object.key === key);
  if (index < 0) return objects;
  const changed = change(objects[index]);
  return changed === objects[index] ? objects : objects.with(index, changed);
}

/**
 * Whether truncated is proposed for a box.
 * @param {VocBox} box
 * @param {ImageFrame} frame
 */
export function isProposed(box, { size, flags }) {
  return flags.includes("truncated") && touchesBorder(box, size);
}

/**
 * Every class once, in the palette's groups, with how many objects of it are marked.
 * @type {(party: Party, objects: Objects) => {group: string | null, lines: ChecklistLine[]}[]}
 */
export function makeChecklist(party, objects) {
  const counts = countClasses(objects);
  const groups = hasMany(party)
    ? foldClasses(party).map(({ path, classes }) => ({ group: path || null, classes }))
    : groupClasses(party);
  return groups.map(({ group, classes }) => ({
    group,
    lines: classes.map(({ id, display }) => ({ id, display, count: counts.get(id) ?? 0 })),
  }));
}

/**
 * What may have been forgotten: objects without a view though their class has views, objects whose
 * truncated is still the page's proposal, and objects marked unsure.
 * @param {Party} party
 * @param {Objects} objects
 */
export function countDoubts(party, objects) {
  const hasViews = (/** @type {string} */ name) => findClass(party, name)?.has_views ?? false;
  return {
    viewless: objects.filter(
      ({ view, class: name, group_of }) => view === UNSPECIFIED && hasViews(name) && !group_of,
    ).length,
    proposed: objects.filter((object) => object.truncated && object.truncatedBy === "border").length,
    unsure: objects.filter((object) => object.unsure).length,
  };
}

/** The reason of images without a wanted class, as the interface names it. */
export const UNWANTED_REASON = "no_wanted_class";

/**
 * How many objects are of none of the wanted classes.
 * @param {Objects} objects
 * @param {readonly string[]} wanted
 */
export function countUnwanted(objects, wanted) {
  return objects.filter((object) => !wanted.includes(object.class)).length;
}
