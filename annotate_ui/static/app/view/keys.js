/** Key presses that no module hears: those that only end composed input, and held keys that would choose. */

import { isForNobody, isHeldChoice } from "../state/chords.js";

/** @import {KeyPress} from "../state/types.js" */

const TYPED =
  "textarea, input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range])";
const CONTROL = "button, a, summary, input, select, dialog, [role=option], [role=radio]";

/** Which held keys a page repeats beyond those that move. @type {{mayRepeat: (press: KeyPress) => boolean}} */
const page = { mayRepeat: () => false };

/** Lets the page repeat what it says while a key is held, as zooming. @param {(press: KeyPress) => boolean} mayRepeat */
export function allowRepeats(mayRepeat) {
  page.mayRepeat = mayRepeat;
}

/** Before all other listeners, since the window comes first on the way down. */
export function guardKeys() {
  if (typeof document === "undefined") return; // a test of pure modules
  addEventListener("keydown", onKeyDown, { capture: true });
}

/** @param {KeyboardEvent} event */
function onKeyDown(event) {
  const target = event.target instanceof Element ? event.target : null;
  const isTyping = Boolean(target?.closest(TYPED));
  if (isForNobody(event)) return event.stopImmediatePropagation();
  if (!event.repeat || !isHeldChoice(event, isTyping) || (!isTyping && page.mayRepeat(event))) return;
  event.stopImmediatePropagation();
  // A held Enter or Space would press the control that has the focus by now, or submit its form.
  const isOfPage = target?.closest(CONTROL) || document.body.dataset["screen"] !== undefined;
  if (isOfPage && !(target instanceof HTMLTextAreaElement)) event.preventDefault();
}
