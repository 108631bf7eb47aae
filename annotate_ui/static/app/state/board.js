/** What the board's answers hold, how their numbers are said, and the plan of the queue. */

/** @typedef {{value: number, low: number, high: number, count: number}} Interval */
/** @typedef {{hours: number | null, low_hours: number | null, high_hours: number | null}} Forecast */
/** @typedef {{name: string, display: string, images: number, objects: number, target: number, forecast: Forecast}} ClassProgress */
/** @typedef {{id: number, name: string, role: string, images: number, checked: number, active_secs: number, per_hour: number | null, corrected: Interval | null, seen_at: string | null, is_ended: boolean, slowed_at: string | null}} PersonProgress */
/** @typedef {{lease_id: number, image_id: number, person_id: number, kind: string, is_opened: boolean, since: string, last_sign_at: string}} Hold */
/** @typedef {{hour: string, annotated: number, discarded: number, checked: number, returned: number}} Hour */
/** @typedef {{start_at: string, annotated: number, discarded: number, checked: number, returned: number}} Bin */
/** @typedef {{bin_secs: number, zone: string, bins: Bin[]}} Progress */
/** @typedef {{class: string, display: string, objects: number, quarter_secs: number, median_secs: number, three_quarter_secs: number}} ClassSecs */
/** @typedef {{number: number, double_share: number, gold_share: number, training_images: number}} Shares */
/** @typedef {{photos: Record<string, number>, target_images: number, images: number, fetching: number, searched_at: string | null, fetched_at: string | null, to_hash: number, to_compare: number, duplicates: number, compared_at: string | null, pauses: {host: string, until: string}[]}} Jobs */
/** @typedef {{name: string, by: string, at: string, text: string, images: number, stages: Record<string, number>}} Campaign */
/** @typedef {{at: string, images: Record<string, number>, discarded: {reason: string, display: string, images: number}[], classes: ClassProgress[], per_hour: number, checks_per_hour: number, people: PersonProgress[], holds: Hold[], hours: Hour[], progress: Progress, class_secs: ClassSecs[], campaigns: Campaign[], findings: Record<string, number>, jobs: Jobs, shares: Shares, first: FirstSet[], wanted_classes: string[]}} Board */
/** @typedef {{first_id: number, first: string, second_id: number, second: string, images: number, both: Interval, mean_overlap: number | null}} Cell */
/** @typedef {{people: {id: number, name: string, both: Interval}[], classes: {name: string, display: string, both: Interval}[], cells: Cell[]}} Agreement */

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
