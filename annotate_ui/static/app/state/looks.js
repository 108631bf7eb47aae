/** How a class looks on the image: one of seven hues and one of three dashes, by its place. */

export const HUES = 7;

/** Dashes in screen pixels: solid, dashed, dotted. @type {readonly (readonly number[])[]} */
export const DASHES = [[], [9, 5], [2, 4]];

/** @typedef {{hue: number, dash: number}} Look */

/**
 * The looks of classes in the palette's order: neighbours differ in hue, and no two of the first
 * twenty-one look the same.
 * @param {readonly string[]} classOrder
 * @returns {ReadonlyMap<string, Look>}
 */
export function assignLooks(classOrder) {
  return new Map(
    classOrder.map((name, index) => [
      name,
      { hue: index % HUES, dash: Math.floor(index / HUES) % DASHES.length },
    ]),
  );
}

/**
 * @param {ReadonlyMap<string, Look>} looks
 * @param {string} name
 * @returns {Look} of the class, or a plain one where the party no longer has it
 */
export function lookOf(looks, name) {
  return looks.get(name) ?? { hue: 0, dash: 0 };
}
