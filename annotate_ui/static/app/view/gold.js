/** The question whether an image becomes gold, or a training image. */

import { explain } from "../api.js";
import { texts } from "../texts.js";
import { ask } from "./dialog.js";
import { el } from "./dom.js";

/** @import {Api} from "../types.js" */

/** @typedef {{is_training: boolean, note: string}} Choice */

const words = texts.gold;

/**
 * @param {Choice} before
 * @param {{onSave: (choice: Choice) => void, onCancel: () => void}} listener
 */
export function makeGoldForm(before, { onSave, onCancel }) {
  const kinds = /** @type {const} */ (["gold", "training"]).map((kind) => {
    const checked = (kind === "training") === before.is_training;
    const input = el("input", { type: "radio", name: "kind", value: kind, checked, test: `gold-${kind}` });
    return el("label", { class: "radio line" }, input, el("span", { text: words.kinds[kind] }));
  });
  const note = el("textarea", { class: "field", rows: 2, maxlength: 2000, test: "gold-note" });
  note.value = before.note;
  const submit = () => {
    const is_training = form.querySelector("input[value=training]:checked") !== null;
    onSave({ is_training, note: note.value.trim() });
  };
  const acts = [
    el("button", { class: "button", text: words.cancel, on: { click: onCancel } }),
    el("button", { type: "submit", class: "button main", text: words.save, test: "gold-save" }),
  ];
  const fields = [
    el("fieldset", {}, ...kinds),
    el("label", { class: "stacked" }, el("span", { text: words.note }), note),
    el("p", { class: "acts dialog-choices" }, ...acts),
  ];
  const form = el("form", { class: "ask", test: "gold-form", on: { submit } }, ...fields);
  return form;
}

/**
 * Asks whether an image becomes gold, with the revision of the task as the reference, and does it.
 * @param {{image_id: number, annotation: {id: number} | null} | undefined} task
 * @param {Pick<Api, "goldOf" | "chooseGold">} api
 * @param {(text: string, tone: "ok" | "warn") => void} tell
 */
export async function chooseGold(task, api, tell) {
  if (!task?.annotation) return;
  const {
    image_id: imageId,
    annotation: { id: annotation_id },
  } = task;
  try {
    const { gold, version } = await api.goldOf(imageId);
    const otherwise = /** @type {Choice | null} */ (null);
    const choice = await ask({ test: "gold-dialog", title: words.choose, otherwise }, (close) => [
      makeGoldForm(gold ?? { is_training: false, note: "" }, { onSave: close, onCancel: () => close(null) }),
    ]).answer;
    if (!choice) return;
    await api.chooseGold(imageId, { ...choice, annotation_id, version });
    tell(choice.is_training ? words.isTraining : words.isGold, "ok");
  } catch (error) {
    tell(explain(error, words.noServer), "warn");
  }
}
