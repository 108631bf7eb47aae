/** @import {Shares} from "./state/types.js" */

/**
 * The words that the modules share, as types only: what the interface sends (/api/v1/openapi.json), and what the page edits.
 *
 * @typedef {import("./geometry/types.js").VocBox} VocBox
 * @typedef {import("./geometry/types.js").Point} Point
 * @typedef {import("./geometry/types.js").Size} Size
 *
 * @typedef {{name: string, box: VocBox}} Part
 *
 * An object as the interface sends it.
 * @typedef {{
 *   key: string, class: string, box: VocBox, view: string,
 *   truncated: boolean, occluded: boolean, unsure: boolean, difficult: boolean,
 *   actions: readonly string[], point: Point | null, parts: readonly Part[], drawn_secs: number,
 * }} SentObject
 *
 * An object as the page edits it. `truncatedBy` says who decided the flag last; it is never sent.
 * @typedef {Omit<SentObject, "drawn_secs"> & {truncatedBy: "border" | "person"} & Partial<Segment>} Annotated
 *
 * What only the segmentation page knows of an object: its outlines, how far in front it is, the one that is not
 * closed yet, and whether it is a void region instead of an object.
 * @typedef {{rings: Rings, depth: number, open: {points: Ring, isHole: boolean} | null, isVoid: boolean}} Segment
 * @typedef {readonly number[]} Ring
 * @typedef {readonly Ring[]} Rings
 *
 * @typedef {{
 *   id: number, parent_id: number | null, saved_at: string, finished: boolean,
 *   discard_reason: string | null, comment: string, unsure_classes: string[],
 *   objects: SentObject[],
 * }} Revision
 *
 * @typedef {{
 *   name: string, display: string, groups: string[], short_rule: string,
 *   has_views: boolean, has_parts: boolean, has_actions: boolean,
 * }} ClassSpec
 * @typedef {{name: string, display: string}} Named
 * @typedef {{name: string, display: string, most: number}} PartSpec
 * @typedef {{name: string, display: string, excludes_others: boolean}} ActionSpec
 *
 * @typedef {{
 *   name: string, classes: ClassSpec[], views: Named[], flags: string[], parts: PartSpec[],
 *   actions: ActionSpec[], discard_reasons: Named[], min_box_px: number, max_objects: number,
 *   lease_secs: number, images_ahead: number, judge_each_object: boolean, guidelines_html: string, guidelines_number: number,
 *   classes_number: number, former_classes: Record<string, string>,
 * }} Party
 *
 * @typedef {{id: number, name: string, role: string}} Person
 * @typedef {{person: Person, party_id: string, csrf_token: string, server_time: string}} Session
 * @typedef {{id: number, expires_at: string}} Lease
 * @typedef {{key: string, verdict: string, comment: string}} ObjectVerdict
 *
 * @typedef {{
 *   image_id: number, kind: import("./state/types.js").Page, image_url: string, width: number, height: number,
 *   photo: {title: string, owner_name: string, page_url: string} | null,
 *   lease: Lease, annotation: Revision | null,
 *   review: {comment: string, checker: string, objects: ObjectVerdict[]} | null,
 *   shows?: string | null, campaigns?: {name: string, by: string, text: string}[],
 *   author?: {id: number, name: string}, findings?: Found[], is_released?: boolean, rounds?: Round[], changes?: Change[],
 *   boxes_id?: number, void_width_px?: number,
 * }} Task
 *
 * What may have changed since the page was opened; with no wanted classes, all are.
 * @typedef {{wanted_classes: string[], guidelines_number: number, classes_number: number}} Live
 * @typedef {{
 *   task: Task | null, ahead?: Task[], reason?: string, left: number, live: Live,
 * }} TaskAnswer
 *
 * @typedef {{check: string, severity: string, object_key: string | null, message: string}} Finding
 * A finding that a checker may judge.
 * @typedef {Finding & {id: number, verdict: "right" | "wrong" | "mended" | null}} Found
 *
 * A verdict on an image in an earlier round of checking.
 * @typedef {{verdict: string, checker: string, at: string, comment: string,
 *   objects: {key: string, class: string, verdict: string, comment: string}[]}} Round
 *
 * What a trainee is told after a training image.
 * @typedef {{is_passed: boolean, note: string, needed: number, passed: number,
 *   is_done: boolean}} Trained
 * @typedef {{annotation: Revision, state: string, lease: Lease | null, findings: Finding[],
 *   feedback?: string[], training?: Trained}} Saved
 * @typedef {{image_id: number, state: string, saved_at: string, image_url: string,
 *   objects: number}} MineEntry
 *
 * What is selected: an object, or one of its parts.
 * @typedef {{key: string, part: number | null}} Target
 */

/**
 * @typedef {Found & {image_id: number | null, picture_url: string | null}} FindingRow
 * @typedef {{name: string, severity: string, explanation: string, open: number, right: number,
 *   wrong: number, mended: number, precision: [number, number, number] | null,
 *   is_on: boolean}} CheckRow
 * @typedef {{findings: FindingRow[], next: string | null, open: Record<string, number>,
 *   checks: CheckRow[], number: number}} FindingsAnswer
 * @typedef {{name: string, display: string, waiting: number, holder: string | null}} WaitingClass
 * @typedef {{image_id: number, key: string, size: [number, number], difficult: boolean,
 *   changed: boolean, crop_url: string}} CropRow
 *
 * @typedef {{image_url: string, width: number, height: number}} Picture
 * @typedef {Picture & {image_id: number}} Thumbnail
 * An object that differs between two revisions.
 * @typedef {{key: string, kind: "added" | "removed" | "moved" | "changed", fields: string[],
 *   before: SentObject | null, after: SentObject | null}} Change
 * @typedef {{checker: string, verdict: string, comment: string, reviewed_at: string, set_aside: boolean}} Said
 * @typedef {{id: number, saved_at: string, person: {name: string}, finished: boolean,
 *   beside: boolean, set_aside: boolean, head: boolean, discarded: string | null, comment: string,
 *   objects: number, corrects: Said | null, reviews: Said[], releases: string[]}} RevisionRow
 * @typedef {Picture & {image_id: number, may_restore: boolean, revisions: RevisionRow[]}} History
 * @typedef {Picture & Said & {review_id: number, image_id: number, after_id: number | null,
 *   comments: {class: string, text: string}[], changes: Change[], same: SentObject[]}} Outcome
 * @typedef {{outcomes: Outcome[], next: number | null,
 *   weeks: {week: string, judged: number, accepted: number, gold_objects: number, gold_found: number}[],
 *   remarks: {id: number, image_id: number, from: string, text: string, written_at: string}[]}} Feedback
 */

export {};

/** @typedef {{key: string, class: string, box: [number, number, number, number]}} Boxed */
/** @typedef {{annotation_id: number, image_id: number, image_url: string, width: number, height: number, author: {id: number, name: string}, saved_at: string, discarded: string | null, state: string, may_return: boolean, objects: Boxed[], remarks: {text: string, is_seen: boolean}[]}} WallItem */
/** @typedef {{at: string, items: WallItem[]}} Wall */
/** @typedef {{id: number, text: string, from: string, written_at: string, image_id: number, image_url: string, object_key: string | null}} Remark */

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
