/** The palette: every class in its group, with its key, its look and how many are marked. */

import { lookOf } from "../state/display.js";
import { listChosen, objectsIn } from "../state/editor.js";
import { chordFor } from "../state/keymap.js";
import { countClasses } from "../state/objects.js";
import { filterClasses, groupClasses } from "../state/party.js";
import { texts } from "../texts.js";
import { ariaChord, focusStage, keyCap, searchField, stageButton } from "./controls.js";
import { byId, el } from "./dom.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {ClassSpec} from "../types.js" */
/** @import {Run} from "./types.js" */

/**
 * @param {HTMLElement} section
 * @param {Store<Model>} store
 * @param {Run} run
 */
export function mountPalette(section, store, run) {
  const groups = el("div", {
    class: "palette-groups",
    role: "radiogroup",
    aria: { label: texts.palette.title },
    on: { keydown: (/** @type {KeyboardEvent} */ event) => stepFocus(groups, event) },
  });
  const none = el("p", { class: "quiet", text: texts.palette.none, hidden: true });
  const filter = makeFilter(store, run, () => narrow(groups, none, store.get(), filter.value));
  section.append(el("h2", { class: "unseen", text: texts.palette.title }), filter, groups, none);

  const makeGroups = (/** @type {Model} */ model) =>
    groupClasses(model.party).map(({ group, classes }) => {
      const title = el(group ? "h3" : "span", { class: "group-title", text: group ?? "" });
      const chips = classes.map((spec) => makeChip(model, spec, run));
      return el(
        "div",
        { class: "palette-group", role: "presentation" },
        title,
        el("div", { class: "chip-grid" }, ...chips),
      );
    });
  store.follow(
    (model) => groups.replaceChildren(...makeGroups(model)),
    ({ keymap }) => [keymap],
  );
  store.follow(
    (model) => showState(groups, model),
    ({ keymap, work, lastClass }) => [keymap, work?.editor, lastClass],
  );
}

/** Focuses the field that narrows the palette, and selects its text. */
export function focusFilter() {
  const field = byId("palette").querySelector("input");
  field?.focus();
  field?.select();
}

/**
 * The field that narrows the palette: Enter takes the first class that is left, and none where nothing was typed.
 * @type {(store: Store<Model>, run: Run, onInput: () => void) => HTMLInputElement}
 */
function makeFilter(store, run, onInput) {
  const leave = () => {
    field.value = "";
    onInput();
    focusStage();
  };
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") leave();
    if (event.key !== "Enter") return;
    const [first] = field.value.trim() ? filterClasses(inOrder(store.get()), field.value) : [];
    if (first) run(`class:${first.id}`);
    leave();
    event.preventDefault();
  };
  const field = searchField(texts.palette.filter, "class-filter", { input: onInput, keydown });
  return field;
}

/**
 * @param {Model} model
 * @param {ClassSpec} spec
 * @param {Run} run
 */
function makeChip(model, spec, run) {
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
    () => run(command),
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
function showState(groups, model) {
  const chosen = chosenClass(model) ?? "";
  const counts = countClasses(model.work ? objectsIn(model.work.editor) : []);
  for (const chip of /** @type {NodeListOf<HTMLElement>} */ (groups.querySelectorAll("button"))) {
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

/**
 * Twenty classes are one stop of the Tab key; arrow keys go from class to class.
 * @type {(groups: HTMLElement, event: KeyboardEvent) => void}
 */
function stepFocus(groups, { key, target }) {
  const steps = /** @type {Record<string, number>} */ ({
    ArrowRight: 1,
    ArrowDown: 2,
    ArrowLeft: -1,
    ArrowUp: -2,
  });
  const chips = [...groups.querySelectorAll("button:not([hidden])")];
  const at = chips.indexOf(/** @type {Element} */ (target)) + (steps[key] ?? 0);
  const next = chips[Math.min(Math.max(at, 0), chips.length - 1)];
  if (key in steps && next instanceof HTMLElement) next.focus();
}

/**
 * @param {HTMLElement} groups
 * @param {HTMLElement} none
 * @param {Model} model
 * @param {string} typed
 */
function narrow(groups, none, model, typed) {
  const left = new Set(filterClasses(inOrder(model), typed).map((spec) => spec.id));
  for (const chip of groups.querySelectorAll("button")) {
    chip.hidden = !left.has(chip.dataset.class ?? "");
  }
  for (const group of /** @type {NodeListOf<HTMLElement>} */ (groups.querySelectorAll(".palette-group"))) {
    group.hidden = !group.querySelector("button:not([hidden])");
  }
  none.hidden = left.size > 0;
}

/** @param {Model} model */
function inOrder(model) {
  return groupClasses(model.party).flatMap(({ classes }) => classes);
}
