/** Signed out in the middle of the work: nothing is lost, the link brings everything back. */

import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/**
 * Open until closed by whoever opened it, or until the person says that they are back.
 * @returns {import("./dialog.js").Asking<boolean>}
 */
export function openSignedOut() {
  const { title, lead, again } = texts.signedOut;
  /** @type {{test: string, title: string, otherwise: boolean | undefined}} */
  const options = { test: "signed-out-dialog", title, otherwise: undefined };
  return ask(options, (close) => [
    el("p", { text: lead }),
    choices(choice(again, () => close(true), { isMain: true, test: "signed-in-again" })),
  ]);
}
