/** How many images a page reserves behind the open one. */

/** The server grants up to so many times the party's number. */
const MOST_TIMES = 4;
/** What a person needs for an image until the page has seen it. */
const FIRST_PACE_SECS = 5;
/** Who discards one image after the other is no measure of how many to reserve. */
const LEAST_PACE_SECS = 4;
/** From here on pictures are asked for together: on a line this slow, one after the other come too late. */
const SLOW_SECS = 3;

/**
 * What the page has seen of the line and of the person: seconds for the answer that names an image, for its picture,
 * and from one image to the next.
 * @typedef {{answerSecs: number, pictureSecs: number, paceSecs: number}} Pace
 */

/** @param {number} answerSecs of the page itself @returns {Pace} */
export function startPace(answerSecs) {
  return { answerSecs, pictureSecs: answerSecs, paceSecs: FIRST_PACE_SECS };
}

/**
 * The pace with one more measurement; half of it is what was known before, so that one late answer does not decide.
 * @param {Pace} pace
 * @param {keyof Pace} field
 * @param {number} secs
 * @returns {Pace}
 */
export function notePace(pace, field, secs) {
  return { ...pace, [field]: (pace[field] + secs) / 2 };
}

/**
 * As many images as the person finishes until one that is asked for now is there; at least what the party says, and
 * none where it says none.
 * @param {Pace} pace
 * @param {number} least
 */
export function countAhead({ answerSecs, pictureSecs, paceSecs }, least) {
  const needed = Math.ceil((answerSecs + pictureSecs) / Math.max(paceSecs, LEAST_PACE_SECS));
  return Math.min(Math.max(least, needed), MOST_TIMES * least);
}

/** @param {Pace} pace */
export function isSlow({ pictureSecs }) {
  return pictureSecs >= SLOW_SECS;
}
