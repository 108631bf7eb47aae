/** What the board's answers hold, how their numbers are said, and the plan of the queue. */

/** @import {FirstSet, Hold, Interval, PersonProgress, Plan} from "./types.js" */

/** A moment as a person would say it, seen from another. @param {string | null} moment @param {string} at */
export function agoSecs(moment, at) {
  return moment === null ? null : Math.max((Date.parse(at) - Date.parse(moment)) / 1000, 0);
}

/** A share in whole percent; nothing where it is not known. @param {Interval | null | undefined} interval */
export function percent(interval) {
  return interval ? `${Math.round(interval.value * 100)} %` : "–";
}

const STUCK_SECS = 300;
const [UNUSUAL, LEAST_IMAGES] = [2, 5];

/** For how long an open image has seen no activity, where that is long. @param {Hold} hold @param {string} at */
export function stuckSecs({ is_opened, last_sign_at }, at) {
  const secs = agoSecs(last_sign_at, at) ?? 0;
  return is_opened && secs >= STUCK_SECS ? secs : null;
}

/**
 * How many times the median pace of their role a person works, where that is unusual: twice or half.
 * @param {PersonProgress} person
 * @param {readonly PersonProgress[]} people
 */
export function unusualPace({ role, per_hour: pace, images, checked }, people) {
  const paces = people.flatMap((one) => (one.role === role && one.per_hour ? [one.per_hour] : [])).sort((one, other) => one - other);
  if (!pace || paces.length < 3 || images + checked < LEAST_IMAGES) return null;
  const times = pace / paces[Math.floor(paces.length / 2)];
  return times >= UNUSUAL || times <= 1 / UNUSUAL ? times : null;
}

/** Numbers in groups of three. @param {number} value */
export function grouped(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/**
 * Who was here within the last minutes first, then by what they did.
 * @param {readonly PersonProgress[]} people
 * @param {string} at
 */
export function orderPeople(people, at) {
  const rank = (/** @type {PersonProgress} */ one) => {
    const secs = agoSecs(one.seen_at, at);
    if (one.is_ended) return 3;
    return secs === null ? 2 : secs < 600 ? 0 : 1;
  };
  return [...people].sort(
    (one, other) =>
      rank(one) - rank(other) ||
      other.images + other.checked - one.images - one.checked ||
      one.id - other.id,
  );
}

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

/** @param {Plan} plan @param {number} index @returns {Plan} */
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

/** @param {Plan} plan @param {string} name @param {boolean} isWanted @returns {Plan} */
export function wantClass(plan, name, isWanted) {
  const others = plan.wanted_classes.filter((one) => one !== name);
  return { ...plan, wanted_classes: isWanted ? [...others, name] : others };
}

/** What a set is, as text that no other set has. @param {FirstSet} set */
export function keyOfSet({ kind, class: name, query_id: id }) {
  return [kind, name ?? id ?? ""].join(":");
}

/** @param {Plan} one @param {Plan} other */
export function isSamePlan(one, other) {
  const keys = (/** @type {Plan} */ { first, wanted_classes }) =>
    JSON.stringify([first.map(keyOfSet), wanted_classes.toSorted()]);
  return keys(one) === keys(other);
}
