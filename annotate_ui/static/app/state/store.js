/** One value that changes over time, and those who want to know. */

/**
 * @template T
 * @typedef {{
 *   get: () => T,
 *   update: (change: (value: T) => T) => void,
 *   subscribe: (listener: (value: T, before: T) => void) => () => void,
 * }} Store
 */

/**
 * @template T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function createStore(initial) {
  let value = initial;
  /** @type {Set<(value: T, before: T) => void>} */
  const listeners = new Set();
  return {
    get: () => value,
    update(change) {
      const before = value;
      value = change(before);
      if (value !== before) for (const listener of [...listeners]) listener(value, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
