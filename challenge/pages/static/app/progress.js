/** Follows a submission until it is in another state, then loads the page anew. */

import { askProgress } from "./api.js";

const EVERY_MS = 2000;

/**
 * @param {number} number
 * @param {string} state that the page shows
 * @param {(answer: {words: string, place: number, is_running: boolean}) => void} [show]
 */
export function follow(number, state, show = () => undefined) {
  /** A server that does not answer is asked again. */
  async function ask() {
    const answer = await askProgress(number).catch(() => null);
    if (answer && answer.state !== state) return location.reload();
    if (answer) show(answer);
    setTimeout(ask, EVERY_MS);
  }
  setTimeout(ask, EVERY_MS);
}
