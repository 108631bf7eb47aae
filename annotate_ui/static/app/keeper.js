/** Between the open work and the journal: kept at every change, found again after a reload. */

import { isFinished, sendEntry } from "./entries.js";
import { entryId } from "./journal.js";
import { startClock, startStints } from "./state/clock.js";
import { objectsIn } from "./state/editor.js";
import { startWork } from "./state/model.js";
import { isSameWork, openRevision, secsInRevision } from "./state/revision.js";
import { noteChange } from "./state/saving.js";

/** @import {Send} from "./entries.js" */
/** @import {Entry, Journal} from "./journal.js" */
/** @import {Model, Store, Work} from "./state/model.js" */
/** @import {Objects} from "./state/objects.js" */
/** @import {Judgement} from "./state/review.js" */
/** @import {Task} from "./types.js" */

/**
 * Writes every change of the work to the journal from now on.
 * @param {Store<Model>} store
 * @param {Journal} journal
 * @param {() => void} onTrouble called where the journal does not take it (a full disk)
 */
export function keepJournal(store, journal, onTrouble) {
  store.subscribe((model, before) => {
    const { work } = model;
    if (!work || work.task !== before.work?.task) return;
    if (work.saving.isLeft) return; // its entry is the outbox's now
    const isSame =
      work.saving === before.work.saving &&
      work.judgements === before.work.judgements &&
      work.unsureClasses === before.work.unsureClasses;
    if (!isSame) void journal.keep(makeEntry(model, work)).catch(onTrouble);
  });
}

/** @param {Model} model @param {Task} task */
export function idOfEntry({ person }, task) {
  return entryId(person.id, task.kind, task.image_id);
}

/**
 * The work on a task: as the server has it, or as the journal has it where that was not all sent.
 * @param {Model} model
 * @param {Task} task
 * @param {Entry | null} entry
 * @param {number} nowSecs
 * @returns {{work: Work, isRestored: boolean}}
 */
export function openWork(model, task, entry, nowSecs) {
  const acknowledged = openRevision(task.annotation);
  const known = secsInRevision(task.annotation);
  const fresh = startWork(model, task, acknowledged, acknowledged);
  const judgements = new Map(entry?.judgements ?? returnedVerdicts(task));
  const work = {
    ...fresh,
    saving: { ...fresh.saving, acknowledgedSecs: entry?.acknowledgedSecs ?? 0 },
    judgements,
    unsureClasses: entry?.unsureClasses ?? fresh.unsureClasses,
    clock: startClock(entry?.activeSecs),
    stints: startStints([...known, ...(entry?.drawnSecs ?? [])]),
  };
  if (!entry || !isWorthRestoring(entry, acknowledged)) return { work, isRestored: false };
  return { work: restore(model, work, entry, nowSecs), isRestored: true };
}

/**
 * Sends what the journal holds of other images that were not finished: after a killed tab, or a
 * lease that ran out. What the server answers with a conflict it has kept; what it does not answer
 * stays for the next time.
 * @param {Journal} journal
 * @param {Model} model
 * @param {string | null} currentId the entry of the open image, which is not touched
 * @param {Send} send
 * @param {() => string} makeKey
 * @returns {Promise<number>} how many images went up
 */
export async function sendEarlier(journal, { person, page }, currentId, send, makeKey) {
  let sent = 0;
  for (const entry of await journal.list(person.id)) {
    if (entry.id === currentId || entry.kind !== page || isForOutbox(entry)) continue;
    if (await trySending(journal, entry, send, makeKey)) sent += 1;
  }
  return sent;
}

/**
 * What an earlier page left finished but not sent.
 * @param {Journal} journal
 * @param {Model} model
 */
export async function listFinished(journal, { person, page }) {
  const entries = await journal.list(person.id);
  return entries.filter((entry) => entry.kind === page && isForOutbox(entry));
}

/** @param {Entry} entry */
function isForOutbox(entry) {
  return entry.kind === "annotate" && isFinished(entry);
}

/**
 * @param {Journal} journal
 * @param {Entry} entry
 * @param {Send} send
 * @param {() => string} makeKey
 */
async function trySending(journal, entry, send, makeKey) {
  const isDraft = entry.kind === "annotate" && entry.isUnsent;
  if (!entry.flight && !isDraft) {
    if (entry.kind === "annotate") await journal.drop(entry.id);
    return false;
  }
  try {
    await sendEntry(journal, entry, send, makeKey);
    return true;
  } catch {
    return false;
  }
}

/** @param {Entry} entry @param {Objects} acknowledged */
function isWorthRestoring(entry, acknowledged) {
  if (entry.flight) return true;
  return entry.isUnsent && !isSameWork(entry.objects, acknowledged);
}

/**
 * @param {Model} model
 * @param {Work} work
 * @param {Entry} entry
 * @param {number} nowSecs
 * @returns {Work}
 */
function restore(model, work, entry, nowSecs) {
  const inFlight = entry.flight?.objects ?? null;
  const objects = inFlight && isSameWork(inFlight, entry.objects) ? inFlight : entry.objects;
  const again = startWork(model, work.task, work.original, objects);
  const flight = entry.flight && { ...entry.flight, isUnderWay: false };
  const { acknowledgedSecs } = work.saving;
  const saving = { ...again.saving, parentId: entry.parentId, flight, acknowledgedSecs };
  return { ...work, editor: again.editor, saving: noteChange(saving, objects, nowSecs) };
}

/**
 * The checker's verdicts of work that came back, pinned to the objects.
 * @param {Task} task
 * @returns {[string, Judgement][]}
 */
function returnedVerdicts({ kind, review }) {
  if (kind !== "annotate" || !review) return [];
  return review.objects
    .filter((one) => one.verdict === "reject")
    .map(({ key, comment }) => [key, { verdict: "reject", comment }]);
}

/**
 * All that is not acknowledged of the work, as the journal keeps it.
 * @param {Model} model
 * @param {Work} work
 * @returns {Entry}
 */
export function makeEntry(model, work) {
  const { task, saving, judgements, clock, stints, unsureClasses } = work;
  const flight = saving.flight;
  return {
    id: idOfEntry(model, task),
    personId: model.person.id,
    kind: task.kind,
    imageId: task.image_id,
    parentId: saving.parentId,
    objects: objectsIn(work.editor),
    isUnsent: saving.changedAt !== null,
    unsureClasses,
    order: task.kind === "annotate" ? saving.order : null,
    flight: flight && {
      saveKey: flight.saveKey,
      body: flight.body,
      objects: flight.objects,
      finish: flight.finish,
      activeSecs: flight.activeSecs,
    },
    judgements: [...judgements],
    activeSecs: clock.activeSecs,
    acknowledgedSecs: saving.acknowledgedSecs,
    drawnSecs: [...stints.secs],
  };
}
