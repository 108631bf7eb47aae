/** Buttons that run commands and show their keys. */

import { formatChord } from "../state/chords.js";
import { chordFor } from "../state/keymap.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {(command: string) => void} Run */

/**
 * What a command is called: the page's words, or the party's.
 * @param {Model} model
 * @param {string} command
 */
export function labelOf(model, command) {
  const row = model.keymap.rows.find((one) => one.command === command);
  return row?.label ?? texts.commands[command] ?? command;
}

/**
 * The key cap of a command, or null where it has no key.
 * @param {Model} model
 * @param {string} command
 */
export function keyCap(model, command) {
  const chord = chordFor(model.keymap, command);
  return chord === null ? null : el("kbd", { text: formatChord(chord), aria: { hidden: "true" } });
}

/**
 * A square button with an icon; its name and key are its label and its tooltip.
 * @param {Model} model
 * @param {string} command
 * @param {import("./icons.js").IconName} iconName
 * @param {Run} run
 */
export function iconButton(model, command, iconName, run) {
  const chord = chordFor(model.keymap, command);
  const label = labelOf(model, command);
  return el(
    "button",
    {
      class: "icon-button",
      type: "button",
      title: chord ? `${label}  [${formatChord(chord)}]` : label,
      test: command,
      aria: chord ? { label, keyshortcuts: ariaChord(chord) } : { label },
      on: { click: (/** @type {MouseEvent} */ event) => (run(command), yieldFocus(event)) },
    },
    icon(iconName),
  );
}

/**
 * After a click by pointer the keys go to the image again; after one by key the focus stays.
 * @param {MouseEvent} event
 */
export function yieldFocus(event) {
  if (event.detail > 0) document.getElementById("stage")?.focus({ preventScroll: true });
}

/** @param {string} chord as aria-keyshortcuts wants it */
export function ariaChord(chord) {
  return chord.replace("Ctrl", "Control");
}
