/** Changes that the page shows before the server has answered, and what is shown once the last one is answered. */

/**
 * Counts the changes under way of each value. While a later one is under way, the page goes on showing that; after the
 * last it shows what the server has.
 * @template K, V
 */
export function createWishes() {
  /** @type {Map<K, {stored: V, count: number}>} */
  const wishes = new Map();
  return {
    /** A change begins; `shown` is what the page shows before it. @type {(key: K, shown: V) => void} */
    begin(key, shown) {
      const wish = wishes.get(key) ?? { stored: shown, count: 0 };
      wishes.set(key, { ...wish, count: wish.count + 1 });
    },
    /**
     * A change ended: `stored` is what the server has now, undefined where it failed. Returns what the page shall show,
     * or null while a later change is under way.
     * @type {(key: K, stored?: V) => V | null}
     */
    end(key, stored) {
      const wish = wishes.get(key);
      if (!wish) return null;
      const now = { stored: stored ?? wish.stored, count: wish.count - 1 };
      if (now.count > 0) wishes.set(key, now);
      else wishes.delete(key);
      return now.count > 0 ? null : now.stored;
    },
  };
}
