/** The palette of a party with many classes: a search, those used last with their keys, and groups to unfold. */

import { chordOf } from "../state/chords.js";
import { objectsIn } from "../state/editor.js";
import { chordFor } from "../state/keymap.js";
import { countClasses } from "../state/objects.js";
import { filterClasses, foldClasses, plainLetters } from "../state/party.js";
import { listByKey } from "../state/recent.js";
import { texts } from "../texts.js";
import { makeChip, showChips, stepFocus } from "./class_chips.js";
import { focusStage, searchField } from "./controls.js";
import { el, setAttribute } from "./dom.js";
import { sayChord } from "./words.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {ClassSpec} from "../types.js" */
/** @import {Run} from "./types.js" */

const MOST_MATCHES = 30;

/**
 * @param {HTMLElement} section
 * @param {Store<Model>} store
 * @param {Run} run
 */
export function mountSearchedPalette(section, store, run) {
  const { party } = store.get();
  const folds = foldClasses(party);
  const open = new Set(/** @type {string[]} */ ([]));
  const groups = el("div", {
    class: "palette-groups searched",
    role: "radiogroup",
    aria: { label: texts.palette.title },
    on: { keydown: (/** @type {KeyboardEvent} */ event) => onStep(event) },
  });
  const note = el("p", { class: "quiet", role: "status", test: "palette-note" });
  const field = makeSearch(party.classes, { onInput: () => draw(), onTake: take, onDown: focusFirst, leave });
  section.append(el("h2", { class: "unseen", text: texts.palette.title }), field, groups, note);
  store.follow(
    () => draw(),
    ({ keymap }) => [keymap],
  );
  store.follow(show, ({ keymap, work, lastClass }) => [keymap, work?.editor, lastClass]);

  function draw() {
    const model = store.get();
    const chord = chordFor(model.keymap, "class.filter");
    field.placeholder = chord ? `${texts.palette.filter}  [${sayChord(chord)}]` : texts.palette.filter;
    const typed = field.value.trim();
    const matches = typed ? filterClasses(party.classes, typed) : [];
    const shown = matches.slice(0, MOST_MATCHES);
    groups.replaceChildren(...(typed ? [chipGrid(model, shown, take)] : listFolds(model)));
    note.textContent = !typed ? "" : sayMatches(matches.length);
    note.hidden = !typed || (matches.length > 0 && matches.length <= MOST_MATCHES);
    groups.dataset.typed = String(Boolean(typed));
    show(model);
  }

  /** @param {Model} model */
  function listFolds(model) {
    const recent = listByKey(model.recent).flatMap((id) => party.classes.filter((spec) => spec.id === id));
    const title = el("h3", { class: "group-title", text: texts.palette.recent });
    const used = el("div", { class: "palette-recent" }, title, chipGrid(model, recent, choose));
    return [...(recent.length > 0 ? [used] : []), ...folds.map((fold) => showFold(model, fold))];
  }

  /** @type {(model: Model, fold: {path: string, classes: readonly ClassSpec[]}) => HTMLElement} */
  function showFold(model, { path, classes }) {
    const isOpen = open.has(path);
    const toggle = () => {
      if (isOpen) open.delete(path);
      else open.add(path);
      draw();
      listHeads()
        .find((head) => head.dataset.path === path)
        ?.focus();
    };
    const looks = { class: "fold", data: { path }, test: `fold:${path}`, tabindex: -1 };
    const head = el(
      "button",
      { ...looks, aria: { expanded: String(isOpen) }, on: { click: toggle } },
      el("span", { text: path || texts.palette.ungrouped }),
      el("b", { class: "fold-count" }),
      el("small", { text: String(classes.length) }),
    );
    return el("div", {}, head, isOpen ? chipGrid(model, classes, choose) : null);
  }

  /** @type {(model: Model, classes: readonly ClassSpec[], act: (spec: ClassSpec) => void) => HTMLElement} */
  function chipGrid(model, classes, act) {
    const chips = classes.map((spec) => makeChip(model, spec, () => act(spec)));
    return el("div", { class: "chip-grid" }, ...chips);
  }

  /** @param {Model} model */
  function show(model) {
    showChips(groups, model);
    const counts = countClasses(model.work ? objectsIn(model.work.editor) : []);
    for (const [at, head] of listHeads().entries()) {
      const marked = folds[at].classes.reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0);
      const text = marked > 0 ? `× ${marked}` : "";
      const count = /** @type {HTMLElement} */ (head.querySelector(".fold-count"));
      if (count.textContent !== text) count.textContent = text;
    }
    const first = /** @type {HTMLElement | null} */ (groups.querySelector("button"));
    if (first && !groups.querySelector('[tabindex="0"]')) setAttribute(first, "tabindex", 0);
  }

  function listHeads() {
    return /** @type {HTMLElement[]} */ ([...groups.querySelectorAll(".fold")]);
  }

  /** @param {ClassSpec} spec */
  function choose({ id }) {
    run(`class:${id}`);
  }

  /** What was searched is taken, and the keys go to the image. @param {ClassSpec} spec */
  function take(spec) {
    choose(spec);
    leave();
  }

  function leave() {
    field.value = "";
    draw();
    focusStage();
  }

  function focusFirst() {
    /** @type {HTMLElement | null} */ (groups.querySelector("button"))?.focus();
  }

  /** From the first class up is the search; Escape goes to the image. @param {KeyboardEvent} event */
  function onStep(event) {
    if (event.key === "Escape") {
      leave();
      return event.stopPropagation();
    }
    if (!stepFocus(groups, event) && event.key === "ArrowUp") field.focus();
  }
}

/** @param {number} count */
function sayMatches(count) {
  return count === 0 ? texts.palette.none : texts.palette.more(count - MOST_MATCHES);
}

/**
 * The field of the search: Enter takes the first match, the arrow down goes to the matches. Letters of a script in
 * which no class is written count as those of their keys.
 * @param {readonly ClassSpec[]} classes
 * @param {{onInput: () => void, onTake: (spec: ClassSpec) => void, onDown: () => void, leave: () => void}} parts
 */
function makeSearch(classes, { onInput, onTake, onDown, leave }) {
  const written = new Set(classes.flatMap(({ name, display }) => [...plainLetters(name + display)]));
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") leave();
    if (event.key === "ArrowDown") onDown();
    const letter = chordOf(event);
    const isForeign = /^[a-z]$/.test(letter) && !written.has(plainLetters(event.key));
    if (isForeign && letter !== event.key.toLowerCase()) {
      field.setRangeText(letter, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
      onInput();
    } else if (event.key === "Enter") {
      const [first] = field.value.trim() ? filterClasses(classes, field.value) : [];
      if (first) onTake(first);
      else leave();
    } else if (event.key !== "ArrowDown") return;
    event.preventDefault();
  };
  const field = searchField(texts.palette.filter, "class-filter", { input: onInput, keydown });
  return field;
}
