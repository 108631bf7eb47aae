/** Converts revisions and reviews between the three forms: edited by the page, sent to the server, kept in the journal. */

import { roundSecs, secsOn, startClock, startStints } from "./clock.js";
import { objectsIn, rejectedIn } from "./editor.js";
import { isDrawing, startWork } from "./model.js";
import { findNext } from "./objects.js";
import { followWords } from "./party.js";
import { noteChange } from "./saving.js";
import { openConfirmed } from "./suggestions.js";

/** @import {Annotated, Party, Revision, Task} from "../types.js" */
/** @import {Entry, Judgement, Judgements, Model, Objects, Order, Stints, Verdict, Work} from "./types.js" */

/**
 * The objects of a revision with the words of today, ready to be edited; their truncated flags count as a person's
 * decision.
 * @type {(party: Party, revision: Revision | null) => Objects}
 */
export function openRevision(party, revision) {
  return (revision?.objects ?? []).map(({ drawn_secs, suggested, ...object }) => ({
    ...followWords(party, object),
    truncatedBy: /** @type {const} */ ("person"),
  }));
}

/** The objects that an image is opened with: what was drawn, else what two people confirmed. @type {(party: Party, task: Task) => Objects} */
function openObjects(party, { annotation, width, height, suggestions }) {
  if (annotation) return openRevision(party, annotation);
  return openConfirmed(party, [width, height], suggestions);
}

/** The drawn seconds of each object, by its key. @type {(revision: Revision | null) => [key: string, secs: number][]} */
export function secsInRevision(revision) {
  return (revision?.objects ?? []).map((object) => [object.key, object.drawn_secs]);
}

/**
 * The objects of a save. `difficult` is left out: organisers judge it and the server carries it; what is laid aside
 * stays in the browser.
 * @param {Objects} objects
 * @param {Stints} stints
 */
export function packObjects(objects, stints) {
  return objects.map(({ truncatedBy, difficult, laidAside, ...object }) => ({
    ...object,
    drawn_secs: roundSecs(secsOn(stints, object.key)),
  }));
}

/**
 * Whether two lists of objects have the same content, apart from drawing times and who set truncated.
 * @type {(one: Objects, other: Objects) => boolean}
 */
export function isSameWork(first, second) {
  return first === second || JSON.stringify(first.map(essence)) === JSON.stringify(second.map(essence));
}

/**
 * Whether a finished image that was opened again equals what the server has, so that it can be given back unchanged:
 * no draft was sent or is being sent, and every edit was undone.
 * @param {Pick<Work, "task" | "editor" | "original" | "saving" | "unsureClasses">} work
 */
export function isAsServerHas({ task, editor, original, saving, unsureClasses }) {
  const { annotation } = task;
  if (!annotation?.finished || task.review !== null || task.campaigns !== undefined) return false;
  // A draft went up, or is on its way: the server has that one now, also where it was undone here.
  if (saving.flight !== null || saving.parentId !== annotation.id) return false;
  const isSame =
    unsureClasses.join() === annotation.unsure_classes.join() &&
    isSameRejected(annotation.rejected, rejectedIn(editor));
  // Boxes on a discarded image: to finish it is to bring it back.
  const isBack = annotation.discard_reason !== null && original.length > 0;
  return !isBack && isSame && isSameWork(original, objectsIn(editor));
}

/**
 * Whether the same suggestions are rejected, in any order.
 * @type {(first?: readonly number[], second?: readonly number[]) => boolean}
 */
function isSameRejected(first = [], second = []) {
  return first.toSorted().join() === second.toSorted().join();
}

/**
 * The key of the object that an error's field means ("objects.2.box"), or null.
 * @type {(field: string | null, objects: Objects) => string | null}
 */
export function keyOfField(field, objects) {
  const index = /(?:^|\.)objects\.(\d+)(?:\.|$)/.exec(field ?? "")?.[1];
  return index === undefined ? null : (objects[Number(index)]?.key ?? null);
}

/** @param {Annotated} object */
function essence({ key, class: name, box, view, truncated, occluded, unsure, group_of, ...rest }) {
  const { actions, point, parts } = rest;
  const partWords = parts.map(({ part, box }) => [part, ...box]);
  const { rings, depth, open } = rest;
  const flags = [truncated, occluded, unsure, Boolean(group_of)];
  return [key, name, box, view, flags, actions, point, partWords, rings, depth, open];
}

/**
 * A revision: a draft, or the end that was ordered. `activeSecs` and `inputs` are those since the one before.
 * @param {Entry} entry
 * @param {Order | null} order
 * @param {string} saveKey
 * @param {number} activeSecs
 * @param {number} inputs
 */
export function packEntry(entry, order, saveKey, activeSecs, inputs) {
  const { objects, rejected = [], suggestionsShown = 0, drawnSecs, saving, unsureClasses, taster } = entry;
  return {
    save_key: saveKey,
    parent_id: saving.parentId,
    finish: order !== null,
    discard_reason: order?.discardReason ?? null,
    comment: order?.comment ?? "",
    active_secs: activeSecs,
    inputs,
    unsure_classes: [...unsureClasses],
    ...(taster && { taster }),
    objects: packObjects(objects, startStints(drawnSecs)),
    rejected: [...rejected],
    suggestions_shown: suggestionsShown,
  };
}

/**
 * @param {Model} model
 * @param {Task} task
 */
export function idOfEntry({ person }, task) {
  return `${person.id}:${task.kind}:${task.image_id}`;
}

/**
 * The work as it is now.
 * @param {Model} model
 * @param {Work} work
 * @returns {Entry}
 */
export function makeEntry(model, work) {
  const { task, saving, judgements, clock, stints, unsureClasses } = work;
  return {
    id: idOfEntry(model, task),
    personId: model.person.id,
    kind: task.kind,
    imageId: task.image_id,
    boxesId: task.boxes_id,
    objects: objectsIn(work.editor),
    rejected: rejectedIn(work.editor),
    suggestionsShown: task.suggestions?.length ?? 0,
    unsureClasses,
    ...(task.taster && { taster: task.taster }),
    judgements: [...judgements],
    drawnSecs: [...stints.secs],
    activeSecs: clock.activeSecs,
    inputs: clock.inputs,
    saving: { ...saving, acknowledged: [] }, // the server has these
  };
}

/**
 * The work on a task: as the server has it, or as the journal has it where that was not all sent. `isStale` where a
 * checker's unsent work was on another revision than the newest: the person decides before anything is sent.
 * @type {(model: Model, task: Task, entry: Entry | null, nowSecs: number) => {work: Work, isRestored: boolean, isStale: boolean}}
 */
export function openWork(model, task, entry, nowSecs) {
  const kept = (entry?.objects ?? []).map((object) => followWords(model.party, object));
  const acknowledged = layAside(openObjects(model.party, task), kept);
  const known = secsInRevision(task.annotation);
  const fresh = startWork(model, task, acknowledged, acknowledged);
  const work = {
    ...fresh,
    saving: { ...fresh.saving, ...reportedIn(entry) },
    judgements: new Map(entry ? keepJudgements(entry, task, acknowledged) : returnedVerdicts(task)),
    unsureClasses: entry?.unsureClasses ?? fresh.unsureClasses,
    clock: startClock(entry?.activeSecs, entry?.inputs),
    stints: startStints([...known, ...(entry?.drawnSecs ?? [])]),
  };
  if (!entry || !isWorthRestoring(entry, acknowledged, task.annotation))
    return { work, isRestored: false, isStale: false };
  const restored = restore(model, work, entry, nowSecs);
  // The server answers what is on its way, and drafts; a verdict is not sent before the person has seen both.
  if (isDrawing(task.kind) || entry.saving.flight || isOfThis(entry, task)) {
    return { work: restored, isRestored: true, isStale: false };
  }
  const stale = { ...restored, saving: { ...restored.saving, trouble: /** @type {const} */ ("stale") } };
  return { work: stale, isRestored: true, isStale: true };
}

/** The seconds and inputs of an earlier visit that revisions hold already. @param {Entry | null} entry */
function reportedIn(entry) {
  const { acknowledgedSecs = 0, acknowledgedInputs = 0 } = entry?.saving ?? {};
  return { acknowledgedSecs, acknowledgedInputs };
}

/**
 * The server's objects with what this browser laid aside of them.
 * @param {Objects} objects
 * @param {Objects} kept
 * @returns {Objects}
 */
function layAside(objects, kept) {
  return objects.map((object) => {
    const { laidAside, class: name } = kept.find(({ key }) => key === object.key) ?? {};
    return laidAside && name === object.class ? { ...object, laidAside } : object;
  });
}

/**
 * Whether the work started from the task's revision.
 * @param {Entry} entry
 * @param {Task} task
 */
function isOfThis({ saving }, task) {
  return saving.parentId === (task.annotation?.id ?? null);
}

/**
 * The judgements of an earlier visit; of those on another revision, the ones on objects that look the same.
 * @type {(entry: Entry, task: Task, acknowledged: Objects) => [string, Judgement][]}
 */
function keepJudgements(entry, task, acknowledged) {
  if (isOfThis(entry, task)) return entry.judgements;
  const same = new Set(
    acknowledged.filter((object) => isUnchanged(object, entry.objects)).map(({ key }) => key),
  );
  return entry.judgements.filter(([key]) => same.has(key));
}

/**
 * @param {Entry} entry
 * @param {Objects} acknowledged
 * @param {Revision | null} revision
 */
function isWorthRestoring({ saving, objects, rejected }, acknowledged, revision) {
  if (saving.flight || objects.some(({ open }) => open)) return true;
  const isSame = isSameWork(objects, acknowledged) && isSameRejected(rejected, revision?.rejected);
  return saving.changedAt !== null && !isSame;
}

/**
 * @param {Model} model
 * @param {Work} work
 * @param {Entry} entry
 * @param {number} nowSecs
 * @returns {Work}
 */
function restore(model, work, entry, nowSecs) {
  const { parentId, flight } = entry.saving;
  const isAllOnItsWay =
    flight !== null &&
    isSameWork(flight.objects, entry.objects) &&
    isSameRejected(flight.rejected, entry.rejected);
  const isOfOtherBoxes = entry.boxesId !== work.task.boxes_id;
  const kept = isAllOnItsWay
    ? flight.objects
    : isOfOtherBoxes
      ? takeOutlines(work.original, entry.objects)
      : entry.objects;
  // What is not on its way may be from before a word was merged or split.
  const objects = isAllOnItsWay ? kept : kept.map((object) => followWords(model.party, object));
  const { editor } = startWork(model, work.task, work.original, objects, entry.rejected);
  return { ...work, editor, saving: noteChange({ ...work.saving, parentId, flight }, objects, nowSecs) };
}

/**
 * Today's boxes with the outlines drawn before these changed.
 * @param {Objects} objects
 * @param {Objects} drawn
 */
function takeOutlines(objects, drawn) {
  const known = new Map(drawn.map((object) => [object.key, object]));
  const outlined = objects.map((object) => ({
    ...known.get(object.key),
    ...object,
    rings: known.get(object.key)?.rings ?? object.rings,
  }));
  return [
    ...outlined,
    ...drawn.filter(({ isVoid, key }) => isVoid && !objects.some((object) => object.key === key)),
  ];
}

/** The verdicts of work that came back, by object. @type {(task: Task) => [string, Judgement][]} */
function returnedVerdicts({ kind, review }) {
  if (!isDrawing(kind) || !review) return [];
  return review.objects
    .filter((verdict) => verdict.verdict === "reject")
    .map(({ key, comment }) => [key, { verdict: "reject", comment }]);
}

/**
 * The key of the next object without a judgement; null when all are judged.
 * @type {(objects: Objects, judgements: Judgements, key: string | null) => string | null}
 */
export function nextUnjudged(objects, judgements, key) {
  return findNext(objects, key, (object) => !judgements.has(object.key));
}

/**
 * What the image's verdict is: a rejected object or a missing one sends it back, own edits correct
 * it, else it is accepted. Objects that were not looked at one by one count as accepted; `isComplete` is
 * null where the checker did not say.
 * @param {Objects} original
 * @param {Objects} objects
 * @param {Judgements} judgements
 * @param {boolean | null} isComplete
 * @returns {Verdict}
 */
export function decideVerdict(original, objects, judgements, isComplete) {
  const isRejected = original.some(({ key }) => judgements.get(key)?.verdict === "reject");
  if (isComplete === false || isRejected) return "returned";
  return isSameWork(original, objects) ? "accept" : "fixed";
}

/**
 * Whether there is a word for the author, which a returned image must have.
 * @type {(judgements: Judgements, comment: string) => boolean}
 */
export function hasWords(judgements, comment) {
  const words = [comment, ...[...judgements.values()].map((judgement) => judgement.comment)];
  return words.some((word) => word.trim() !== "");
}

/**
 * One verdict for each object of the checked revision; `judged` where the checker gave one or changed the object.
 * @param {Objects} original
 * @param {Objects} objects as the checker leaves them
 * @param {Judgements} judgements
 */
export function packJudgements(original, objects, judgements) {
  return original.map((object) => ({
    key: object.key,
    verdict: judgements.get(object.key)?.verdict ?? "accept",
    comment: judgements.get(object.key)?.comment ?? "",
    judged: judgements.has(object.key) || !isUnchanged(object, objects),
  }));
}

/**
 * Whether the checker left an object as it was.
 * @param {Objects[number]} object
 * @param {Objects} objects as the checker leaves them
 */
export function isUnchanged(object, objects) {
  return isSameWork(
    [object],
    objects.filter(({ key }) => key === object.key),
  );
}

/**
 * A review. Each second counts once: those of corrections with the corrected revision, the rest here.
 * @param {Work} work
 * @param {string} saveKey
 * @param {number} activeSecs
 */
export function packReview(work, saveKey, activeSecs) {
  const { task, original, editor, judgements, stints } = work;
  const objects = objectsIn(editor);
  const isComplete = work.saving.order ? work.saving.order.isComplete : false;
  const verdict = decideVerdict(original, objects, judgements, isComplete);
  const isCorrected = verdict === "fixed";
  // Seconds spent on objects, without those of their author.
  const before = new Map(secsInRevision(task.annotation));
  const spent = objects.reduce((sum, { key }) => sum + secsOn(stints, key) - (before.get(key) ?? 0), 0);
  const correctionSecs = isCorrected ? Math.min(roundSecs(spent), activeSecs) : 0;
  return {
    save_key: saveKey,
    annotation_id: work.saving.parentId,
    verdict,
    complete: isComplete,
    comment: work.saving.order?.comment ?? "",
    active_secs: roundSecs(activeSecs - correctionSecs),
    objects: packJudgements(original, objects, judgements),
    fixed: isCorrected ? { objects: packObjects(objects, stints), active_secs: correctionSecs } : null,
  };
}
