/** The end of a check: the one completeness question, and what follows from it. */

import { chordOf, findCommand } from "../state/chords.js";
import { objectsIn } from "../state/editor.js";
import { countUnjudged } from "../state/findings.js";
import { decideVerdict, hasWords, isSameWork } from "../state/revision.js";
import { texts } from "../texts.js";
import { ask, choice, choices, confirmByHold } from "./dialog.js";
import { el, setAttribute } from "./dom.js";
import { showChecklist } from "./checklist.js";

/** @import {Model, Work} from "../state/types.js" */

/** @typedef {{isComplete: boolean | null, comment: string}} Conclusion */

/**
 * The conclusion, or null where the checker goes back to the image. An image without findings is
 * accepted by letting go of the held key, or by Enter.
 * @type {(model: Model, work: Work, heldCode: string | null) => Promise<Conclusion | null>}
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
    const command = findCommand(event, (chord) => model.keymap.commandOf.get(chord));
    if (isTyping && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
    if (isTyping) return;
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

/**
 * @param {Work} work
 * @param {boolean} mustAnswer
 * @param {(conclusion: Conclusion | null) => void} close
 */
function makeForm(work, mustAnswer, close) {
  const { judgements, original } = work;
  const outcome = el("p", { class: "outcome", test: "outcome" });
  const stays = el("p", { class: "warn", text: texts.review.correctionsStay });
  const words = el("textarea", { class: "field", rows: 3, maxlength: 2000, test: "image-comment" });
  const comment = el("label", { class: "stacked" }, el("span", { text: texts.review.words }), words);
  const problem = el("p", { class: "problem", role: "alert" });
  const send = choice("", () => {}, { isMain: true, type: "submit", test: "verdict-send" });
  const back = choice(texts.finish.back, () => close(null), { test: "verdict-back", key: "Esc" });
  const isRemarked = ({ verdict = "", comment = "" } = {}) => verdict === "accept" && comment.trim() !== "";
  const remarks = original.filter(({ key }) => isRemarked(judgements.get(key))).length;
  const remarked = note(remarks, texts.review.remarks, "remarked");
  const unjudged = note(countUnjudged(work.found), texts.review.unjudged, "unjudged");
  const question = [radio("yes", texts.review.yes, "Y"), radio("no", texts.review.no, "N")];
  const answers = [remarked, stays, unjudged, comment, problem, choices(back, send)];
  const form = el("form", { on: { submit, change: show } }, ...question, outcome, ...answers);
  show();
  return [form];

  function isComplete() {
    const answer = new FormData(form).get("complete");
    return answer === null ? null : answer === "yes";
  }

  function show() {
    const objects = objectsIn(work.editor);
    const verdict = decideVerdict(original, objects, judgements, isComplete());
    const isCorrection = work.task.is_released && verdict === "fixed";
    outcome.textContent = isCorrection ? texts.review.releasedFixed : texts.review.outcome[verdict];
    outcome.dataset.verdict = verdict;
    setAttribute(stays, "hidden", verdict !== "returned" || isSameWork(original, objects));
    setAttribute(comment, "hidden", verdict !== "returned");
    const text = send.querySelector(".button-text");
    if (text) text.textContent = texts.review.send[verdict];
  }

  function submit() {
    const isReturned = outcome.dataset.verdict === "returned";
    const isUnanswered = mustAnswer && isComplete() === null;
    const isExplained = !isReturned || hasWords(judgements, words.value);
    if (!isUnanswered && isExplained) {
      return close({ isComplete: isComplete(), comment: isReturned ? words.value.trim() : "" });
    }
    problem.textContent = isUnanswered ? texts.review.answerNeeded : texts.review.wordsNeeded;
    if (!isUnanswered) words.focus();
  }
}

/**
 * @param {number} number
 * @param {(number: number) => string} say
 * @param {string} test
 */
function note(number, say, test) {
  return number > 0 ? el("p", { class: "quiet", text: say(number), test }) : null;
}

/**
 * @param {string} value
 * @param {string} text
 * @param {string} key
 */
function radio(value, text, key) {
  const input = el("input", { type: "radio", name: "complete", value, test: `complete-${value}` });
  return el(
    "label",
    { class: "radio" },
    input,
    el("span", { text }),
    el("kbd", { text: key, aria: { hidden: "true" } }),
  );
}
