/**
 * What is saved, what is on its way and what comes next: decided here, done by saver.js.
 *
 * One save is on its way at a time. It keeps its key and its body until it is answered, so that a
 * repeated post is harmless; the next one starts from the revision that the answer named.
 */

import { roundSecs } from "./clock.js";

/** @import {Model} from "./model.js" */
/** @import {Objects} from "./objects.js" */

/** A draft goes up this long after the first edit that it holds. */
export const DRAFT_AFTER_SECS = 1.0;
const LONGEST_RETRY_SECS = 15;

/**
 * How the work shall end; `isComplete` is a checker's answer, null in annotating.
 * @typedef {{
 *   finish: true, discardReason: string | null, comment: string, isComplete: boolean | null,
 * }} Order
 */
/**
 * A save on its way; `activeSecs` are the seconds at work that its body reports.
 * @typedef {{
 *   saveKey: string, body: object, objects: Objects, finish: boolean, activeSecs: number,
 *   isUnderWay: boolean,
 * }} Flight
 * @typedef {"offline" | "signed_out" | "stale" | "lease_lost" | "refused"} Trouble
 *
 * `hasDrafts` is false where only the end is sent, as in checking. `acknowledgedSecs` are those of
 * the visit that revisions hold already, so that the next one reports only what came after.
 * `isLeft` is true once the work was handed over to the outbox, which sends the rest.
 * @typedef {{
 *   hasDrafts: boolean, isLeft: boolean, parentId: number | null, acknowledged: Objects, acknowledgedSecs: number,
 *   changedAt: number | null,
 *   order: Order | null, flight: Flight | null,
 *   trouble: Trouble | null, failures: number, retryAt: number,
 * }} Saving
 * @typedef {{kind: "nothing"} | {kind: "wait", untilSecs: number} | {kind: "send"}
 *   | {kind: "repeat"}} Plan
 * @typedef {"saved" | "unsaved" | "saving" | Trouble} SaveStatus
 */

/**
 * @param {number | null} parentId the revision that the work starts from
 * @param {Objects} acknowledged what the server holds of it
 * @param {boolean} [hasDrafts]
 * @returns {Saving}
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
    failures: 0,
    retryAt: 0,
  };
}

/**
 * The objects are now these: there is something to send, or no more.
 * @param {Saving} saving
 * @param {Objects} objects
 * @param {number} nowSecs
 * @returns {Saving}
 */
export function noteChange(saving, objects, nowSecs) {
  const sent = saving.flight?.objects ?? saving.acknowledged;
  if (objects === sent) return { ...saving, changedAt: null };
  const trouble = saving.trouble === "refused" ? null : saving.trouble;
  return { ...saving, trouble, changedAt: saving.changedAt ?? nowSecs };
}

/**
 * The work shall end, with this order; it goes up as soon as nothing else is on its way.
 * @param {Saving} saving
 * @param {Order} order
 * @returns {Saving}
 */
export function giveOrder(saving, order) {
  return { ...saving, order, trouble: saving.trouble === "refused" ? null : saving.trouble };
}

/**
 * The work is left with this order, and nothing of it is sent from here any more.
 * @param {Saving} saving
 * @param {Order} order
 * @returns {Saving}
 */
export function leave(saving, order) {
  return { ...saving, order, isLeft: true, flight: null, trouble: null };
}

/** What to do now. @param {Saving} saving @param {number} nowSecs @returns {Plan} */
export function planSave(saving, nowSecs) {
  const { flight, trouble, retryAt, order, changedAt, hasDrafts, isLeft } = saving;
  if (isLeft || flight?.isUnderWay) return { kind: "nothing" };
  if (trouble === "offline") return atTime(retryAt, nowSecs, flight ? "repeat" : "send");
  if (trouble !== null) return { kind: "nothing" };
  if (flight) return { kind: "repeat" };
  if (order) return { kind: "send" };
  if (changedAt === null || !hasDrafts) return { kind: "nothing" };
  return atTime(changedAt + DRAFT_AFTER_SECS, nowSecs, "send");
}

/** @param {Saving} saving @param {Omit<Flight, "isUnderWay">} save @returns {Saving} */
export function launch(saving, save) {
  return { ...saving, flight: { ...save, isUnderWay: true }, changedAt: null, trouble: null };
}

/**
 * The save that waits goes up once more, under its old key.
 * @param {Saving} saving
 * @returns {Saving}
 */
export function relaunch(saving) {
  const flight = saving.flight && { ...saving.flight, isUnderWay: true };
  return { ...saving, flight };
}

/**
 * The server has it, under this revision.
 * @param {Saving} saving
 * @param {number} revisionId
 * @returns {Saving}
 */
export function landed(saving, revisionId) {
  const { flight } = saving;
  return {
    ...saving,
    parentId: revisionId,
    acknowledged: flight?.objects ?? saving.acknowledged,
    acknowledgedSecs: addSecs(saving.acknowledgedSecs, flight),
    order: flight?.finish ? null : saving.order,
    flight: null,
    trouble: null,
    failures: 0,
  };
}

/**
 * No answer, or one that says to come again: the same save is repeated after a growing pause.
 * @param {Saving} saving
 * @param {number} nowSecs
 * @param {number} [pauseSecs] asked for by the server
 * @returns {Saving}
 */
export function lostTouch(saving, nowSecs, pauseSecs = 0) {
  const failures = saving.failures + 1;
  const pause = Math.max(pauseSecs, Math.min(2 ** (failures - 1), LONGEST_RETRY_SECS));
  const flight = saving.flight && { ...saving.flight, isUnderWay: false };
  return { ...saving, flight, trouble: "offline", failures, retryAt: nowSecs + pause };
}

/**
 * Signed out: the same save waits until the person is back.
 * @param {Saving} saving
 * @returns {Saving}
 */
export function signedOut(saving) {
  const flight = saving.flight && { ...saving.flight, isUnderWay: false };
  return { ...saving, flight, trouble: "signed_out" };
}

/**
 * Answered with a no: the save is dropped from the way, its objects stay where they are edited.
 * What was kept alongside holds its seconds, so they are not reported again.
 * @param {Saving} saving
 * @param {"stale" | "lease_lost" | "refused"} trouble
 * @param {number} nowSecs
 * @param {boolean} isKept
 * @returns {Saving}
 */
export function turnedDown(saving, trouble, nowSecs, isKept) {
  const order = trouble === "refused" ? null : saving.order;
  const acknowledgedSecs = addSecs(saving.acknowledgedSecs, isKept ? saving.flight : null);
  const changedAt = saving.changedAt ?? nowSecs;
  return { ...saving, flight: null, order, trouble, changedAt, acknowledgedSecs };
}

/**
 * A conflict is settled: work goes on from the newest revision.
 * @param {Saving} saving
 * @param {number | null} headId
 * @param {Objects} acknowledged what the server holds under it
 * @param {Objects} objects what shall be there
 * @param {number} nowSecs
 */
export function settle(saving, headId, acknowledged, objects, nowSecs) {
  const settled = { ...saving, parentId: headId, acknowledged, trouble: null, changedAt: null };
  return noteChange(settled, objects, nowSecs);
}

/**
 * The person is back, or the network: what waits may go at once.
 * @param {Saving} saving
 * @param {number} nowSecs
 * @returns {Saving}
 */
export function tryNow(saving, nowSecs) {
  if (saving.trouble === "signed_out") return { ...saving, trouble: "offline", retryAt: nowSecs };
  return saving.trouble === "offline" ? { ...saving, retryAt: nowSecs } : saving;
}

/**
 * The seconds at work that no revision holds yet, as a save reports them.
 * @param {number} activeSecs of the visit
 * @param {number} acknowledgedSecs
 */
export function unsentSecs(activeSecs, acknowledgedSecs) {
  return roundSecs(activeSecs - acknowledgedSecs);
}

/**
 * What is acknowledged once this save is; rounded, so that tenths add up to tenths.
 * @param {number} acknowledgedSecs
 * @param {{activeSecs: number} | null} flight
 */
export function addSecs(acknowledgedSecs, flight) {
  return roundSecs(acknowledgedSecs + (flight?.activeSecs ?? 0));
}

/** @param {Saving} saving @returns {SaveStatus} */
export function statusOf({ trouble, flight, changedAt, order }) {
  if (trouble) return trouble;
  if (flight || order) return "saving";
  return changedAt === null ? "saved" : "unsaved";
}

/**
 * @param {number} dueSecs
 * @param {number} nowSecs
 * @param {"send" | "repeat"} kind
 * @returns {Plan}
 */
function atTime(dueSecs, nowSecs, kind) {
  return nowSecs >= dueSecs ? { kind } : { kind: "wait", untilSecs: dueSecs };
}

/** @typedef {{count: number, trouble: "offline" | "signed_out" | null}} Outbox */

/** @type {Outbox} */
export const EMPTY_OUTBOX = { count: 0, trouble: null };

/**
 * How safe all work of the page is: the open image first, then what is on its way up.
 * @param {Pick<Model, "work" | "outbox">} model
 * @returns {SaveStatus}
 */
export function statusOfPage({ work, outbox }) {
  const status = work ? statusOf(work.saving) : "saved";
  if (outbox.count === 0) return status;
  if (status === "saved" || status === "saving") return outbox.trouble ?? "saving";
  return status;
}
