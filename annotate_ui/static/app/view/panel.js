/** Parts of the panel: the checker's note, the wanted classes, the buttons that end the work. */

import { displayOfClass } from "../state/party.js";
import { isDrawing, isEnding } from "../state/model.js";
import { texts } from "../texts.js";
import { keyCap, stageButton, yieldFocus } from "./controls.js";
import { byId, el, setAttribute } from "./dom.js";
import { swatch } from "./class_chips.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {Run} from "./types.js" */

/** What is asked of the image: its task, campaigns, and for an annotator the checker's words. @param {Store<Model>} store */
export function mountReviewNote(store) {
  const section = byId("review-note");
  const show = (/** @type {Model} */ { page, work }) => {
    const review = isDrawing(page) ? (work?.task.review ?? null) : null;
    const campaigns = (work?.task.campaigns ?? []).flatMap((campaign) => [
      el("h2", { class: "section-title", text: texts.returned.again(campaign.name, campaign.made_by) }),
      el("p", { text: campaign.text, test: "campaign-text" }),
    ]);
    const asked = [...sayTaster(work?.task.taster), ...campaigns];
    section.hidden = review === null && asked.length === 0;
    if (!work) return;
    if (!review) return section.replaceChildren(...asked);
    const key = work.editor.selection?.key;
    const onObject = review.objects.find((verdict) => verdict.key === key && verdict.comment !== "");
    const others = review.objects.filter((verdict) => verdict.comment !== "" && verdict !== onObject);
    section.replaceChildren(
      ...asked,
      el("h2", { class: "section-title", text: texts.returned.title(review.checker) }),
      ...(review.comment ? [el("p", { class: "typed", text: review.comment, test: "review-comment" })] : []),
      ...(onObject ? [el("p", { class: "typed on-object", text: onObject.comment })] : []),
      ...others.map((verdict) => el("p", { class: "typed quiet", text: verdict.comment })),
    );
  };
  store.follow(show, ({ work }) => [work]);
}

/** For which task alone people are chosen on the image. @param {import("../types.js").Task["taster"]} taster */
function sayTaster(taster) {
  if (!taster) return [];
  const { title, text } = texts.tasters;
  return [
    el("h2", { class: "section-title", text: title[taster] }),
    el("p", { text: text[taster], test: "taster" }),
  ];
}

/**
 * @param {Store<Model>} store
 * @param {Run} run
 */
export function mountWanted(store, run) {
  const section = byId("wanted");
  const show = (/** @type {Model} */ model) => {
    setAttribute(section, "hidden", model.wanted.length === 0);
    if (model.wanted.length === 0) return section.replaceChildren();
    const names = model.wanted.map((name) =>
      el("li", {}, swatch(model, name), el("span", { text: displayOfClass(model.party, name) })),
    );
    section.replaceChildren(
      el("h2", { text: texts.wanted.title }),
      el("ul", { test: "wanted-classes" }, ...names),
      endButton(model, { command: "image.unwanted", text: texts.wanted.button, isMain: false }, run),
    );
  };
  store.follow(show, ({ wanted, keymap }) => [wanted, keymap]);
}

/** @typedef {{command: string, text: string, isMain: boolean}} Ending */

/**
 * @param {Store<Model>} store
 * @param {Run} run
 * @param {readonly Ending[]} endings
 */
export function mountEnding(store, run, endings) {
  const section = byId("ending");
  const fill = () => section.replaceChildren(...endings.map((ending) => endButton(store.get(), ending, run)));
  const show = (/** @type {Model} */ { work }) => {
    for (const button of section.querySelectorAll("button")) {
      button.disabled = work === null || isEnding(work);
    }
  };
  store.follow(fill, ({ keymap }) => [keymap]);
  store.follow(show);
}

/**
 * Focuses the image first, so that a dialog returns the focus there.
 * @param {Model} model
 * @param {Ending} ending
 * @param {Run} run
 */
function endButton(model, { command, text, isMain }, run) {
  return stageButton(
    { class: isMain ? "button main" : "button", test: command },
    (event) => {
      yieldFocus(event);
      run(command);
    },
    el("span", { text }),
    keyCap(model, command),
  );
}
