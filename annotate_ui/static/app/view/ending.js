/** The buttons that end the work on an image, at the foot of the panel. */

import { isEnding } from "../state/tracking.js";
import { keyCap, yieldFocus } from "./controls.js";
import { el } from "./dom.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {{command: string, text: string, isMain: boolean}} Ending */

/**
 * @param {HTMLElement} section
 * @param {import("../state/store.js").Store<Model>} store
 * @param {import("./controls.js").Run} run
 * @param {readonly Ending[]} endings
 */
export function mountEnding(section, store, run, endings) {
  const fill = () =>
    section.replaceChildren(...endings.map((ending) => makeButton(store.get(), ending, run)));
  const show = (/** @type {Model} */ { work }) => {
    for (const button of section.querySelectorAll("button")) {
      button.disabled = work === null || isEnding(work);
    }
  };
  fill();
  show(store.get());
  store.subscribe((model, before) => {
    if (model.keymap !== before.keymap) fill();
    show(model);
  });
}

/**
 * @param {Model} model
 * @param {Ending} ending
 * @param {import("./controls.js").Run} run
 */
function makeButton(model, { command, text, isMain }, run) {
  return el(
    "button",
    {
      class: isMain ? "button main" : "button",
      type: "button",
      test: command,
      on: { click: (/** @type {MouseEvent} */ event) => (yieldFocus(event), run(command)) },
    },
    el("span", { text }),
    keyCap(model, command),
  );
}
