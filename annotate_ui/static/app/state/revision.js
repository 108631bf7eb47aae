/** Between objects as the page edits them and as the interface sends them. */

import { roundSecs, secsOn, startStints } from "./clock.js";

/** @import {Annotated, Revision} from "../types.js" */
/** @import {Entry, Objects, Order, Stints} from "./types.js" */

/**
 * The objects of a revision, ready to be edited; what they say was decided by a person.
 * @param {Revision | null} revision @returns {Objects}
 */
export function openRevision(revision) {
  return (revision?.objects ?? []).map(({ drawn_secs, ...object }) => ({
    ...object,
    truncatedBy: /** @type {const} */ ("person"),
  }));
}

/**
 * The seconds that a revision holds for each object.
 * @type {(revision: Revision | null) => [key: string, secs: number][]}
 */
export function secsInRevision(revision) {
  return (revision?.objects ?? []).map((object) => [object.key, object.drawn_secs]);
}

/**
 * The objects of a save. `difficult` is left out: organisers judge it and the server carries it.
 * @param {Objects} objects @param {Stints} stints
 */
export function packObjects(objects, stints) {
  return objects.map(({ truncatedBy, difficult, ...object }) => ({
    ...object,
    drawn_secs: roundSecs(secsOn(stints, object.key)),
  }));
}

/**
 * Whether two lists of objects say the same, apart from who decided it and how long it took.
 * @type {(one: Objects, other: Objects) => boolean}
 */
export function isSameWork(one, other) {
  return one === other || JSON.stringify(one.map(essence)) === JSON.stringify(other.map(essence));
}

/**
 * The key of the object that an error's field means ("objects.2.box"), or null.
 * @type {(field: string | null, objects: Objects) => string | null}
 */
export function keyOfField(field, objects) {
  const index = /(?:^|\.)objects\.(\d+)(?:\.|$)/.exec(field ?? "")?.[1];
  return index === undefined ? null : (objects[Number(index)]?.key ?? null);
}

/** @param {Annotated} object */
function essence({ key, class: name, box, view, truncated, occluded, unsure, ...rest }) {
  const { actions, point, parts } = rest;
  const partWords = parts.map((part) => [part.name, ...part.box]);
  const { rings, depth, open } = rest;
  return [key, name, box, view, truncated, occluded, unsure, actions, point, partWords, rings, depth, open];
}

/**
 * A revision: a draft, or the end that was ordered. `activeSecs` are those since the one before.
 * @param {Entry} entry
 * @param {Order | null} order
 * @param {string} saveKey
 * @param {number} activeSecs
 */
export function packEntry({ objects, drawnSecs, saving, unsureClasses }, order, saveKey, activeSecs) {
  return {
    save_key: saveKey,
    parent_id: saving.parentId,
    finish: order !== null,
    discard_reason: order?.discardReason ?? null,
    comment: order?.comment ?? "",
    active_secs: activeSecs,
    unsure_classes: [...unsureClasses],
    objects: packObjects(objects, startStints(drawnSecs)),
  };
}
