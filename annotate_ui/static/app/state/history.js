/** Undo and redo without limit: what was, what is, what could be again. */

/** @import {History} from "./types.js" */

/** @template T @param {T} present @returns {History<T>} */
export function startHistory(present) {
  return { past: [], present, future: [] };
}

/**
 * One more entry; the history itself where nothing changed.
 * @template T
 * @param {History<T>} history
 * @param {T} next
 * @returns {History<T>}
 */
export function commit(history, next) {
  if (next === history.present) return history;
  return { past: [...history.past, history.present], present: next, future: [] };
}

/**
 * The last entry changed once more, as while a key is held down: still one entry.
 * @template T
 * @param {History<T>} history
 * @param {T} next
 * @returns {History<T>}
 */
export function amend(history, next) {
  if (history.past.length === 0) return commit(history, next);
  return { past: history.past, present: next, future: [] };
}

/** @template T @param {History<T>} history @returns {History<T>} */
export function undo(history) {
  const { past, present, future } = history;
  if (past.length === 0) return history;
  return { past: past.slice(0, -1), present: past[past.length - 1], future: [present, ...future] };
}

/** @template T @param {History<T>} history @returns {History<T>} */
export function redo(history) {
  const { past, present, future } = history;
  if (future.length === 0) return history;
  return { past: [...past, present], present: future[0], future: future.slice(1) };
}
