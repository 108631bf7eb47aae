/** An image's objects: new ones, where they are, and one of them changed. */

import { touchesBorder } from "../geometry/boxes.js";

/** @import {VocBox} from "../geometry/types.js" */
/** @import {Annotated, PartSpec, Target} from "../types.js" */
/** @import {ImageFrame, Objects} from "./types.js" */

export const UNSPECIFIED = "Unspecified";

/**
 * A new object; truncated is proposed where its box touches the border.
 * @param {string} key
 * @param {string} className
 * @param {VocBox} box
 * @param {ImageFrame} frame
 * @returns {Annotated}
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

/** @param {Objects} objects @param {string | undefined} key */
export function findObject(objects, key) {
  return objects.find((object) => object.key === key) ?? null;
}

/** The box that a target means, or null where it is gone. @param {Objects} objects @param {Target | null} target */
export function findBox(objects, target) {
  const object = findObject(objects, target?.key);
  if (!object || !target) return null;
  return target.part === null ? object.box : (object.parts[target.part]?.box ?? null);
}

/**
 * Every box that can be clicked, objects and parts.
 * @param {Objects} objects
 * @returns {{target: Target, box: VocBox}[]}
 */
export function listShapes(objects) {
  return objects.flatMap((object) => [
    { target: { key: object.key, part: null }, box: object.box },
    ...object.parts.map(({ box }, part) => ({ target: { key: object.key, part }, box })),
  ]);
}

/** @param {Annotated} object @param {PartSpec} spec */
export function hasRoomForPart(object, spec) {
  return object.parts.filter((part) => part.name === spec.name).length < spec.most;
}

/** How many objects of each class there are. @param {Objects} objects @returns {Map<string, number>} */
export function countClasses(objects) {
  const counts = new Map();
  for (const object of objects) counts.set(object.class, (counts.get(object.class) ?? 0) + 1);
  return counts;
}

/**
 * The same list where nothing changed, so that an edit without effect makes no history entry.
 * @param {Objects} objects
 * @param {string} key
 * @param {(object: Annotated) => Annotated} change
 * @returns {Objects}
 */
export function changeObject(objects, key, change) {
  const index = objects.findIndex((object) => object.key === key);
  if (index < 0) return objects;
  const changed = change(objects[index]);
  return changed === objects[index] ? objects : objects.with(index, changed);
}

/** Whether truncated is proposed for a box. @param {VocBox} box @param {ImageFrame} frame */
export function isProposed(box, { size, flags }) {
  return flags.includes("truncated") && touchesBorder(box, size);
}
