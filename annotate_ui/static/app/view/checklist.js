/** Every class in its group, with what is marked: seen before an image is finished or accepted. */

import { makeChecklist } from "../state/checklist.js";
import { objectsIn } from "../state/editor.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";
import { swatch } from "./palette.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../state/model.js").Work} Work */

/**
 * `onUnsure` makes a button of each class that marks it for the checker, or takes the mark away;
 * without it, the marks of the author are shown.
 * @param {Model} model
 * @param {Work} work
 * @param {(unsureClasses: readonly string[]) => void} [onUnsure]
 */
export function showChecklist(model, work, onUnsure) {
  let unsure = work.unsureClasses;
  const toggle = (/** @type {string} */ name) => {
    unsure = unsure.includes(name) ? unsure.filter((one) => one !== name) : [...unsure, name];
    onUnsure?.(unsure);
    return unsure.includes(name);
  };
  const groups = makeChecklist(model.party, objectsIn(work.editor)).map(({ group, lines }) =>
    el(
      "div",
      {},
      el("h3", { class: "group-title", text: group ?? "" }),
      el(
        "ul",
        {},
        ...lines.map((line) => {
          const isUnsure = unsure.includes(line.name);
          const mark = onUnsure ? unsureButton(line, isUnsure, toggle) : unsureMark(line, isUnsure);
          return showLine(model, line, mark);
        }),
      ),
    ),
  );
  return el("div", { class: "checklist", test: "checklist" }, ...groups);
}

/**
 * @param {Model} model
 * @param {import("../state/checklist.js").Line} line
 * @param {HTMLElement} mark
 */
function showLine(model, { name, display, count }, mark) {
  return el(
    "li",
    { class: count > 0 ? "marked" : "", data: { class: name, count: String(count) } },
    count > 0 ? swatch(model, name) : el("span"),
    el("span", { text: display }),
    el("b", { text: count > 0 ? `× ${count}` : "–" }),
    mark,
  );
}

/**
 * @param {import("../state/checklist.js").Line} line
 * @param {boolean} isUnsure
 * @param {(name: string) => boolean} toggle
 */
function unsureButton({ name, display }, isUnsure, toggle) {
  const label = texts.finish.unsureClass(display);
  const button = el("button", {
    class: "unsure-class",
    type: "button",
    text: "?",
    title: label,
    test: `unsure:${name}`,
    aria: { label, pressed: String(isUnsure) },
    on: { click: () => button.setAttribute("aria-pressed", String(toggle(name))) },
  });
  return button;
}

/**
 * @param {import("../state/checklist.js").Line} line
 * @param {boolean} isUnsure
 */
function unsureMark({ name, display }, isUnsure) {
  if (!isUnsure) return el("span");
  const label = texts.review.unsureClass(display);
  return el("span", {
    class: "unsure-mark",
    text: "?",
    title: label,
    role: "img",
    test: `unsure:${name}`,
    aria: { label },
  });
}
