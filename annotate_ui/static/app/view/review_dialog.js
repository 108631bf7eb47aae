/** The end of a check: the one completeness question, and what follows from it. */

import { chordOf } from "../state/chords.js";
import { objectsIn } from "../state/editor.js";
import { countUnjudged } from "../state/findings.js";
import { decideVerdict, hasWords, listRemarked } from "../state/review.js";
import { isSameWork } from "../state/revision.js";
import { texts } from "../texts.js";
import { ask, choice, choices, confirmByHold } from "./dialog.js";
import { el, setAttribute } from "./dom.js";
import { showChecklist } from "./finish_dialog.js";

/** @import {Model, Work} from "../state/types.js" */

/** @typedef {{isComplete: boolean | null, comment: string}} Conclusion */

/**
 * The conclusion, or null where the checker goes back to the image. An image without findings is
 * accepted by letting go of the held key, or by Enter.
 * @param {Model} model
 * @param {Work} work
 * @param {string | null} heldCode
 * @returns {Promise<Conclusion | null>}
 */
export function askVerdict(model, work, heldCode) {
  const title = texts.review.question;
  const otherwise = /** @type {Conclusion | null} */ (null);
  const asking = ask({ test: "verdict-dialog", title, className: "aside", otherwise }, (close) => [
    el("div", { class: "dialog-body" }, showChecklist(model, work)),
    ...makeForm(work, model.party.judge_each_object, close),
  ]);
  const send = () => asking.element.querySelector("form")?.requestSubmit();
  asking.element.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLTextAreaElement;
    const command = model.keymap.commandOf.get(chordOf(event));
    if (isTyping) return void sendByEnter(event, send);
    if (command === "image.finish" && !event.repeat) send();
    else answerByKey(asking.element, event);
  });
  const isClean = decideVerdict(work.original, objectsIn(work.editor), work.judgements, true);
  if (heldCode !== null && isClean !== "returned") confirmByHold(asking, heldCode, texts.review.hold, send);
  return asking.answer;
}

/**
 * Y and N answer the question; N leads to the words that then are needed.
 * @type {(element: HTMLElement, event: KeyboardEvent) => void}
 */
function answerByKey(element, event) {
  const answer = { y: "yes", n: "no" }[chordOf(event)];
  const input = answer && element.querySelector(`input[value=${answer}]`);
  if (!(input instanceof HTMLInputElement)) return;
  event.preventDefault();
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  if (answer === "no") element.querySelector("textarea")?.focus();
}

/** @param {KeyboardEvent} event @param {() => void} send */
function sendByEnter(event, send) {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send();
}

/** @param {Work} work @param {boolean} mustAnswer @param {(conclusion: Conclusion | null) => void} close */
function makeForm(work, mustAnswer, close) {
  const [yes, no] = [
    radio("complete", "yes", texts.review.yes, "Y"),
    radio("complete", "no", texts.review.no, "N"),
  ];
  const outcome = el("p", { class: "outcome", test: "outcome" });
  const stays = el("p", { class: "warn", text: texts.review.correctionsStay });
  const comment = makeComment();
  const problem = el("p", { class: "problem", role: "alert" });
  const send = choice("", () => {}, { isMain: true, type: "submit", test: "verdict-send" });
  const isChecked = (/** @type {HTMLElement} */ one) => /** @type {HTMLInputElement} */ (one.firstElementChild).checked;
  const isComplete = () => (isChecked(yes) ? true : isChecked(no) ? false : null);
  const show = () => {
    const objects = objectsIn(work.editor);
    const verdict = decideVerdict(work.original, objects, work.judgements, isComplete());
    const isCorrection = work.task.is_released && verdict === "mended";
    outcome.textContent = isCorrection ? texts.review.releasedMended : texts.review.outcome[verdict];
    outcome.dataset.verdict = verdict;
    setAttribute(stays, "hidden", verdict !== "returned" || isSameWork(work.original, objects));
    setAttribute(comment, "hidden", verdict !== "returned");
    const text = send.querySelector(".button-text");
    if (text) text.textContent = texts.review.send[verdict];
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const words = comment.querySelector("textarea")?.value ?? "";
    if (mustAnswer && isComplete() === null) {
      problem.textContent = texts.review.answerNeeded;
      return;
    }
    const needsWords = outcome.dataset.verdict === "returned";
    if (needsWords && !hasWords(work.judgements, words)) {
      problem.textContent = texts.review.wordsNeeded;
      comment.querySelector("textarea")?.focus();
      return;
    }
    close({ isComplete: isComplete(), comment: needsWords ? words.trim() : "" });
  };
  show();
  const back = choice(texts.review.back, () => close(null), { test: "verdict-back", key: "Esc" });
  const on = { submit, change: show };
  const unjudged = countUnjudged(work.found);
  const doubt =
    unjudged > 0 ? el("p", { class: "quiet", text: texts.review.unjudged(unjudged), test: "unjudged" }) : null;
  const remarked = listRemarked(work.original, work.judgements).length;
  const remarks =
    remarked > 0 ? el("p", { class: "quiet", text: texts.review.remarks(remarked), test: "remarked" }) : null;
  return [el("form", { on }, yes, no, outcome, remarks, stays, doubt, comment, problem, choices(back, send))];
}

function makeComment() {
  return el(
    "label",
    { class: "stacked" },
    el("span", { text: texts.review.words }),
    el("textarea", { class: "field", rows: 3, maxlength: 2000, test: "image-comment" }),
  );
}

/** @param {string} name @param {string} value @param {string} text @param {string} key */
function radio(name, value, text, key) {
  const input = el("input", { type: "radio", name, value, test: `${name}-${value}` });
  return el("label", { class: "radio" }, input, el("span", { text }), el("kbd", { text: key, aria: { hidden: "true" } }));
}
