/**
 * Finished images on their way up, one after the other, while the person goes on with the next.
 *
 * They are in the journal until the server has them; without a network they wait here.
 */

import { NoAnswer, Refused } from "./api.js";
import { sendEntry } from "./entries.js";

/** @import {Send} from "./entries.js" */
/** @import {Entry, Journal} from "./journal.js" */
/** @import {Outbox as State} from "./state/saving.js" */

/**
 * `leave` takes an image over, `adopt` what an earlier page left behind, `settle` resolves when
 * all is up and throws NoAnswer where it cannot be; `tryNow` does not wait for the next attempt.
 * @typedef {{
 *   leave: (entry: Entry) => Promise<void>, adopt: (entries: Entry[]) => void,
 *   settle: () => Promise<void>, tryNow: () => void,
 * }} OutboxRunner
 */

const LONGEST_RETRY_SECS = 15;

/**
 * @param {{
 *   journal: Journal, send: Send, makeKey: () => string,
 *   onState: (state: State) => void,
 *   onProblem: (entry: Entry, error: Refused) => void,
 *   onFleeting: () => void, onSignedOut: () => void,
 * }} parts
 * @returns {OutboxRunner}
 */
export function createOutbox(parts) {
  const { journal } = parts;
  /** @type {Entry[]} */
  let waiting = [];
  /** @type {Promise<void> | null} */
  let running = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let failures = 0;

  /** @param {State["trouble"]} trouble */
  const tell = (trouble) => parts.onState({ count: waiting.length, trouble });

  function run() {
    clearTimeout(timer);
    running ??= sendAll().finally(() => (running = null));
    return running;
  }

  async function sendAll() {
    while (waiting.length > 0) {
      const [entry] = waiting;
      try {
        await sendEntry(journal, (await find(entry)) ?? entry, parts.send, parts.makeKey);
      } catch (error) {
        if (isPassing(error)) return pause(error);
        parts.onProblem(entry, /** @type {Refused} */ (error));
      }
      failures = 0;
      waiting = waiting.filter((one) => one !== entry);
      tell(null);
    }
  }

  /** @param {Entry} entry how far it came before, where it was tried */
  const find = (entry) => journal.find(entry.id).catch(() => null);

  /** @param {unknown} error */
  function pause(error) {
    const isOut = error instanceof Refused && error.status === 401;
    failures += 1;
    tell(isOut ? "signed_out" : "offline");
    if (isOut) return parts.onSignedOut();
    const asked = error instanceof Refused ? error.pauseSecs : 0;
    const secs = Math.max(asked, Math.min(2 ** (failures - 1), LONGEST_RETRY_SECS));
    timer = setTimeout(() => void run(), secs * 1000);
  }

  return {
    async leave(entry) {
      waiting.push(entry);
      tell(null);
      await journal.keep(entry).catch(parts.onFleeting);
      void run();
    },
    adopt(entries) {
      waiting.push(...entries);
      if (entries.length > 0) tell(null);
    },
    async settle() {
      if (waiting.length > 0) await run();
      if (waiting.length > 0) throw new NoAnswer("finished images wait for the network");
    },
    tryNow: () => void (waiting.length > 0 && run()),
  };
}

/**
 * Whether the same may go well later: no answer, signed out, too many at once.
 * @param {unknown} error
 */
function isPassing(error) {
  if (error instanceof NoAnswer) return true;
  if (!(error instanceof Refused)) throw error;
  return error.status === 401 || error.status === 429;
}
