/** Every class in its group, with what is marked: seen before an image is finished or accepted. */

import { makeChecklist } from "../state/checklist.js";
import { objectsIn } from "../state/editor.js";
import { el } from "./dom.js";
import { swatch } from "./palette.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../state/model.js").Work} Work */

/**
 * @param {Model} model
 * @param {Work} work
 */
export function showChecklist(model, work) {
  const groups = makeChecklist(model.party, objectsIn(work.editor)).map(({ group, lines }) =>
    el(
      "div",
      {},
      el("h3", { class: "group-title", text: group ?? "" }),
      el("ul", {}, ...lines.map((line) => showLine(model, line))),
    ),
  );
  return el("div", { class: "checklist", test: "checklist" }, ...groups);
}

/**
 * @param {Model} model
 * @param {import("../state/checklist.js").Line} line
 */
function showLine(model, { name, display, count }) {
  return el(
    "li",
    { class: count > 0 ? "marked" : "", data: { class: name, count: String(count) } },
    count > 0 ? swatch(model, name) : el("span"),
    el("span", { text: display }),
    el("b", { text: count > 0 ? `× ${count}` : "–" }),
  );
}
