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

/**
 * When a bin begins, as exactly as the bins are long: by the reader's clock, but days are UTC's.
 * @param {string} start
 * @param {number} binSecs
 * @param {number} [behindMinutes] how far the reader's clock is behind UTC
 */
export function nameBin(start, binSecs, behindMinutes = new Date(start).getTimezoneOffset()) {
  const shiftMs = binSecs < 86_400 ? behindMinutes * 60_000 : 0;
  const moment = new Date(Date.parse(start) - shiftMs).toISOString();
  if (binSecs < 3600) return moment.slice(11, 16);
  const day = moment.slice(5, 10).replace("-", "/");
  return binSecs < 86_400 ? `${day} ${moment.slice(11, 13)}h` : day;
}
