/** The question on the checking page whether the image shall be gold or a training image. */

import { texts } from "../texts.js";
import { ask } from "./dialog.js";
import { makeGoldForm } from "./gold_form.js";

/** @typedef {import("./gold_form.js").Choice} Choice */

/**
 * What the organiser chose, or null where they go back to the image.
 * @param {Choice | null} before what it is already
 * @returns {Promise<Choice | null>}
 */
export function askGold(before) {
  /** @type {{test: string, title: string, otherwise: Choice | null}} */
  const options = { test: "gold-dialog", title: texts.gold.choose, otherwise: null };
  const first = before ?? { is_training: false, note: "" };
  return ask(options, (/** @type {(choice: Choice | null) => void} */ close) => [
    makeGoldForm(first, { onSave: close, onCancel: () => close(null) }),
  ]).answer;
}
