/** Brightness and contrast of the picture on the screen; what is stored never changes. */

/** @typedef {{brightness: number, contrast: number}} Light in per cent */

export const LEAST = 25;
export const MOST = 400;
const STEP = 1.15;

/** @type {Light} */
export const PLAIN_LIGHT = { brightness: 100, contrast: 100 };

/**
 * @param {Light} light
 * @param {keyof Light} what
 * @param {1 | -1} direction
 * @returns {Light}
 */
export function stepLight(light, what, direction) {
  return setLight(light, what, light[what] * (direction > 0 ? STEP : 1 / STEP));
}

/**
 * @param {Light} light
 * @param {keyof Light} what
 * @param {number} percent
 * @returns {Light} within what can still be looked at; close to plain is plain
 */
export function setLight(light, what, percent) {
  const value = Math.round(Math.min(Math.max(percent, LEAST), MOST));
  return { ...light, [what]: Math.abs(value - 100) < 4 ? 100 : value };
}

/** @param {Light} light */
export function isPlain({ brightness, contrast }) {
  return brightness === 100 && contrast === 100;
}

/**
 * The light as CSS and canvas filters write it.
 * @param {Light} light
 */
export function filterOf({ brightness, contrast }) {
  return isPlain({ brightness, contrast }) ? "none" : `brightness(${brightness}%) contrast(${contrast}%)`;
}
