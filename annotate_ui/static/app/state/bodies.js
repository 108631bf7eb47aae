/** The bodies of saves, as docs/api.md describes them. */

import { roundSecs, secsOn } from "./clock.js";
import { objectsIn } from "./editor.js";
import { decideVerdict, packJudgements } from "./review.js";
import { packObjects, secsInRevision } from "./revision.js";

/** @typedef {import("./model.js").Work} Work */

/**
 * A revision: a draft, or the end that was ordered. `activeSecs` are those since the one before.
 * @param {Work} work
 * @param {string} saveKey
 * @param {number} activeSecs
 */
export function packRevision({ editor, saving, stints, unsureClasses }, saveKey, activeSecs) {
  const { order, parentId } = saving;
  const content = { objects: objectsIn(editor), stints, parentId, order, unsureClasses };
  return packBody(content, saveKey, activeSecs);
}

/**
 * @param {{
 *   objects: import("./objects.js").Objects, stints: import("./clock.js").Stints,
 *   parentId: number | null, order: import("./saving.js").Order | null,
 *   unsureClasses: readonly string[],
 * }} content
 * @param {string} saveKey
 * @param {number} activeSecs
 */
export function packBody({ objects, stints, parentId, order, unsureClasses }, saveKey, activeSecs) {
  const discardReason = order?.discardReason ?? null;
  const isDiscarded = discardReason !== null;
  return {
    save_key: saveKey,
    parent_id: parentId,
    finish: order !== null,
    discard_reason: discardReason,
    comment: order?.comment ?? "",
    active_secs: activeSecs,
    unsure_classes: isDiscarded ? [] : [...unsureClasses],
    objects: isDiscarded ? [] : packObjects(objects, stints),
  };
}

/**
 * A review. The seconds at work stand once: those of mending with the mended revision, the rest here.
 * @param {Work} work
 * @param {string} saveKey
 * @param {number} activeSecs
 */
export function packReview(work, saveKey, activeSecs) {
  const { task, original, editor, judgements, stints } = work;
  const objects = objectsIn(editor);
  const isComplete = work.saving.order?.isComplete ?? false;
  const verdict = decideVerdict(original, objects, judgements, isComplete);
  const isMended = verdict === "mended";
  const mendingSecs = isMended ? Math.min(secsMending(work), activeSecs) : 0;
  return {
    save_key: saveKey,
    annotation_id: task.annotation?.id,
    verdict,
    complete: isComplete,
    comment: work.saving.order?.comment ?? "",
    active_secs: roundSecs(activeSecs - mendingSecs),
    objects: packJudgements(original, judgements),
    mended: isMended
      ? { objects: packObjects(objects, stints), active_secs: mendingSecs }
      : null,
  };
}

/**
 * Seconds that went into objects on top of what their author spent on them.
 * @param {Work} work
 */
function secsMending({ task, editor, stints }) {
  const before = new Map(secsInRevision(task.annotation));
  const spent = objectsIn(editor).map(({ key }) => secsOn(stints, key) - (before.get(key) ?? 0));
  return roundSecs(spent.reduce((sum, secs) => sum + secs, 0));
}
