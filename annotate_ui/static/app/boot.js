/** Starting a page: who is here, what the party is, where unsent work and preferences are kept. */

import { NoAnswer, openApi, Refused } from "./api.js";
import { makeKey } from "./calls.js";
import { openJournal } from "./journal.js";
import { createStore, startModel } from "./state/model.js";
import { readPreferences } from "./state/preferences.js";
import { byId } from "./view/dom.js";
import { focusFilter } from "./view/palette.js";
import { fillMessage } from "./view/stage_notes.js";
import { createWorkbench } from "./workbench.js";

/** @import {Model, Preferences, Store} from "./state/types.js" */
/** @import {Session} from "./types.js" */

const AGAIN_AFTER_MS = 3000;

/**
 * The page's workbench, the interface and the journal, as soon as the server answers; until then the
 * page says what it is waiting for.
 * @param {import("./state/types.js").Page} page
 */
export async function boot(page) {
  const api = openApi();
  // One after the other, so that the page needs no third connection.
  const session = await persist(api.session);
  const party = await persist(api.party);
  const kept = await persist(api.preferences);
  const journal = await openJournal(session.party_id);
  const { preferences, watch } = keepPreferences(session, kept.preferences, api.keepPreferences);
  const store = createStore(startModel(page, session.person, party, preferences));
  watch(store);
  return { api, journal, bench: createWorkbench(store, { nowSecs, makeKey, focusFilter }) };
}

/** Seconds on a clock that never jumps. */
function nowSecs() {
  return performance.now() / 1000;
}

/** @template T @param {() => Promise<T>} attempt @returns {Promise<T>} */
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

/** @typedef {Store<Model>} ModelStore */

/**
 * The preferences of the signed-in person, and `watch`, which keeps them from now on as they change.
 * @param {Session} session
 * @param {object} kept by the server
 * @param {(preferences: Preferences) => Promise<unknown>} send
 */
export function keepPreferences({ person, party_id }, kept, send) {
  const place = `vocparty.preferences.${party_id}.${person.id}`;
  let sending = Promise.resolve();
  const keep = (/** @type {Preferences} */ preferences) => {
    const text = JSON.stringify(preferences);
    write(place, text);
    sending = sending
      .then(() => send(preferences))
      .then(() => forget(place, text))
      .catch(() => {}); // It stays in this browser, and goes up when the page is opened again.
  };
  const unsent = read(place);
  const preferences = readPreferences(unsent ?? kept);
  if (unsent !== null) keep(preferences);
  return {
    preferences,
    watch: (/** @type {ModelStore} */ store) =>
      store.subscribe(({ preferences: now }, before) => now !== before.preferences && keep(now)),
  };
}

/** @param {string} place @returns {unknown} what has not gone up yet, or null */
function read(place) {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "null");
  } catch {
    return null;
  }
}

/**
 * A browser that keeps nothing has the choice until the page is closed.
 * @param {string} place
 * @param {string} text
 */
function write(place, text) {
  try {
    localStorage.setItem(place, text);
  } catch {
    // The quota is full, or storage is forbidden.
  }
}

/** Not where something newer stands there already. @param {string} place @param {string} text */
function forget(place, text) {
  if (localStorage.getItem(place) === text) localStorage.removeItem(place);
}
