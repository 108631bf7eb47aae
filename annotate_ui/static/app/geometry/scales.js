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

/** The powers of ten up to a value. @param {number} most */
export function decades(most) {
  const count = Math.floor(Math.log10(Math.max(most, 10))) + 1;
  return Array.from({ length: count }, (_, power) => 10 ** power);
}

/** A few round numbers from 0 on that cover a value. @param {number} most */
export function roundTicks(most) {
  if (most <= 0) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((part) => part * power).find((one) => most / one <= 5) ?? power;
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
 * @param {number} binSecs
 * @param {string} zone
 * @returns {(start: string) => {day: string, name: string}}
 */
export function namesOfBins(binSecs, zone) {
  const named = /** @type {const} */ ("2-digit");
  const parts = { month: named, day: named, hour: named, minute: named, timeZone: zone };
  const format = new Intl.DateTimeFormat("en-GB", { ...parts, hourCycle: "h23" });
  return (start) => {
    const found = Object.fromEntries(format.formatToParts(new Date(start)).map(({ type, value }) => [type, value]));
    const day = `${found["month"]}/${found["day"]}`;
    if (binSecs >= DAY_SECS) return { day, name: day };
    return { day, name: binSecs < 3600 ? `${found["hour"]}:${found["minute"]}` : `${day} ${found["hour"]}h` };
  };
}
