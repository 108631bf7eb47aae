/** The end of a page that was opened for another person or in another party: one sentence, and the way on. */

import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/** Covers the page until it is opened anew; what it had not sent is in the journal. @param {string} message */
export function showStopped(message) {
  const { title, again } = texts.stopped;
  const otherwise = /** @type {boolean | undefined} */ (undefined); // nothing else can be done here
  void ask({ test: "stopped-dialog", title, otherwise }, () => [
    el("p", { text: message }),
    choices(choice(again, () => location.reload(), { isMain: true, test: "reload" })),
  ]);
}
