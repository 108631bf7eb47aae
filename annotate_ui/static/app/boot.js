/** Starting a page: who is here, what the party is, where unsent work is kept. */

import { NoAnswer, openApi, Refused } from "./api.js";
import { openJournal } from "./journal.js";
import { startModel } from "./state/model.js";
import { createStore } from "./state/store.js";
import { keepPreferences } from "./preferences.js";
import { fillMessage } from "./view/message.js";
import { byId } from "./view/dom.js";

const AGAIN_AFTER_MS = 3000;

/**
 * The page's store, the interface and the journal, as soon as the server answers; until then the
 * page says what it is waiting for.
 * @param {"annotate" | "check"} page
 */
export async function boot(page) {
  const api = openApi();
  const [session, party, kept] = await persist(() =>
    Promise.all([api.session(), api.party(), api.preferences()]),
  );
  const journal = await openJournal(session.party_id);
  const { preferences, watch } = keepPreferences(session, kept.preferences, api.keepPreferences);
  const store = createStore(startModel(page, session.person, party, preferences));
  watch(store);
  return { api, journal, store };
}

/** Seconds on a clock that never jumps. */
export function nowSecs() {
  return performance.now() / 1000;
}

/** A name that no other has; made of random bits, since randomUUID wants https. */
export function makeKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @template T
 * @param {() => Promise<T>} attempt
 * @returns {Promise<T>}
 */
async function persist(attempt) {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isOut = error instanceof Refused && error.status === 401;
      if (!isOut && !(error instanceof NoAnswer)) throw error;
      await sayAndWait(isOut ? "signed_out" : "no_server");
    }
  }
}

/**
 * Until the person asks to try again, or some seconds have passed.
 * @param {"signed_out" | "no_server"} screen
 * @returns {Promise<void>}
 */
function sayAndWait(screen) {
  const card = byId("message");
  return new Promise((resolve) => {
    const again = () => resolve(undefined);
    fillMessage(card, screen, { onAgain: again, onSkip: again });
    document.body.dataset.screen = screen;
    if (screen === "no_server") setTimeout(again, AGAIN_AFTER_MS);
  });
}
