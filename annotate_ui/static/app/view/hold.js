/** Confirming by holding a key: press, read, let go. */

/** How long the key must be held, so that a tap never confirms. */
export const HOLD_MS = 450;

/**
 * Watches a key that is down already: `onReady` when it was held long enough, `onConfirm` when it
 * is let go after that. Let go sooner, nothing happens and the question stays open.
 * @param {string} code of the key, as KeyboardEvent.code
 * @param {{onReady: () => void, onConfirm: () => void}} then
 * @returns {() => void} to stop watching
 */
export function watchHold(code, { onReady, onConfirm }) {
  const openedAt = performance.now();
  let isReady = false;
  const timer = setTimeout(() => {
    isReady = true;
    onReady();
  }, HOLD_MS);
  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener("keyup", onKeyUp, true);
    removeEventListener("blur", stop);
  };
  const onKeyUp = (/** @type {KeyboardEvent} */ event) => {
    if (event.code !== code) return;
    stop();
    event.preventDefault();
    // Told by the key's own time: to a slow page a tap comes after the moment has passed.
    if (isReady && event.timeStamp - openedAt >= HOLD_MS) onConfirm();
  };
  document.addEventListener("keyup", onKeyUp, true);
  addEventListener("blur", stop);
  return stop;
}
