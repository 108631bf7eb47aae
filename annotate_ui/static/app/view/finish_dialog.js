/** The checklist before an image is finished: every class, what is marked, one confirmation. */

import { objectsIn } from "../state/editor.js";
import { chordOf } from "../state/chords.js";
import { countDoubts } from "../state/checklist.js";
import { listHints } from "../state/hints.js";
import { countUnwanted } from "../state/wanted.js";
import { texts } from "../texts.js";
import { showChecklist } from "./checklist.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";
import { watchHold } from "./hold.js";
import { sayHint } from "./words.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../state/model.js").Work} Work */

/** The check that says of each object what the line of those without a view counts. */
const COUNTED = "view_missing";

/** @typedef {{isConfirmed: boolean, unsureClasses: readonly string[]}} Answer */

/**
 * Whether the person confirmed, and the classes that they marked unsure. `heldCode` is the key that is still down, if one is: letting go of
 * it after the list was there for a moment confirms.
 * @param {Model} model
 * @param {Work} work
 * @param {string | null} heldCode
 * @returns {Promise<Answer>}
 */
export async function askFinish(model, work, heldCode) {
  let { unsureClasses } = work;
  const { title, confirm, back } = texts.finish;
  const options = { test: "finish-dialog", title, className: "aside", otherwise: false };
  const checklist = showChecklist(model, work, (marked) => (unsureClasses = marked));
  const asking = ask(options, (close) => [
    checklist,
    listDoubts(model, work),
    el("p", { class: "question", text: texts.finish.question }),
    choices(
      choice(back, () => close(false), { test: "finish-back", key: "Esc" }),
      choice(confirm, () => close(true), { isMain: true, test: "finish-confirm" }),
    ),
  ]);
  confirmByKey(asking, model, heldCode);
  return { isConfirmed: await asking.answer, unsureClasses };
}

/**
 * The key that opened the question confirms it too: held and let go, or pressed once more.
 * @param {import("./dialog.js").Asking<boolean>} asking
 * @param {Model} model
 * @param {string | null} heldCode
 */
function confirmByKey({ element, close, answer }, model, heldCode) {
  element.addEventListener("keydown", (event) => {
    const command = model.keymap.commandOf.get(chordOf(event));
    if (command === "image.finish" && !event.repeat) close(true);
  });
  if (heldCode === null) return;
  element.dataset.held = "false";
  const stop = watchHold(heldCode, {
    onReady: () => showReady(element),
    onConfirm: () => close(true),
  });
  void answer.then(stop);
}

/** @param {HTMLElement} element */
function showReady(element) {
  element.dataset.held = "true";
  const text = element.querySelector(".button.main .button-text");
  if (text) text.textContent = texts.finish.hold;
}

/**
 * Whether rare-class mode is on and nothing of it is marked.
 * @param {Model} model
 * @param {Work} work
 */
function hasNoneWanted({ wanted }, work) {
  const objects = objectsIn(work.editor);
  return wanted.length > 0 && countUnwanted(objects, wanted) === objects.length;
}

/**
 * @param {Model} model
 * @param {Work} work
 */
function listDoubts(model, work) {
  const { viewless, proposed, unsure } = countDoubts(model.party, objectsIn(work.editor));
  const doubts = [
    hasNoneWanted(model, work) ? texts.wanted.none : "",
    viewless > 0 ? texts.finish.viewless(viewless) : "",
    proposed > 0 ? texts.finish.proposed(proposed) : "",
    unsure > 0 ? texts.finish.unsure(unsure) : "",
    ...listHints(work)
      .filter(({ check }) => check !== COUNTED)
      .map((hint) => sayHint(model, hint)),
  ].filter(Boolean);
  if (doubts.length === 0) return null;
  const items = doubts.map((text) => el("li", { text }));
  return el("ul", { class: "doubts", test: "doubts" }, ...items);
}
