/** A checker's verdicts: object by object, and what follows for the image. */

import { roundSecs, secsOn } from "./clock.js";
import { objectsIn } from "./editor.js";
import { findNext } from "./objects.js";
import { isSameWork, packObjects, secsInRevision } from "./revision.js";

/** @import {Judgements, Objects, Verdict, Work} from "./types.js" */

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
 * null where the checker did not say. @param {Objects} original @param {Objects} objects
 * @param {Judgements} judgements @param {boolean | null} isComplete @returns {Verdict}
 */
export function decideVerdict(original, objects, judgements, isComplete) {
  const isRejected = original.some(({ key }) => judgements.get(key)?.verdict === "reject");
  if (isComplete === false || isRejected) return "returned";
  return isSameWork(original, objects) ? "accept" : "mended";
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
 * @param {Objects} original @param {Objects} objects as the checker leaves them @param {Judgements} judgements
 */
export function packJudgements(original, objects, judgements) {
  return original.map((object) => ({
    key: object.key,
    verdict: judgements.get(object.key)?.verdict ?? "accept",
    comment: judgements.get(object.key)?.comment ?? "",
    judged: judgements.has(object.key) || !isUnchanged(object, objects),
  }));
}

/** Whether the checker left an object as it was. @param {Objects[number]} object @param {Objects} objects as the checker leaves them */
export function isUnchanged(object, objects) {
  return isSameWork([object], objects.filter(({ key }) => key === object.key));
}

/**
 * A review. Each second counts once: those of corrections with the corrected revision, the rest here.
 * @param {Work} work @param {string} saveKey @param {number} activeSecs
 */
export function packReview(work, saveKey, activeSecs) {
  const { task, original, editor, judgements, stints } = work;
  const objects = objectsIn(editor);
  const isComplete = work.saving.order ? work.saving.order.isComplete : false;
  const verdict = decideVerdict(original, objects, judgements, isComplete);
  const isCorrected = verdict === "mended";
  // Seconds spent on objects, without those of their author.
  const before = new Map(secsInRevision(task.annotation));
  const spent = objects.reduce((sum, { key }) => sum + secsOn(stints, key) - (before.get(key) ?? 0), 0);
  const correctionSecs = isCorrected ? Math.min(roundSecs(spent), activeSecs) : 0;
  return {
    save_key: saveKey,
    annotation_id: task.annotation?.id,
    verdict,
    complete: isComplete,
    comment: work.saving.order?.comment ?? "",
    active_secs: roundSecs(activeSecs - correctionSecs),
    objects: packJudgements(original, objects, judgements),
    mended: isCorrected
      ? { objects: packObjects(objects, stints), active_secs: correctionSecs }
      : null,
  };
}
