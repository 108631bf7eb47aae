/** Sending what the journal holds of one image: what was on its way, then the rest on top of it. */

import { startStints } from "./state/clock.js";
import { packBody } from "./state/revision.js";
import { addSecs, unsentSecs } from "./state/saving.js";

/** @import {Entry, Journal} from "./journal.js" */

/** @typedef {(entry: Entry, body: object) => Promise<unknown>} Send */

/**
 * Whether the image was finished before it was left: then it goes up whole, as the person said.
 * @param {Entry} entry
 */
export function isFinished({ order, flight }) {
  return order !== null || flight?.finish === true;
}

/**
 * Sends all of an entry, and lets the journal go of it once the server has it. What the server
 * keeps alongside it has, too; but for the end of an image, which throws what came back.
 *
 * Where it throws, the journal holds how far it came, so that the same call goes on from there.
 * @param {Journal} journal
 * @param {Entry} entry
 * @param {Send} send
 * @param {() => string} makeKey
 */
export async function sendEntry(journal, entry, send, makeKey) {
  let now = entry;
  if (now.flight) {
    now = await sendFlight(now, send);
    if (hasMore(now)) await journal.keep(now);
  }
  if (hasMore(now)) {
    now = withLast(now, makeKey());
    await journal.keep(now);
    await sendFlight(now, send);
  }
  await journal.drop(entry.id);
}

/** @param {Entry} entry */
function hasMore({ kind, order, isUnsent }) {
  return kind === "annotate" && (order !== null || isUnsent);
}

/**
 * The entry after its save was sent: acknowledged, or kept alongside. Throws what else came back.
 * @param {Entry} entry
 * @param {Send} send
 * @returns {Promise<Entry>}
 */
async function sendFlight(entry, send) {
  const isEnd = entry.flight?.finish === true;
  const acknowledgedSecs = addSecs(entry.acknowledgedSecs, entry.flight);
  const order = isEnd ? null : entry.order;
  try {
    const answer = /** @type {{annotation?: {id: number}}} */ (
      await send(entry, entry.flight?.body ?? {})
    );
    const parentId = answer.annotation?.id ?? entry.parentId;
    return { ...entry, flight: null, order, parentId, acknowledgedSecs };
  } catch (error) {
    if (!hasBeenKept(error) || (isEnd && entry.kind === "annotate")) throw error;
    return { ...entry, flight: null, acknowledgedSecs };
  }
}

/**
 * The newest state of the entry as its last save; it stands on the revision that is known to be
 * there.
 * @param {Entry} entry
 * @param {string} saveKey
 * @returns {Entry}
 */
function withLast(entry, saveKey) {
  const { objects, order, parentId, unsureClasses } = entry;
  const activeSecs = unsentSecs(entry.activeSecs, entry.acknowledgedSecs);
  const stints = startStints(entry.drawnSecs);
  const body = packBody({ objects, stints, parentId, order, unsureClasses }, saveKey, activeSecs);
  const flight = { saveKey, body, objects, finish: order !== null, activeSecs };
  return { ...entry, isUnsent: false, order: null, flight };
}

/** @param {unknown} error */
function hasBeenKept(error) {
  const { code } = /** @type {{code?: string}} */ (error);
  return code === "stale" || code === "lease_lost";
}
