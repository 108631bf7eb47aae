/** What the wall's answers hold. */

/** @typedef {{key: string, class: string, box: [number, number, number, number]}} Boxed */
/** @typedef {{annotation_id: number, image_id: number, image_url: string, width: number, height: number, author: {id: number, name: string}, saved_at: string, is_discarded: boolean, state: string, may_return: boolean, objects: Boxed[], remarks: {text: string, is_seen: boolean}[]}} WallItem */
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
