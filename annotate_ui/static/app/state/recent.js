/** Where a party has more classes than keys: those that a person used last, each with a key of its own. */

import { findClass } from "./party.js";

/** @import {Party} from "../types.js" */
/** @import {Recent} from "./types.js" */

/** A palette, checklist or table shows so many classes at once; more are searched, or folded by group. */
const MOST_AT_ONCE = 40;
const KEYS = 10;

/** Whether lists show a part of the classes at a time. @param {{classes: readonly unknown[]}} party */
export function hasMany({ classes }) {
  return classes.length > MOST_AT_ONCE;
}

/**
 * After a class was used; the last one comes first. One that stays keeps its key, and a new one gets the key of the
 * one that was not used for the longest time.
 * @type {(recent: readonly Recent[], id: string) => readonly Recent[]}
 */
export function useClass(recent, id) {
  const known = recent.find((used) => used.id === id);
  if (known && known === recent[0]) return recent;
  if (known) return [known, ...recent.filter((used) => used !== known)];
  const kept = recent.slice(0, KEYS - 1);
  const taken = new Set(kept.map(({ key }) => key));
  const key = Array.from({ length: KEYS }, (_, place) => place).find((place) => !taken.has(place)) ?? 0;
  return [{ id, key }, ...kept];
}

/** The ids in the order of their keys. @param {readonly Recent[]} recent */
export function listByKey(recent) {
  return recent.toSorted((first, second) => first.key - second.key).map(({ id }) => id);
}

/**
 * What an earlier visit left, of classes that the party still has; keys move up where one is gone.
 * @type {(party: Party, stored: unknown) => readonly Recent[]}
 */
export function readRecent(party, stored) {
  if (!hasMany(party) || !Array.isArray(stored)) return [];
  const known = stored
    .filter((used) => typeof used?.id === "string" && Number.isInteger(used.key))
    .map(({ id, key }) => ({ id: findClass(party, id)?.id, key }));
  const first = known.filter(({ id }, at) => id && known.findIndex((other) => other.id === id) === at);
  const kept = /** @type {Recent[]} */ (first.slice(0, KEYS));
  const order = listByKey(kept);
  return kept.map(({ id }) => ({ id, key: order.indexOf(id) }));
}
