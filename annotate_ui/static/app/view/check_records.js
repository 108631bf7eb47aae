/** The checks beside the queue of findings: how often each was right, and its switch. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../types.js").CheckRow} CheckRow */
/**
 * @typedef {{chosen: string | null, onChoose: (check: string | null) => void,
 *   onTurn: (check: CheckRow) => void}} Listener
 */

const words = texts.findings;

/**
 * @param {HTMLElement} side
 * @param {readonly CheckRow[]} checks
 * @param {Listener} listener
 */
export function fillSide(side, checks, listener) {
  const sorted = checks.toSorted((one, other) => other.open - one.open);
  const top = side.scrollTop;
  side.replaceChildren(
    el("h1", { text: words.title }),
    el("p", { class: "quiet", text: words.lead }),
    el("ul", {}, ...sorted.map((check) => makeCheck(check, listener))),
  );
  side.scrollTop = top;
}

/**
 * @param {CheckRow} check
 * @param {Listener} listener
 */
function makeCheck(check, { chosen, onChoose, onTurn }) {
  const isChosen = chosen === check.name;
  const box = el("input", {
    type: "checkbox",
    test: `switch-${check.name}`,
    title: words.switch,
    aria: { label: `${words.switch}: ${words.name(check.name)}` },
    on: { change: () => onTurn(check) },
  });
  box.checked = check.is_on;
  const button = el(
    "button",
    {
      type: "button",
      title: check.explanation,
      test: `check-${check.name}`,
      aria: isChosen ? { current: "true" } : {},
      on: { click: () => onChoose(isChosen ? null : check.name) },
    },
    el(
      "span",
      { class: "check" },
      el("span", { class: "name", text: words.name(check.name) }),
      el("span", { class: "quiet", text: words.precision(check) }),
    ),
    el("span", { class: "number", text: String(check.open) }),
  );
  return el("li", { class: check.is_on ? "" : "off" }, box, button);
}
