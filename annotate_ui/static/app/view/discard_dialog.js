/** Discarding an image: one of the party's reasons, by its digit. */

import { objectsIn } from "../state/editor.js";
import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../state/model.js").Work} Work */

/**
 * The name of the reason, or null where the image stays.
 * @param {Model} model
 * @param {Work} work
 * @returns {Promise<string | null>}
 */
export function askDiscard(model, work) {
  const { title, lead, empty, drawn, back } = texts.discard;
  const marked = objectsIn(work.editor).length;
  const reasons = model.party.discard_reasons;
  /** @type {{test: string, title: string, className: string, otherwise: string | null}} */
  const options = { test: "discard-dialog", title, className: "aside", otherwise: null };
  const asking = ask(options, (close) => [
    el("p", { text: lead }),
    marked > 0 ? el("p", { class: "warn", text: drawn(marked) }) : null,
    marked === 0 && model.page === "annotate" ? el("p", { class: "quiet", text: empty }) : null,
    el("div", { class: "reasons" }, ...reasons.map((one, index) => makeReason(one, index, close))),
    choices(choice(back, () => close(null), { test: "discard-back", key: "Esc" })),
  ]);
  asking.element.addEventListener("keydown", (event) => {
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    const reason = digit ? reasons[Number(digit) - 1] : undefined;
    if (reason && !event.repeat) asking.close(reason.name);
  });
  return asking.answer;
}

/**
 * @param {{name: string, display: string}} reason
 * @param {number} index
 * @param {(name: string) => void} close
 */
function makeReason({ name, display }, index, close) {
  return el(
    "button",
    {
      class: "reason",
      type: "button",
      test: `reason:${name}`,
      on: { click: () => close(name) },
    },
    el("kbd", { text: index < 9 ? String(index + 1) : "", aria: { hidden: "true" } }),
    el("span", { text: display }),
  );
}
