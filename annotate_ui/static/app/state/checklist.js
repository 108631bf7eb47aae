/** What the checklist before the end of an image shows, and rare-class mode. */

import { countClasses, UNSPECIFIED } from "./objects.js";
import { findClass, groupClasses } from "./party.js";

/** @import {Party} from "../types.js" */
/** @import {ChecklistLine, Objects} from "./types.js" */

/**
 * Every class once, in the palette's groups, with how many objects of it are marked.
 * @param {Party} party
 * @param {Objects} objects
 * @returns {{group: string | null, lines: ChecklistLine[]}[]}
 */
export function makeChecklist(party, objects) {
  const counts = countClasses(objects);
  return groupClasses(party).map(({ group, classes }) => ({
    group,
    lines: classes.map(({ name, display }) => ({ name, display, count: counts.get(name) ?? 0 })),
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
    viewless: objects.filter((one) => one.view === UNSPECIFIED && hasViews(one.class)).length,
    proposed: objects.filter((one) => one.truncated && one.truncatedBy === "border").length,
    unsure: objects.filter((one) => one.unsure).length,
  };
}

/** The reason of images without a wanted class, as the interface names it. */
export const UNWANTED_REASON = "no_wanted_class";

/** How many objects are of none of the wanted classes. @param {Objects} objects @param {readonly string[]} wanted */
export function countUnwanted(objects, wanted) {
  return objects.filter((object) => !wanted.includes(object.class)).length;
}
