/**
 * Edits of an image's objects: each takes the list as it is and returns the list as it would be.
 *
 * What a class has (views, parts, actions) is the party's setting; an object that changes its class
 * loses what the new class has not, since the server would refuse it.
 */

import { isSameBox, touchesBorder } from "../geometry/boxes.js";

/** @import {Point, VocBox} from "../geometry/types.js" */
/** @import {ActionSpec, Annotated, ClassSpec, PartSpec, Target} from "../types.js" */
/** @import {Flag, ImageFrame, Objects} from "./types.js" */

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

/** @param {Objects} objects @param {Target} target @param {VocBox} box @param {ImageFrame} frame @returns {Objects} */
export function reshape(objects, target, box, frame) {
  const { part } = target;
  if (part !== null) return editPart(objects, target.key, part, box);
  return edit(objects, target.key, (object) =>
    isSameBox(object.box, box) ? object : proposeTruncated({ ...object, box }, frame),
  );
}

/**
 * Without the object, or without the one part that is meant.
 * @param {Objects} objects
 * @param {Target} target
 * @returns {Objects}
 */
export function remove(objects, { key, part }) {
  if (part === null) return objects.filter((object) => object.key !== key);
  return edit(objects, key, (object) => ({
    ...object,
    parts: object.parts.filter((_, index) => index !== part),
  }));
}

/** @param {Objects} objects @param {string} key @param {ClassSpec} spec @returns {Objects} */
export function setClass(objects, key, spec) {
  return edit(objects, key, (object) => {
    if (object.class === spec.name) return object;
    return {
      ...object,
      class: spec.name,
      view: spec.has_views ? object.view : UNSPECIFIED,
      parts: spec.has_parts ? object.parts : [],
      actions: spec.has_actions ? object.actions : [],
      point: spec.has_actions ? object.point : null,
    };
  });
}

/** @param {Objects} objects @param {string} key @param {string} view @returns {Objects} */
export function setView(objects, key, view) {
  return edit(objects, key, (object) => (object.view === view ? object : { ...object, view }));
}

/**
 * The other value; a flag that was only proposed is confirmed first.
 * @param {Objects} objects
 * @param {string} key
 * @param {Flag} flag
 * @returns {Objects}
 */
export function toggleFlag(objects, key, flag) {
  return edit(objects, key, (object) => {
    if (flag !== "truncated") return { ...object, [flag]: !object[flag] };
    const isProposed = object.truncated && object.truncatedBy === "border";
    return { ...object, truncated: isProposed || !object.truncated, truncatedBy: "person" };
  });
}

/**
 * An action that excludes others stands alone: it takes their place, and they take its.
 * @param {Objects} objects
 * @param {string} key
 * @param {string} name
 * @param {readonly ActionSpec[]} specs
 * @returns {Objects}
 */
export function toggleAction(objects, key, name, specs) {
  const lonely = specs.filter((spec) => spec.excludes_others).map((spec) => spec.name);
  return edit(objects, key, (object) => {
    if (object.actions.includes(name)) return withActions(object, without(object.actions, [name]));
    const kept = lonely.includes(name) ? [] : without(object.actions, lonely);
    const chosen = new Set([...kept, name]);
    return withActions(object, specs.map((spec) => spec.name).filter((one) => chosen.has(one)));
  });
}

/**
 * The reference point of an object whose box is not the point of it; null takes it away.
 * @param {Objects} objects
 * @param {string} key
 * @param {Point | null} point a pixel, 1-based
 * @returns {Objects}
 */
export function setPoint(objects, key, point) {
  return edit(objects, key, (object) => ({ ...object, point }));
}

/**
 * With one more part on the object; unchanged where it has as many of that name as it may.
 * @param {Objects} objects
 * @param {string} key
 * @param {PartSpec} spec
 * @param {VocBox} box
 * @returns {Objects}
 */
export function addPart(objects, key, spec, box) {
  return edit(objects, key, (object) =>
    hasRoomForPart(object, spec)
      ? { ...object, parts: [...object.parts, { name: spec.name, box }] }
      : object,
  );
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
function edit(objects, key, change) {
  const index = objects.findIndex((object) => object.key === key);
  if (index < 0) return objects;
  const changed = change(objects[index]);
  return changed === objects[index] ? objects : objects.with(index, changed);
}

/** @param {Objects} objects @param {string} key @param {number} part @param {VocBox} box */
function editPart(objects, key, part, box) {
  return edit(objects, key, (object) => {
    const old = object.parts[part];
    if (!old || isSameBox(old.box, box)) return object;
    return { ...object, parts: object.parts.with(part, { ...old, box }) };
  });
}

/**
 * The proposal follows the border until a person has decided.
 * @param {Annotated} object
 * @param {ImageFrame} frame
 * @returns {Annotated}
 */
function proposeTruncated(object, frame) {
  if (object.truncatedBy === "person") return object;
  return { ...object, truncated: isProposed(object.box, frame) };
}

/** @param {VocBox} box @param {ImageFrame} frame */
function isProposed(box, { size, flags }) {
  return flags.includes("truncated") && touchesBorder(box, size);
}

/** @param {Annotated} object @param {readonly string[]} actions @returns {Annotated} */
function withActions(object, actions) {
  return { ...object, actions };
}

/** @param {readonly string[]} words @param {readonly string[]} unwanted */
function without(words, unwanted) {
  return words.filter((word) => !unwanted.includes(word));
}
