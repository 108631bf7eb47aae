/** What a trainee is told after a training image: how much was off, but neither which nor where. */

import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/** @typedef {import("../types.js").Trained} Trained */

/**
 * Resolves when the trainee has read it.
 * @param {readonly string[]} sentences
 * @param {Trained} training
 */
export async function tellFeedback(sentences, { is_passed, note, needed, passed, is_done }) {
  const words = texts.feedback;
  const title = words.title[/** @type {"true" | "false"} */ (String(is_passed))];
  const said = sentences.length > 0 ? sentences : [words.allRight];
  await ask({ test: "feedback-dialog", title, className: "feedback", otherwise: true }, (close) => [
    el("ul", { class: is_passed ? "feedback-list" : "feedback-list off" }, ...said.map((text) => el("li", { text }))),
    note ? el("p", { class: "feedback-note", test: "feedback-note" }, el("b", { text: `${words.note}: ` }), note) : null,
    el("p", { class: "quiet", text: is_done ? words.done : words.progress(passed, needed), test: "feedback-progress" }),
    choices(choice(words.next, () => close(true), { isMain: true, test: "feedback-next" })),
  ]).answer;
}
