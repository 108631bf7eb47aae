/** Scales of plots: where a value lies along an axis. */

/**
 * Places of values on a log scale that begins at 0.8, so that one thing is a short bar.
 * @param {number} most the largest value
 * @param {number} lengthPx
 * @returns {(value: number) => number} 0 for nothing
 */
export function logScale(most, lengthPx) {
  const [low, high] = [Math.log10(0.8), Math.log10(Math.max(most, 10))];
  return (value) => (value < 1 ? 0 : ((Math.log10(value) - low) / (high - low)) * lengthPx);
}

/**
 * The powers of ten up to a value.
 * @param {number} most
 */
export function decades(most) {
  const count = Math.floor(Math.log10(Math.max(most, 10))) + 1;
  return Array.from({ length: count }, (_, power) => 10 ** power);
}

/**
 * A few round numbers from 0 on that cover a value.
 * @param {number} most
 */
export function roundTicks(most) {
  if (most <= 0) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((part) => part * power).find((one) => most / one <= 5) ?? power;
  const whole = Number.isInteger(most) ? Math.max(step, 1) : step;
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, place) =>
    Number((place * whole).toPrecision(6)),
  );
}

/**
 * Running sums.
 * @param {readonly number[]} values
 */
export function addUp(values) {
  let sum = 0;
  return values.map((value) => (sum += value));
}

const DAY_MS = 86_400_000;

/**
 * Where a bin's label stands, in milliseconds, its day and what it says, all by the reader's clock.
 * Bins begin at round times in UTC; one of a day has its label at the reader's midnight in it.
 * @param {string} start
 * @param {number} binSecs
 * @param {number} [behindMinutes] how far the reader's clock is behind UTC
 */
export function markBin(start, binSecs, behindMinutes = new Date(start).getTimezoneOffset()) {
  const behindMs = behindMinutes * 60_000;
  const begin = Date.parse(start) - behindMs;
  const isDay = binSecs * 1000 >= DAY_MS;
  const moment = isDay ? Math.ceil(begin / DAY_MS) * DAY_MS : begin;
  const [, day, time] = /-(.+)T(.{5})/.exec(new Date(moment).toISOString()) ?? ["", "", ""];
  const date = day.replace("-", "/");
  const hour = `${date} ${time.slice(0, 2)}h`;
  return { at: moment + behindMs, day: date, name: isDay ? date : binSecs < 3600 ? time : hour };
}
