/**
 * Where a person's preferences are kept: on the server, for every machine; and in this browser until
 * the server has them.
 */

import { readPreferences } from "./state/preferences.js";

/** @typedef {import("./types.js").Session} Session */
/** @typedef {import("./state/model.js").Model} Model */
/** @typedef {import("./state/store.js").Store<Model>} ModelStore */
/** @typedef {import("./state/preferences.js").Preferences} Preferences */

/**
 * The preferences of whoever is signed in, and `watch`, which keeps them from now on as they change.
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

/**
 * @param {string} place
 * @returns {unknown} what has not gone up yet, or null
 */
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

/**
 * Not where something newer stands there already.
 * @param {string} place
 * @param {string} text
 */
function forget(place, text) {
  if (localStorage.getItem(place) === text) localStorage.removeItem(place);
}
