/** What the answers about people, party codes and training hold. */

/** @typedef {{id: number, name: string, role: string, seen_at: string | null, created_at: string | null, ended_at: string | null, trained_at: string | null, walked_in: boolean}} Member */
/** @typedef {{id: number, code: string, people: number, most_people: number, expires_at: string | null, url: string, qr: string}} Code */
/** @typedef {{people: Member[], codes: Code[]}} Members */
/** @typedef {{person: Member, link: {url: string, qr: string}}} Invited */
/** @typedef {{image_url: string, width: number, height: number, objects: import("./wall.js").Boxed[]}} Example */
/** @typedef {{needed: number, passed: number, is_done: boolean, trained_at: string | null, trials: {image_id: number, is_passed: boolean, says: string[], note: string}[]}} Progress */
/** @typedef {Progress & {examples: Record<string, Example[]>}} Training */

export {};
