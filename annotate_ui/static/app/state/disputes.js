/** The organisers' queue of disputes, as docs/api.md sends it. */

/**
 * @typedef {{
 *   image_id: number, image_url: string, width: number, height: number, state: string,
 *   since: string, may_settle: boolean, holder: {id: number, name: string} | null,
 *   author: {id: number, name: string}, objects: import("./wall.js").Boxed[],
 *   rounds: import("../types.js").Round[],
 * }} Dispute
 * @typedef {{at: string, most_returns: number, disputes: Dispute[]}} Disputes
 */

export {};
