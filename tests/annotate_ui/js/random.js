/** Seeded random values, so that a property that fails once fails again. */

import { test } from "node:test";

/** @import {Point, Size, VocBox} from "#app/geometry/types.js" */

/** @typedef {ReturnType<typeof seeded>} Random */

/** mulberry32, a small generator of good enough numbers. @param {number} seed */
function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (/** @type {number} */ low, /** @type {number} */ high) => low + next() * (high - low);
  const whole = (/** @type {number} */ low, /** @type {number} */ high) => Math.floor(between(low, high + 1));
  return { next, between, whole, pick, size, box, corner, point };

  /**
   * @template T
   * @param {readonly T[]} values
   */
  function pick(values) {
    return values[whole(0, values.length - 1)];
  }

  /**
   * @param {number} [least]
   * @param {number} [most]
   * @returns {Size}
   */
  function size(least = 20, most = 1200) {
    return [whole(least, most), whole(least, most)];
  }

  /**
   * @param {Size} size
   * @returns {VocBox}
   */
  function box([width, height]) {
    const xmin = whole(1, width);
    const ymin = whole(1, height);
    return [xmin, ymin, whole(xmin, width), whole(ymin, height)];
  }

  /**
   * @param {Size} size
   * @returns {Point} where four pixels meet
   */
  function corner([width, height]) {
    return [whole(0, width), whole(0, height)];
  }

  /**
   * @param {readonly [number, number]} [across]
   * @param {readonly [number, number]} [down]
   * @returns {Point} anywhere
   */
  function point(across = [0, 1], down = across) {
    return [between(...across), between(...down)];
  }
}

/**
 * Tests a property on many seeds and names the one that fails.
 * @param {string} name
 * @param {number} times
 * @param {(random: Random) => void | Promise<void>} property
 */
export function testProperty(name, times, property) {
  test(name, async () => {
    for (let seed = 1; seed <= times; seed += 1) {
      try {
        await property(seeded(seed));
      } catch (error) {
        throw new Error(`with seed ${seed}: ${error}`, { cause: error });
      }
    }
  });
}
