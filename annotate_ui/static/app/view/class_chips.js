/** A class as a chip of the palette: its look, its name, its key and how many are marked. */

import { lookOf } from "../state/display.js";
import { listChosen, objectsIn } from "../state/editor.js";
import { chordFor } from "../state/keymap.js";
import { countClasses } from "../state/objects.js";
import { ariaChord, keyCap, stageButton } from "./controls.js";
import { el } from "./dom.js";

/** @import {Model} from "../state/types.js" */
/** @import {ClassSpec} from "../types.js" */

/**
 * @param {Model} model
 * @param {ClassSpec} spec
 * @param {(event: MouseEvent) => void} choose
 */
export function makeChip(model, spec, choose) {
  const command = `class:${spec.id}`;
  const chord = chordFor(model.keymap, command);
  const aria = chord ? { keyshortcuts: ariaChord(chord) } : undefined;
  return stageButton(
    {
      class: "class-chip",
      role: "radio",
      title: spec.short_rule,
      test: command,
      data: { class: spec.id },
      aria,
    },
    choose,
    swatch(model, spec.id),
    el("span", { class: "class-name", text: spec.display }),
    el("span", { class: "class-count" }),
    keyCap(model, command),
  );
}

/** A sample of the class's line as it is drawn. @type {(model: Model, classId: string) => HTMLElement} */
export function swatch(model, classId) {
  const { hue, dash } = lookOf(model.looks, classId);
  return el("span", {
    class: "swatch",
    data: { hue: String(hue), dash: String(dash) },
    aria: { hidden: "true" },
  });
}

/** The class of what is selected, else that of the next box; null where several are of different ones. @param {Model} model */
function chosenClass({ work, lastClass }) {
  const names = new Set(work ? listChosen(work.editor).map((object) => object.class) : []);
  if (names.size > 1) return null;
  return [...names][0] ?? lastClass;
}

/** Checked: the class of what is selected, else the next box's. @type {(groups: HTMLElement, model: Model) => void} */
export function showChips(groups, model) {
  const chosen = chosenClass(model) ?? "";
  const counts = countClasses(model.work ? objectsIn(model.work.editor) : []);
  for (const chip of /** @type {NodeListOf<HTMLElement>} */ (groups.querySelectorAll(".class-chip"))) {
    const name = chip.dataset.class ?? "";
    const marked = counts.get(name) ?? 0;
    chip.setAttribute("aria-checked", String(name === chosen));
    chip.tabIndex = name === (chosen || model.lastClass) ? 0 : -1;
    const isNew = name === chosen && groups.dataset.chosen !== name;
    // With the next frame, when the page is laid out anyway.
    if (isNew) requestAnimationFrame(() => chip.scrollIntoView({ block: "nearest" }));
    chip.dataset.count = String(marked);
    const badge = /** @type {HTMLElement} */ (chip.querySelector(".class-count"));
    badge.textContent = marked === 0 ? "" : String(marked);
  }
  groups.dataset.chosen = chosen;
}

/** @type {Readonly<Record<string, number>>} */
const STEPS = { ArrowRight: 1, ArrowDown: 2, ArrowLeft: -1, ArrowUp: -2 };

/**
 * All classes are one stop of the Tab key; arrow keys go from class to class. Gives whether there was one to go to.
 * @type {(groups: HTMLElement, event: KeyboardEvent) => boolean}
 */
export function stepFocus(groups, { key, target }) {
  const step = STEPS[key];
  if (step === undefined) return false;
  const chips = /** @type {HTMLElement[]} */ ([...groups.querySelectorAll("button:not([hidden])")]);
  const at = chips.indexOf(/** @type {HTMLElement} */ (target)) + step;
  chips[Math.min(Math.max(at, 0), chips.length - 1)]?.focus();
  return at >= 0 && at < chips.length;
}
