/** Between segmentation tasks as the server sends them and the work of the page, whose objects carry their rings. */

import { objectsIn } from "../state/editor.js";
import { displayOfClass } from "../state/party.js";
import { decideVerdict, isUnchanged } from "../state/revision.js";
import { texts } from "../texts.js";
import { ringsOf } from "./corners.js";
import { VOID_CLASS } from "./outline.js";

/** @import {Entry, Model, Objects, Order, Page, Work} from "../state/types.js" */
/** @import {Api, Person, Revision, Ring, Rings, SentObject, Task, TaskAnswer} from "../types.js" */

/**
 * @typedef {{object_key: string | null, depth: number, rings: Ring[], suggestion_set_id?: number | null,
 *   suggested?: "accepted" | "corrected" | null}} SentSegment
 * @typedef {{id: number, is_finished: boolean, person: Person, segments: SentSegment[]}} Segmentation
 * @typedef {Omit<Task, "review"> & {segmentation: Segmentation | null, void_width_px: number, is_difficult_void: boolean, changed_keys?: string[],
 *   review: {comments: string, checker: string,
 *     objects: {object_key: string, verdict: string}[]} | null}} SentTask
 */

/**
 * With segmentation tasks as the page's modules know tasks.
 * @param {Api} server
 * @param {Page} page
 * @returns {Api}
 */
export function wrapApi(server, page) {
  const reason = page === "segment" ? "nothing_to_segment" : "nothing_drawn";
  return {
    ...server,
    async nextTask(kind, wish) {
      const answer = /** @type {TaskAnswer & {task: any}} */ (await server.nextTask(kind, wish));
      const task = answer.task && openTask(answer.task, page);
      const ahead = /** @type {any[]} */ (answer.ahead ?? []).map((answered) => openTask(answered, page));
      return { ...answer, reason, task, ahead };
    },
  };
}

/**
 * The revision of the work is the segmentation; its objects are those of the boxes, with rings.
 * @type {(sent: SentTask, page: Page) => Task}
 */
export function openTask({ segmentation, changed_keys = [], review, ...task }, page) {
  const boxes = /** @type {Revision} */ (task.annotation);
  return {
    ...task,
    kind: page,
    boxes_id: boxes.id,
    author: segmentation?.person,
    review: review && {
      comment: review.comments,
      checker: review.checker,
      objects: review.objects.map(({ object_key: key, verdict }) => ({
        key,
        verdict: verdict === "returned" ? "reject" : verdict,
        comment: "",
      })),
    },
    annotation: openSegmentation(segmentation, boxes.objects, changed_keys),
  };
}

/**
 * The objects of `changedKeys` have other boxes since, and are drawn again.
 * @param {Segmentation | null} segmentation
 * @param {readonly SentObject[]} boxes
 * @param {readonly string[]} changedKeys
 * @returns {Revision}
 */
export function openSegmentation(segmentation, boxes, changedKeys) {
  const segments = segmentation?.segments ?? [];
  const known = new Map(segments.map((segment) => [segment.object_key, openSegment(segment)]));
  const bare = { parts: [], actions: [], point: null, open: null, isVoid: false };
  const objects = boxes.map((object) => {
    const segment = changedKeys.includes(object.key) ? undefined : known.get(object.key);
    return { ...object, ...bare, rings: [], depth: NaN, ...segment };
  });
  const regions = segments.filter((segment) => segment.object_key === null);
  const voids = regions.map((segment, at) => ({
    ...VOID_REGION,
    ...bare,
    ...openSegment(segment),
    key: `void-${at}`,
    isVoid: true,
  }));
  const said = { parent_id: null, saved_at: "", comment: "", unsure_classes: [], discard_reason: null };
  return {
    ...said,
    id: /** @type {any} */ (segmentation?.id ?? null),
    finished: segmentation?.is_finished ?? false,
    objects: /** @type {any[]} */ (orderByDepth([...objects, ...voids])),
  };
}

/** What was accepted as it was is what the model offered. @param {SentSegment} segment */
function openSegment({ suggested = null, ...segment }) {
  return { ...segment, offered: suggested === "accepted" ? segment.rings : null };
}

const NO_FLAGS = { truncated: false, occluded: false, unsure: false, difficult: false };
const VOID_REGION = { class: VOID_CLASS, box: [0, 0, 0, 0], view: "Unspecified", ...NO_FLAGS, drawn_secs: 0 };

/**
 * Every object with a different depth; those without one are ordered by size, the smallest in front.
 * @template {{depth: number, box: readonly number[]}} T
 * @param {readonly T[]} objects
 * @returns {T[]}
 */
function orderByDepth(objects) {
  const area = (/** @type {T} */ { box }) => (box[2] - box[0]) * (box[3] - box[1]);
  const isKnown = (/** @type {T} */ { depth }) => !Number.isNaN(depth);
  const known = objects.filter(isKnown).toSorted((first, second) => first.depth - second.depth);
  const others = objects
    .filter((object) => !isKnown(object))
    .toSorted((first, second) => area(second) - area(first));
  for (const object of others) {
    const place = known.findIndex((drawn) => area(drawn) < area(object));
    known.splice(place < 0 ? known.length : place, 0, object);
  }
  return objects.map((object) => ({ ...object, depth: known.indexOf(object) }));
}

/** @param {Objects} objects */
function packSegments(objects) {
  const drawn = objects.filter((object) => ringsOf(object).length > 0);
  return drawn.map(({ key, isVoid, depth, rings, suggestion_set_id = null, offered = null }) => ({
    object_key: isVoid ? null : key,
    depth,
    rings,
    suggestion_set_id,
    suggested: suggestion_set_id === null ? null : isSame(rings, offered) ? "accepted" : "corrected",
  }));
}

/** @type {(rings: Rings | undefined, offered: Rings | null) => boolean} */
function isSame(rings, offered) {
  return JSON.stringify(rings) === JSON.stringify(offered);
}

/**
 * A draft, or the end.
 * @param {Entry} entry
 * @param {Order | null} order
 * @param {string} saveKey
 * @param {number} activeSecs
 * @param {number} inputs
 */
export function packSegmentation({ objects, saving, boxesId }, order, saveKey, activeSecs, inputs) {
  const saved = { active_secs: activeSecs, inputs, finish: order !== null, segments: packSegments(objects) };
  return { save_key: saveKey, parent_id: saving.parentId, annotation_id: boxesId, ...saved };
}

/**
 * The checker's verdict; comments on objects name them.
 * @param {Model} model
 * @param {Work} work
 * @param {string} saveKey
 * @param {number} activeSecs
 * @param {number} inputs
 */
export function packSegmentReview(
  { party },
  { original, editor, judgements, saving },
  saveKey,
  activeSecs,
  inputs,
) {
  const objects = objectsIn(editor);
  const isComplete = saving.order?.isComplete ?? null;
  const verdict = decideVerdict(original, objects, judgements, isComplete);
  const verdictOn = (/** @type {Objects[number]} */ object) => {
    if (judgements.get(object.key)?.verdict === "reject") return "returned";
    return isUnchanged(object, objects) ? "accept" : "fixed";
  };
  const said = original.flatMap(({ key, class: name }, at) => {
    const comment = judgements.get(key)?.comment.trim();
    return comment ? [texts.segment.said(at + 1, displayOfClass(party, name), comment)] : [];
  });
  return {
    save_key: saveKey,
    verdict,
    active_secs: activeSecs,
    inputs,
    objects: original
      .filter(({ isVoid }) => !isVoid)
      .map((object) => ({ object_key: object.key, verdict: verdictOn(object) })),
    missing: isComplete === null ? null : !isComplete,
    comments: [saving.order?.comment ?? "", ...said].filter(Boolean).join("\n"),
    segments: verdict === "fixed" ? packSegments(objects) : null,
  };
}
