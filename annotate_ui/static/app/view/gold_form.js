/** The question whether an image shall be gold or a training image, with a note. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {{is_training: boolean, note: string}} Choice */

const words = texts.gold;

/**
 * @param {Choice} before
 * @param {{onSave: (choice: Choice) => void, onCancel: () => void}} listener
 */
export function makeGoldForm(before, { onSave, onCancel }) {
  const kinds = /** @type {const} */ (["gold", "training"]).map((kind) =>
    makeKind(kind, (kind === "training") === before.is_training),
  );
  const note = el("textarea", { class: "field", rows: 2, maxlength: 2000, test: "gold-note" });
  note.value = before.note;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const is_training = form.querySelector("input[value=training]:checked") !== null;
    onSave({ is_training, note: note.value.trim() });
  };
  const form = el(
    "form",
    { class: "ask", test: "gold-form", on: { submit } },
    el("fieldset", {}, ...kinds),
    el("label", { class: "stacked" }, el("span", { text: words.note }), note),
    el(
      "p",
      { class: "acts dialog-choices" },
      el("button", { type: "button", class: "button", text: words.cancel, on: { click: onCancel } }),
      el("button", { type: "submit", class: "button main", text: words.save, test: "gold-save" }),
    ),
  );
  return form;
}

/**
 * @param {"gold" | "training"} kind
 * @param {boolean} isChosen
 */
function makeKind(kind, isChosen) {
  const input = el("input", { type: "radio", name: "kind", value: kind, test: `gold-${kind}` });
  input.checked = isChosen;
  return el("label", { class: "radio line" }, input, el("span", { text: words.kinds[kind] }));
}
