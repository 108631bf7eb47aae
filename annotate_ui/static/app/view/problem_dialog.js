/** An image that was finished and left, but that the server did not take as it was. */

import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/**
 * Whether the person goes back to it now; otherwise it waits in the journal for the next visit.
 * @param {string} message the server's sentence
 * @returns {Promise<boolean>}
 */
export function askProblem(message) {
  const { title, lead, go, later } = texts.problem;
  return ask({ test: "problem-dialog", title, otherwise: false }, (close) => [
    el("p", { text: message }),
    el("p", { class: "quiet", text: lead }),
    choices(
      choice(later, () => close(false), { test: "problem-later" }),
      choice(go, () => close(true), { isMain: true, test: "problem-go" }),
    ),
  ]).answer;
}
