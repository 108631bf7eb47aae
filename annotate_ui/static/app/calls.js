/** The order of calls and of answers, which a network does not keep, and the names of saves. */

/**
 * For calls that change one thing: takes work and begins it when what was given before has ended, well or not.
 * @returns {<T>(work: () => Promise<T>) => Promise<T>}
 */
export function createTurns() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

/**
 * For one question that is asked again and again: gives its answer, or null where a later one was
 * answered before.
 * @returns {<T>(ask: () => Promise<T>) => Promise<T | null>}
 */
export function createNewest() {
  let askedCount = 0;
  let answered = 0;
  return async (ask) => {
    askedCount += 1;
    const number = askedCount;
    const answer = await ask();
    if (number < answered) return null;
    answered = number;
    return answer;
  };
}

/** A name that no other has; made of random bits, since randomUUID wants https. */
export function makeKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
