/**
 * Time as data: active seconds of an image, and seconds spent on each object.
 *
 * All times are seconds of a monotonic clock, and are passed in.
 */

/** @import {Clock, Stints} from "./types.js" */

/** A pause longer than this was not work. */
export const IDLE_SECS = 30;

/**
 * @param {number} [activeSecs] from before a reload
 * @param {number} [inputs] from before a reload
 * @returns {Clock}
 */
export function startClock(activeSecs = 0, inputs = 0) {
  return { activeSecs, touchedAt: null, inputs };
}

/** The clock after a press of a key or a button. @param {Clock} clock */
export function press(clock) {
  return { ...clock, inputs: clock.inputs + 1 };
}

/**
 * The clock after a sign of life: the time since the last one counts unless it was a pause.
 * @type {(clock: Clock, nowSecs: number) => Clock}
 */
export function touch({ activeSecs, touchedAt, inputs }, nowSecs) {
  const gap = touchedAt === null ? 0 : nowSecs - touchedAt;
  return { activeSecs: activeSecs + (gap <= IDLE_SECS ? gap : 0), touchedAt: nowSecs, inputs };
}

/**
 * From earlier revisions.
 * @param {Iterable<readonly [key: string, secs: number]>} [known]
 * @returns {Stints}
 */
export function startStints(known = []) {
  return { secs: new Map(known), key: null, since: 0 };
}

/**
 * An edit ended, whose gesture began at `pressedAt`, in active seconds.
 * @type {(stints: Stints, key: string, pressedAt: number, activeSecs: number) => Stints}
 */
export function countEdit(stints, key, pressedAt, activeSecs) {
  const since = stints.key === key ? stints.since : pressedAt;
  const secs = new Map(stints.secs).set(key, secsOn(stints, key) + activeSecs - since);
  return { secs, key, since: activeSecs };
}

/**
 * @param {Stints} stints
 * @param {string} key
 */
export function secsOn(stints, key) {
  return stints.secs.get(key) ?? 0;
}

/** Seconds as they are sent: tenths, never less than none. @param {number} secs */
export function roundSecs(secs) {
  return Math.round(Math.max(secs, 0) * 10) / 10;
}
