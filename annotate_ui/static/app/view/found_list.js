/** What the checks found, beside the image: of the whole, and of the selected object. */

import { objectsIn } from "../state/editor.js";
import { findingInHand, listShown } from "../state/found.js";
import { texts } from "../texts.js";
import { keyCap, yieldFocus } from "./controls.js";
import { el } from "./dom.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../types.js").Found} Found */
/** @typedef {import("../state/found.js").Word} Word */
/** @typedef {{onJudge: (found: Found, word: Word) => void, onElsewhere: () => void}} Listener */

/**
 * @param {HTMLElement} section
 * @param {import("../state/store.js").Store<Model>} store
 * @param {Listener} listener
 */
export function mountFoundList(section, store, listener) {
  const show = (/** @type {Model} */ model) => {
    const { work } = model;
    const key = work?.editor.selection?.key ?? null;
    const found = listStanding(model);
    const shown = listShown(found, key);
    const hand = findingInHand(found, key);
    const rest = found.filter((one) => one.verdict === null && !shown.includes(one)).length;
    section.hidden = found.length === 0;
    section.replaceChildren(
      ...shown.map((one) => makeLine(model, one, one === hand, listener)),
      ...(rest > 0 ? [elsewhere(rest, listener)] : []),
    );
  };
  show(store.get());
  store.subscribe((model, before) => {
    if (seen(model).some((value, at) => value !== seen(before)[at])) show(model);
  });
}

/**
 * The findings whose object is still there: one that was removed says no more.
 * @param {Model} model
 * @returns {readonly Found[]}
 */
function listStanding({ work }) {
  if (!work) return [];
  const keys = new Set(objectsIn(work.editor).map(({ key }) => key));
  return work.found.filter((one) => one.object_key === null || keys.has(one.object_key));
}

/** @param {Model} model */
function seen({ work, keymap }) {
  return [work?.found, work?.editor.selection?.key, work && objectsIn(work.editor), keymap];
}

/**
 * @param {Model} model
 * @param {Found} found
 * @param {boolean} isInHand
 * @param {Listener} listener
 */
function makeLine(model, found, isInHand, { onJudge }) {
  const button = (/** @type {Word} */ word) =>
    el(
      "button",
      {
        class: `button small ${word}`,
        type: "button",
        test: `found-${word}`,
        title: texts.found.title[word],
        aria: { pressed: String(found.verdict === word) },
        on: { click: (/** @type {MouseEvent} */ event) => (yieldFocus(event), onJudge(found, word)) },
      },
      el("span", { text: texts.found[word] }),
      isInHand ? keyCap(model, `finding.${word}`) : null,
    );
  return el(
    "div",
    {
      class: isInHand ? "found-line in-hand" : "found-line",
      test: "found",
      data: { severity: found.severity, verdict: found.verdict ?? "", check: found.check },
    },
    el("p", {}, el("b", { text: `${texts.found.severity[found.severity]} ` }), found.message),
    button("right"),
    button("wrong"),
  );
}

/**
 * @param {number} number
 * @param {Listener} listener
 */
function elsewhere(number, { onElsewhere }) {
  return el("button", {
    class: "found-elsewhere",
    type: "button",
    text: texts.found.elsewhere(number),
    test: "found-elsewhere",
    on: { click: (/** @type {MouseEvent} */ event) => (yieldFocus(event), onElsewhere()) },
  });
}
