/** The time of day where the reader is, in 24 hours, the same on every page. */

/** @typedef {Intl.DateTimeFormatOptions} Options */

/** @type {Options} */
const MINUTES = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** The name of the time zone that the reader's clock shows. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/**
 * Hours and minutes.
 * @param {string} moment
 */
export function clock(moment) {
  return new Date(moment).toLocaleTimeString([], MINUTES);
}

/**
 * Hours, minutes and seconds, for what is looked at while it changes.
 * @param {string} moment
 */
export function clockSecs(moment) {
  return new Date(moment).toLocaleTimeString([], { ...MINUTES, second: "2-digit" });
}

/**
 * The day as the reader writes it, and the time.
 * @param {string} moment
 */
export function dayAndClock(moment) {
  return `${new Date(moment).toLocaleDateString()}, ${clock(moment)}`;
}
