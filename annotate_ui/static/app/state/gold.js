/** Gold and training images, as docs/api.md sends them. */

/**
 * @typedef {{id: number, name: string}} Who
 * @typedef {{person: Who, is_passed: boolean, found: number, objects: number, drawn: number,
 *   mean_overlap: number | null}} GoldAnswer
 * @typedef {{
 *   image_id: number, image_url: string, width: number, height: number, is_training: boolean,
 *   note: string, chosen_by: string, chosen_at: string, is_changed: boolean,
 *   objects: import("./wall.js").Boxed[], answers: GoldAnswer[],
 * }} GoldRow
 * @typedef {{image_id: number, image_url: string, width: number, height: number,
 *   objects: import("./wall.js").Boxed[], gold: GoldRow | null}} GoldChoice
 * @typedef {{person: Who, needed: number, passed: number, failed: number, is_stuck: boolean,
 *   seen_at: string | null}} TraineeRow
 * @typedef {[number, number, number]} Share
 * @typedef {{person: Who, images: number, passed: number, found: Share | null,
 *   right: Share | null}} GoldRecord
 * @typedef {{shares: import("./board.js").Shares, images: GoldRow[], people: GoldRecord[],
 *   trainees: TraineeRow[]}} GoldPage
 */

export {};
