/** The palette: every class in its group, with its key, its look and how many are marked. */

import { filterClasses, groupClasses } from "../state/party.js";
import { hasMany } from "../state/recent.js";
import { texts } from "../texts.js";
import { makeChip, showChips, stepFocus } from "./class_chips.js";
import { focusStage, searchField } from "./controls.js";
import { byId, el } from "./dom.js";
import { mountSearchedPalette } from "./searched_palette.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {Run} from "./types.js" */

/**
 * @param {HTMLElement} section
 * @param {Store<Model>} store
 * @param {Run} run
 */
export function mountPalette(section, store, run) {
  if (hasMany(store.get().party)) return mountSearchedPalette(section, store, run);
  const groups = el("div", {
    class: "palette-groups",
    role: "radiogroup",
    aria: { label: texts.palette.title },
    on: { keydown: (/** @type {KeyboardEvent} */ event) => void stepFocus(groups, event) },
  });
  const none = el("p", { class: "quiet", text: texts.palette.none, hidden: true });
  const filter = makeFilter(store, run, () => narrow(groups, none, store.get(), filter.value));
  section.append(el("h2", { class: "unseen", text: texts.palette.title }), filter, groups, none);

  const makeGroups = (/** @type {Model} */ model) =>
    groupClasses(model.party).map(({ group, classes }) => {
      const title = el(group ? "h3" : "span", { class: "group-title", text: group ?? "" });
      const chips = classes.map((spec) => makeChip(model, spec, () => run(`class:${spec.id}`)));
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
    (model) => showChips(groups, model),
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
