/** Where a person's preferences are kept in this browser, apart from those of others. */

import { readPreferences } from "./state/preferences.js";

/** @typedef {import("./types.js").Session} Session */
/** @typedef {import("./state/model.js").Model} Model */
/** @typedef {import("./state/store.js").Store<Model>} ModelStore */

/**
 * The preferences of whoever is signed in, and `watch`, which keeps them from now on as they change.
 * @param {Session} session
 */
export function keepPreferences({ person }) {
  const place = `vocparty.preferences.${person.id}.${person.name}`;
  return {
    preferences: readPreferences(parse(localStorage.getItem(place))),
    watch: (/** @type {ModelStore} */ store) =>
      store.subscribe(({ preferences }, before) => {
        if (preferences !== before.preferences) keep(place, JSON.stringify(preferences));
      }),
  };
}

/** @param {string | null} text */
function parse(text) {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * A browser that keeps nothing has the choice until the page is closed.
 * @param {string} place
 * @param {string} text
 */
function keep(place, text) {
  try {
    localStorage.setItem(place, text);
  } catch {
    // The quota is full, or storage is forbidden: the choice holds on this page.
  }
}
