/**
 * The journal: what was not acknowledged yet, kept in the browser (IndexedDB) across reloads.
 *
 * Entries belong to a person, so that two people at one machine do not send each other's work.
 */

/** @import {Entry} from "./state/types.js" */
/** @import {Journal} from "./types.js" */

const STORE = "work";

/**
 * The journal of this browser for one party; one that ends with the page where the browser has none to give.
 * @param {string} partyId two parties at one address have people and images of the same numbers
 */
export async function openJournal(partyId) {
  try {
    const opening = indexedDB.open(`vocparty ${partyId}`, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "id" });
    return durableJournal(await settle(opening));
  } catch {
    return fleetingJournal();
  }
}

/**
 * @param {IDBDatabase} database
 * @returns {Journal}
 */
function durableJournal(database) {
  const store = (/** @type {IDBTransactionMode} */ mode) =>
    database.transaction(STORE, mode).objectStore(STORE);
  return {
    isDurable: true,
    find: async (id) => (await settle(store("readonly").get(id))) ?? null,
    async list(personId) {
      /** @type {Entry[]} */
      const entries = await settle(store("readonly").getAll());
      return entries.filter((entry) => entry.personId === personId);
    },
    keep: async (entry) => {
      const putting = store("readwrite").put(entry);
      // Told to commit now, it no longer needs this page, which may be killed.
      putting.transaction?.commit();
      await settle(putting);
    },
    // An entry that cannot be dropped is sent again, which is harmless.
    drop: async (id) => void (await settle(store("readwrite").delete(id)).catch(() => {})),
  };
}

/** One that ends with the page. @returns {Journal} */
export function fleetingJournal() {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  return {
    isDurable: false,
    find: async (id) => entries.get(id) ?? null,
    list: async (personId) => [...entries.values()].filter((entry) => entry.personId === personId),
    keep: async (entry) => void entries.set(entry.id, entry),
    drop: async (id) => void entries.delete(id),
  };
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function settle(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
