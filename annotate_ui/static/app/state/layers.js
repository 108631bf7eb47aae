/** Which boxes stay painted from frame to frame, and which are painted anew above them. */

/** @typedef {import("../types.js").Annotated} Annotated */
/** @typedef {import("./objects.js").Objects} Objects */
/**
 * `isStale` says that the layer below must be painted again, with `below`; `above` is painted in
 * every frame.
 * @typedef {{isStale: boolean, below: Objects, above: Objects}} Layers
 */

/** With fewer boxes than this all are painted together, so that every name finds its place. */
const FEW = 60;
/** More than this above, and painting them in every frame costs more than painting below once. */
const MOST_ABOVE = 12;

/**
 * The layers after a change. What is painted below stays as long as it is all still there and as it
 * was; what is selected or was edited comes above, so that an edit of one box repaints one box.
 * @param {Objects} shown
 * @param {string | undefined} selectedKey
 * @param {string | undefined} heldKey the object that the hand holds
 * @param {ReadonlySet<Annotated> | null} painted what is painted below; null to paint it anew
 * @returns {Layers}
 */
export function planLayers(shown, selectedKey, heldKey, painted) {
  const isSelected = (/** @type {Annotated} */ object) => object.key === selectedKey;
  if (painted && isGood(shown, selectedKey, heldKey, painted)) {
    const above = shown.filter((object) => isSelected(object) || !painted.has(object));
    return { isStale: false, below: [...painted], above: onTop(above, selectedKey) };
  }
  return {
    isStale: true,
    below: shown.filter((object) => !isSelected(object)),
    above: shown.filter(isSelected),
  };
}

/**
 * @param {Objects} shown
 * @param {string | undefined} selectedKey
 * @param {string | undefined} heldKey
 * @param {ReadonlySet<Annotated>} painted
 */
function isGood(shown, selectedKey, heldKey, painted) {
  const still = new Set(shown);
  if ([...painted].some((object) => !still.has(object) || object.key === heldKey)) return false;
  const changed = shown.filter((object) => !painted.has(object) && object.key !== selectedKey);
  return changed.length <= (shown.length < FEW ? 0 : MOST_ABOVE);
}

/**
 * The selected one last, so that it lies on top.
 * @param {Objects} objects
 * @param {string | undefined} selectedKey
 */
function onTop(objects, selectedKey) {
  return objects.toSorted(
    (one, other) => Number(one.key === selectedKey) - Number(other.key === selectedKey),
  );
}
