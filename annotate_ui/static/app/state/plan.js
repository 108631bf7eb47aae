/** The organiser's plan of the queue: which images come first, which classes are wanted. */

/** @typedef {{kind: "returned" | "class" | "query", class?: string, query_id?: number}} FirstSet */
/** @typedef {{number: number, first: FirstSet[], wanted_classes: string[]}} Plan */
/**
 * @typedef {{name: string, objects: number, waiting: number}} ClassSupply
 * @typedef {{id: number, class: string, keyword: string, waiting: number}} QuerySupply
 * @typedef {{classes: ClassSupply[], queries: QuerySupply[]}} Supply
 */

/**
 * The plan with a set at its end; one that is there already stays where it is.
 * @param {Plan} plan
 * @param {FirstSet} set
 * @returns {Plan}
 */
export function addSet(plan, set) {
  const isThere = plan.first.some((one) => keyOfSet(one) === keyOfSet(set));
  return isThere ? plan : { ...plan, first: [...plan.first, set] };
}

/**
 * @param {Plan} plan
 * @param {number} index
 * @returns {Plan}
 */
export function removeSet(plan, index) {
  return { ...plan, first: plan.first.filter((_, at) => at !== index) };
}

/**
 * The plan with a set one place earlier; the first stays.
 * @param {Plan} plan
 * @param {number} index
 * @returns {Plan}
 */
export function raiseSet(plan, index) {
  if (index === 0) return plan;
  const first = [...plan.first];
  [first[index - 1], first[index]] = [first[index], first[index - 1]];
  return { ...plan, first };
}

/**
 * @param {Plan} plan
 * @param {string} name
 * @param {boolean} isWanted
 * @returns {Plan}
 */
export function wantClass(plan, name, isWanted) {
  const others = plan.wanted_classes.filter((one) => one !== name);
  return { ...plan, wanted_classes: isWanted ? [...others, name] : others };
}

/**
 * What a set is, as text that no other set has.
 * @param {FirstSet} set
 */
export function keyOfSet({ kind, class: name, query_id: id }) {
  return [kind, name ?? id ?? ""].join(":");
}

/**
 * @param {Plan} one
 * @param {Plan} other
 */
export function isSamePlan(one, other) {
  const keys = (/** @type {Plan} */ { first, wanted_classes }) =>
    JSON.stringify([first.map(keyOfSet), wanted_classes.toSorted()]);
  return keys(one) === keys(other);
}
