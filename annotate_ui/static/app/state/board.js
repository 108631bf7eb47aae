/** How the board's numbers are said and where its plots draw them, and the plan of the queue. */

/** @import {FirstSet, Hold, Interval, PersonProgress, Plan} from "./types.js" */

/**
 * A moment as a person would say it, seen from another.
 * @param {string | null} moment
 * @param {string} at
 */
export function agoSecs(moment, at) {
  return moment === null ? null : Math.max((Date.parse(at) - Date.parse(moment)) / 1000, 0);
}

/** A share in whole percent; nothing where it is not known. @param {Interval | null | undefined} interval */
export function percent(interval) {
  return interval ? `${Math.round(interval.value * 100)} %` : "–";
}

const STUCK_SECS = 300;
const UNUSUAL = 2;
const LEAST_IMAGES = 5;

/**
 * For how long an open image has seen no activity, where that is long.
 * @param {Hold} hold
 * @param {string} at
 */
export function stuckSecs({ is_opened, last_sign_at }, at) {
  const secs = agoSecs(last_sign_at, at) ?? 0;
  return is_opened && secs >= STUCK_SECS ? secs : null;
}

/**
 * How many times the median pace of their role a person works, where that is unusual: twice or half.
 * @type {(person: PersonProgress, people: readonly PersonProgress[]) => number | null}
 */
export function unusualPace({ role, per_hour: pace, images, checked }, people) {
  const paces = people
    .flatMap((person) => (person.role === role && person.per_hour ? [person.per_hour] : []))
    .sort((first, second) => first - second);
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
 * @type {(people: readonly PersonProgress[], at: string) => PersonProgress[]}
 */
export function orderPeople(people, at) {
  const rank = (/** @type {PersonProgress} */ person) => {
    const secs = agoSecs(person.seen_at, at);
    if (person.is_ended) return 3;
    return secs === null ? 2 : secs < 600 ? 0 : 1;
  };
  return [...people].sort(
    (first, second) =>
      rank(first) - rank(second) ||
      second.images + second.checked - first.images - first.checked ||
      first.id - second.id,
  );
}

/** With a set at its end, if it is not there already. @type {(plan: Plan, set: FirstSet) => Plan} */
export function addSet(plan, set) {
  const isThere = plan.first.some((ahead) => keyOfSet(ahead) === keyOfSet(set));
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
  const others = plan.wanted_classes.filter((wanted) => wanted !== name);
  return { ...plan, wanted_classes: isWanted ? [...others, name] : others };
}

/** What a set is, as text that no other set has. @param {FirstSet} set */
export function keyOfSet({ kind, class: name, query_id: id }) {
  return [kind, name ?? id ?? ""].join(":");
}

/**
 * @param {Plan} plan
 * @param {Plan} other
 */
export function isSamePlan(plan, other) {
  const keys = (/** @type {Plan} */ { first, wanted_classes }) =>
    JSON.stringify([first.map(keyOfSet), wanted_classes.toSorted()]);
  return keys(plan) === keys(other);
}

/**
 * A log scale up to `most` that begins at 0.8, so that one thing is a short bar; 0 for nothing.
 * @type {(most: number, lengthPx: number) => (value: number) => number}
 */
export function logScale(most, lengthPx) {
  const low = Math.log10(0.8);
  const high = Math.log10(Math.max(most, 10));
  return (value) => (value < 1 ? 0 : ((Math.log10(value) - low) / (high - low)) * lengthPx);
}

/** The powers of ten up to a value. @param {number} most */
export function decades(most) {
  const count = Math.floor(Math.log10(Math.max(most, 10))) + 1;
  return Array.from({ length: count }, (_, power) => 10 ** power);
}

/** A few round numbers from 0 on that cover a value. @param {number} most */
export function roundTicks(most) {
  if (most <= 0) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((part) => part * power).find((value) => most / value <= 5) ?? power;
  const whole = Number.isInteger(most) ? Math.max(step, 1) : step;
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, place) =>
    Number((place * whole).toPrecision(6)),
  );
}

/** Running sums. @param {readonly number[]} values */
export function addUp(values) {
  let sum = 0;
  return values.map((value) => (sum += value));
}

const DAY_SECS = 86_400;

/**
 * The names of bins and their days, by the clock of a time zone.
 * @type {(binSecs: number, zone: string) => (start: string) => {day: string, name: string}}
 */
export function namesOfBins(binSecs, zone) {
  const named = /** @type {const} */ ("2-digit");
  const parts = { month: named, day: named, hour: named, minute: named, timeZone: zone };
  const format = new Intl.DateTimeFormat("en-GB", { ...parts, hourCycle: "h23" });
  return (start) => {
    const fields = Object.fromEntries(
      format.formatToParts(new Date(start)).map(({ type, value }) => [type, value]),
    );
    const day = `${fields["month"]}/${fields["day"]}`;
    if (binSecs >= DAY_SECS) return { day, name: day };
    return {
      day,
      name: binSecs < 3600 ? `${fields["hour"]}:${fields["minute"]}` : `${day} ${fields["hour"]}h`,
    };
  };
}
