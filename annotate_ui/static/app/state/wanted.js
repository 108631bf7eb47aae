/** Rare-class mode: organisers say which classes are still wanted. */

/** @typedef {import("./objects.js").Objects} Objects */

/** The reason of images without a wanted class, as docs/api.md names it. */
export const UNWANTED_REASON = "no_wanted_class";

/**
 * How many objects are of none of the wanted classes.
 * @param {Objects} objects
 * @param {readonly string[]} wanted
 */
export function countUnwanted(objects, wanted) {
  return objects.filter((object) => !wanted.includes(object.class)).length;
}
