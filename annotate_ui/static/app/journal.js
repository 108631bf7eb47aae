/**
 * The journal: what was not acknowledged yet, kept in the browser (IndexedDB) across reloads.
 *
 * Entries belong to a person, so that two people at one machine do not send each other's work.
 */

/** @import {Entry} from "./state/types.js" */
/** @import {Journal} from "./types.js" */

const STORE = "work";

/** How long the browser's database may take to answer; after that the page works without it. */
const ANSWER_WITHIN_MS = 3_000;

/**
 * The journal of this browser for one party; one that ends with the page where the browser has none to give, or where
 * its database does not answer.
 * @param {string} partyId two parties at one address have people and images of the same numbers
 */
export async function openJournal(partyId) {
  try {
    const opening = indexedDB.open(`vocparty ${partyId}`, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "id" });
    return orFleeting(durableJournal(await settle(opening)));
  } catch {
    return fleetingJournal();
  }
}

/**
 * The journal, until it leaves a question unanswered: from then on one that ends with the page.
 * @param {Journal} durable
 * @returns {Journal}
 */
function orFleeting(durable) {
  const memory = fleetingJournal();
  let now = durable;
  /** @template T @param {(journal: Journal) => Promise<T>} call */
  const within = async (call) => {
    try {
      return await call(now);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      now = memory;
      return await call(memory);
    }
  };
  return {
    get isDurable() {
      return now.isDurable;
    },
    find: (id) => within((journal) => journal.find(id)),
    list: (personId) => within((journal) => journal.list(personId)),
    // An entry that cannot be dropped is sent again, which is harmless.
    drop: async (id) => {
      await memory.drop(id);
      await within((journal) => journal.drop(id)).catch(() => {});
    },
    keep: async (entry) => {
      await memory.keep(entry);
      const before = now;
      await within((journal) => journal.keep(entry));
      if (now !== before) throw new Unanswered("from now on only this page has what is not sent");
    },
  };
}

/** The browser's database did not answer. */
class Unanswered extends Error {}

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
    drop: async (id) => void (await settle(store("readwrite").delete(id))),
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
    setTimeout(() => reject(new Unanswered("the browser's database does not answer")), ANSWER_WITHIN_MS);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
