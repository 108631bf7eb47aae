/** What the organisers' pages are sent: wall, gold and training images, disputes, people. */

/** @import {Round} from "../types.js" */
/** @import {Shares} from "./board.js" */

/** @typedef {{key: string, class: string, box: [number, number, number, number]}} Boxed */
/** @typedef {{annotation_id: number, image_id: number, image_url: string, width: number, height: number, author: {id: number, name: string}, saved_at: string, discarded: string | null, state: string, may_return: boolean, objects: Boxed[], remarks: {text: string, is_seen: boolean}[]}} WallItem */
/** @typedef {{at: string, items: WallItem[]}} Wall */
/** @typedef {{id: number, text: string, from: string, written_at: string, image_id: number, image_url: string, object_key: string | null}} Remark */

/**
 * The newest items before those that were shown, each once; what is known already is as it is now.
 * @param {readonly WallItem[]} shown
 * @param {readonly WallItem[]} fresh
 * @returns {WallItem[]}
 */
export function mergeWall(shown, fresh) {
  const byId = new Map([...shown, ...fresh].map((item) => [item.annotation_id, item]));
  return [...byId.values()].sort((one, other) => other.annotation_id - one.annotation_id);
}

/**
 * @typedef {{id: number, name: string}} Who
 * @typedef {{person: Who, is_passed: boolean, found: number, objects: number, drawn: number,
 *   mean_overlap: number | null}} GoldAnswer
 * @typedef {{
 *   image_id: number, image_url: string, width: number, height: number, is_training: boolean,
 *   note: string, chosen_by: string, chosen_at: string, is_changed: boolean,
 *   objects: Boxed[], answers: GoldAnswer[],
 * }} GoldRow
 * @typedef {{image_id: number, image_url: string, width: number, height: number,
 *   objects: Boxed[], gold: GoldRow | null}} GoldChoice
 * @typedef {{person: Who, needed: number, passed: number, failed: number, is_stuck: boolean,
 *   seen_at: string | null}} TraineeRow
 * @typedef {[number, number, number]} Share
 * @typedef {{person: Who, images: number, passed: number, found: Share | null,
 *   right: Share | null}} GoldRecord
 * @typedef {{shares: Shares, images: GoldRow[], people: GoldRecord[],
 *   trainees: TraineeRow[]}} GoldPage
 */

/**
 * @typedef {{
 *   image_id: number, image_url: string, width: number, height: number, state: string,
 *   since: string, may_settle: boolean, holder: {id: number, name: string} | null,
 *   author: {id: number, name: string}, objects: Boxed[],
 *   rounds: Round[],
 * }} Dispute
 * @typedef {{at: string, most_returns: number, disputes: Dispute[]}} Disputes
 */

/** @typedef {{id: number, name: string, role: string, seen_at: string | null, created_at: string | null, ended_at: string | null, trained_at: string | null, walked_in: boolean}} Member */
/** @typedef {{image_id: number, image_url: string | null, width: number, height: number, state: string, state_at: string, reason: string | null, author: Who | null, title: string, objects: Boxed[]}} FoundImage */
/** @typedef {{filters: Record<string, string>, total: number, is_more: boolean, images: FoundImage[], next: number | null}} Images */
/** @typedef {{name: string, fields: string[], guidelines: number | null, comment: string, ids?: number[], filters?: Record<string, string>}} CampaignWish */
/** @typedef {{id: number, code: string, people: number, most_people: number, expires_at: string | null, url: string, qr: string}} Code */
/** @typedef {{people: Member[], codes: Code[]}} Members */
/** @typedef {{person: Member, link: {url: string, qr: string}}} Invited */
/** @typedef {{image_url: string, width: number, height: number, objects: Boxed[]}} Example */
/** @typedef {{needed: number, passed: number, is_done: boolean, trained_at: string | null, trials: {image_id: number, is_passed: boolean, says: string[], note: string}[]}} Progress */
/** @typedef {Progress & {examples: Record<string, Example[]>}} Training */
