/** The keyboard: chords to commands, wherever the focus is but in a field or a dialog. */

import { chordOf } from "../state/chords.js";

/** A press of the space bar that is shorter and moved nothing was a tap. */
const TAP_WITHIN_MS = 350;
/** Keys that a focused control needs for itself. */
const CONTROL_CHORDS = ["Enter", "Space"];
const LIST_CHORDS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"];

/**
 * @typedef {{
 *   commandOf: (chord: string) => string | undefined,
 *   run: (command: string, press: {isRepeat: boolean, code: string}) => void,
 *   touch: () => void,
 * }} Listener
 * @typedef {{isSpaceDown: () => boolean, spendSpace: () => void}} Keys
 */

/**
 * @param {Listener} listener
 * @returns {Keys}
 */
export function listenToKeys(listener) {
  let spaceDownAt = /** @type {number | null} */ (null);
  let isSpaceSpent = false;

  for (const sign of ["keydown", "pointerdown", "wheel"]) {
    document.addEventListener(sign, listener.touch, { capture: true, passive: true });
  }
  document.addEventListener("keydown", (event) => {
    const chord = chordOf(event);
    if (isElsewhere(event, chord)) return;
    if (chord === "Space") {
      event.preventDefault();
      if (!event.repeat) [spaceDownAt, isSpaceSpent] = [event.timeStamp, false];
      return;
    }
    const command = listener.commandOf(chord);
    if (!command) return;
    event.preventDefault();
    listener.run(command, { isRepeat: event.repeat, code: event.code });
  });

  document.addEventListener("keyup", (event) => {
    if (event.code !== "Space" || spaceDownAt === null) return;
    const isTap = !isSpaceSpent && event.timeStamp - spaceDownAt < TAP_WITHIN_MS;
    spaceDownAt = null;
    const command = listener.commandOf("Space");
    if (isTap && command) listener.run(command, { isRepeat: false, code: "Space" });
  });

  addEventListener("blur", () => (spaceDownAt = null));
  return {
    isSpaceDown: () => spaceDownAt !== null,
    spendSpace: () => (isSpaceSpent = true),
  };
}

/**
 * Whether the key belongs to a dialog, a field, or a control that has the focus.
 * @param {KeyboardEvent} event
 * @param {string} chord
 */
function isElsewhere(event, chord) {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) {
    return true;
  }
  if (!(event.target instanceof HTMLElement)) return false;
  if (event.target.closest("input, textarea, select")) return true;
  const isControl = event.target.closest("button, a, summary, [role=option], [role=radio]");
  if (isControl && CONTROL_CHORDS.includes(chord)) return true;
  const list = event.target.closest("[role=listbox], [role=radiogroup], .guide");
  return list !== null && LIST_CHORDS.includes(chord);
}
