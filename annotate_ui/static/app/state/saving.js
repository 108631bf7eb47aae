/**
 * What is saved, what is on its way and what comes next: decided here, done by sender.js.
 *
 * One save is on its way at a time. It keeps its key and its body until it is answered, so that a
 * repeated post is harmless; the next one starts from the revision that the answer named.
 */

import { roundSecs } from "./clock.js";

/** @import {Flight, Line, Model, Objects, Order, SaveStatus, Saving, Trouble} from "./types.js" */

/** A draft goes up this long after the first edit that it holds. */
export const DRAFT_AFTER_SECS = 1.0;
const LONGEST_RETRY_SECS = 15;

/** @type {Line} */
export const EMPTY_LINE = { count: 0, trouble: null, failures: 0, retryAt: 0 };

/**
 * From the revision `parentId`, of which the server holds what is `acknowledged`.
 * @type {(parentId: number | null, acknowledged: Objects, hasDrafts?: boolean) => Saving}
 */
export function startSaving(parentId, acknowledged, hasDrafts = true) {
  return {
    hasDrafts,
    isLeft: false,
    parentId,
    acknowledged,
    acknowledgedSecs: 0,
    changedAt: null,
    order: null,
    flight: null,
    trouble: null,
  };
}

/**
 * Notes that the objects changed: whether there is something to send.
 * @type {(saving: Saving, objects: Objects, nowSecs: number) => Saving}
 */
export function noteChange(saving, objects, nowSecs) {
  const sent = saving.flight?.objects ?? saving.acknowledged;
  if (objects === sent || differInOpenOutline(objects, sent)) return { ...saving, changedAt: null };
  const trouble = saving.trouble === "refused" ? null : saving.trouble;
  return { ...saving, trouble, changedAt: saving.changedAt ?? nowSecs };
}

/**
 * Whether only an open outline differs, which the journal keeps and the server does not take.
 * @param {Objects} objects
 * @param {Objects} sent
 */
function differInOpenOutline(objects, sent) {
  const isOther = objects.some((object, at) => object !== sent[at]); // else what is rejected differs
  if (objects.length !== sent.length || !isOther) return false;
  return objects.every(
    (object, at) =>
      object === sent[at] ||
      (object.open !== sent[at].open && object.rings === sent[at].rings && object.depth === sent[at].depth),
  );
}

/**
 * Orders the end of the work; it is sent as soon as nothing else is on its way.
 * @type {(saving: Saving, order: Order) => Saving}
 */
export function giveOrder(saving, order) {
  return { ...saving, order, trouble: saving.trouble === "refused" ? null : saving.trouble };
}

/**
 * When the next save of the open image is due, 0 for at once, or null where there is none. A draft waits so long.
 * @param {Saving} saving
 * @param {number} [draftAfterSecs]
 */
export function dueAt(
  { flight, trouble, order, changedAt, hasDrafts, isLeft },
  draftAfterSecs = DRAFT_AFTER_SECS,
) {
  if (isLeft || trouble !== null) return null;
  if (flight || order) return 0;
  return changedAt === null || !hasDrafts ? null : changedAt + draftAfterSecs;
}

/** Whether the server lacks some of it; of a check only a verdict that was given counts. @param {Saving} saving */
export function hasUnsent({ flight, order, changedAt, hasDrafts }) {
  return flight !== null || (hasDrafts && (order !== null || changedAt !== null));
}

/** Before a discard, a draft with the newest boxes is sent first. @param {Saving} saving */
export function nextOrder({ order, changedAt }) {
  return order?.discardReason && changedAt !== null ? null : order;
}

/**
 * @param {Saving} saving
 * @param {Flight} flight
 * @returns {Saving}
 */
export function launch(saving, flight) {
  return { ...saving, flight, changedAt: null, trouble: null };
}

/** The server has it, under this revision. @type {(saving: Saving, revisionId: number | null) => Saving} */
export function landed(saving, revisionId) {
  const { flight } = saving;
  return {
    ...saving,
    parentId: revisionId,
    acknowledged: flight?.objects ?? saving.acknowledged,
    ...addReported(saving, flight),
    order: flight?.finish ? null : saving.order,
    flight: null,
    trouble: null,
  };
}

/**
 * The server refused the save: it is dropped, and its objects stay in the editor. If the server kept it as
 * another revision, its seconds are reported and not sent again.
 * @type {(saving: Saving, trouble: Trouble, nowSecs: number, isKept: boolean) => Saving}
 */
export function turnedDown(saving, trouble, nowSecs, isKept) {
  const order = trouble === "refused" ? null : saving.order;
  const reported = addReported(saving, isKept ? saving.flight : null);
  const changedAt = saving.changedAt ?? nowSecs;
  return { ...saving, flight: null, order, trouble, changedAt, ...reported };
}

/**
 * The server kept a draft as another revision. For an image that was left that is enough, and the next save goes on.
 * @type {(saving: Saving) => Saving}
 */
export function keptBeside(saving) {
  return { ...saving, flight: null, ...addReported(saving, saving.flight) };
}

/**
 * A conflict is settled: work goes on from the newest revision, which holds what is `acknowledged`.
 * @param {Saving} saving
 * @param {number | null} headId
 * @param {Objects} acknowledged
 * @param {Objects} objects what shall be there
 * @param {number} nowSecs
 */
export function settle(saving, headId, acknowledged, objects, nowSecs) {
  const settled = { ...saving, parentId: headId, acknowledged, trouble: null, changedAt: null };
  return noteChange(settled, objects, nowSecs);
}

/**
 * No answer, or a request to come again after `pauseSecs`: all saves wait, longer each time.
 * @param {Line} line
 * @param {number} nowSecs
 * @param {number} [pauseSecs]
 * @returns {Line}
 */
export function lostTouch(line, nowSecs, pauseSecs = 0) {
  const failures = line.failures + 1;
  const pause = Math.max(pauseSecs, Math.min(2 ** (failures - 1), LONGEST_RETRY_SECS));
  return { ...line, trouble: pauseSecs > 0 ? "busy" : "offline", failures, retryAt: nowSecs + pause };
}

/** The person is back, or the network: what waits may go at once. @type {(line: Line, nowSecs: number) => Line} */
export function tryNow(line, nowSecs) {
  return line.trouble === null ? line : { ...line, trouble: "offline", retryAt: nowSecs };
}

/**
 * The seconds and inputs that are acknowledged with this save; rounded, so that tenths add up to tenths.
 * @type {(saving: Saving, flight: Flight | null) => Pick<Saving, "acknowledgedSecs" | "acknowledgedInputs">}
 */
function addReported({ acknowledgedSecs, acknowledgedInputs = 0 }, flight) {
  return {
    acknowledgedSecs: roundSecs(acknowledgedSecs + (flight?.activeSecs ?? 0)),
    acknowledgedInputs: acknowledgedInputs + (flight?.inputs ?? 0),
  };
}

/**
 * How safe the open image is, but for the network.
 * @param {Saving} saving
 * @returns {SaveStatus}
 */
export function statusOf({ trouble, flight, changedAt, order }) {
  if (trouble) return trouble;
  if (flight || order) return "saving";
  return changedAt === null ? "saved" : "unsaved";
}

/**
 * How safe all work of the page is: the open image first, then what waits in line.
 * @type {(model: Pick<Model, "work" | "line">) => SaveStatus}
 */
export function statusOfPage({ work, line }) {
  const status = work && !work.saving.isLeft ? statusOf(work.saving) : "saved";
  if (work?.saving.trouble) return status;
  const isWaiting = line.count > 0 || status === "saving" || (status === "unsaved" && work?.saving.hasDrafts);
  if (isWaiting && line.trouble) return line.trouble;
  return line.count > 0 && status === "saved" ? "saving" : status;
}
