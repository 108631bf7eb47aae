/** The list of every class with what is marked of it; of many classes, groups to unfold. */

import { objectsIn } from "../state/editor.js";
import { makeChecklist } from "../state/objects.js";
import { hasMany } from "../state/recent.js";
import { texts } from "../texts.js";
import { swatch } from "./class_chips.js";
import { el } from "./dom.js";

/** @import {ChecklistLine as Line, Model, Work} from "../state/types.js" */

/** @typedef {{group: string | null, lines: Line[]}} Group */

/**
 * `onUnsure` makes a button of each class that marks it for the checker, or takes the mark away;
 * without it, the marks of the author are shown.
 * @type {(model: Model, work: Work, onUnsure?: (unsureClasses: readonly string[]) => void) => HTMLDivElement}
 */
export function showChecklist(model, work, onUnsure) {
  let unsure = work.unsureClasses;
  const markOf = (/** @type {Line} */ { id, display }) => {
    const isUnsure = () => unsure.includes(id);
    if (!onUnsure && !isUnsure()) return el("span");
    const label = (onUnsure ? texts.finish : texts.review).unsureClass(display);
    const looks = { text: "?", title: label, test: `unsure:${id}` };
    if (!onUnsure) return el("span", { class: "unsure-mark", ...looks, role: "img", aria: { label } });
    const click = () => {
      unsure = isUnsure() ? unsure.filter((sign) => sign !== id) : [...unsure, id];
      onUnsure(unsure);
      // A marked class stands in its group too.
      const list = button.closest(".checklist");
      for (const same of list?.querySelectorAll("button") ?? [])
        if (same.dataset.testid === button.dataset.testid)
          same.setAttribute("aria-pressed", String(isUnsure()));
    };
    const aria = { label, pressed: String(isUnsure()) };
    const button = el("button", { class: "unsure-class", ...looks, aria, on: { click } });
    return button;
  };
  const showLine = (/** @type {Line} */ line) =>
    el(
      "li",
      { class: line.count > 0 ? "marked" : "", data: { class: line.id, count: String(line.count) } },
      line.count > 0 ? swatch(model, line.id) : el("span"),
      el("span", { text: line.display }),
      el("b", { text: line.count > 0 ? `× ${line.count}` : "–" }),
      markOf(line),
    );
  const groups = makeChecklist(model.party, objectsIn(work.editor));
  if (hasMany(model.party)) return foldChecklist(groups, showLine, (id) => unsure.includes(id));
  const lists = groups.map(({ group, lines }) =>
    el(
      "div",
      {},
      el("h3", { class: "group-title", text: group ?? "" }),
      el("ul", {}, ...lines.map(showLine)),
    ),
  );
  return el("div", { class: "checklist", test: "checklist" }, ...lists);
}

/**
 * First the classes that are marked, or unsure; then each group, unfolded on request.
 * @param {readonly Group[]} groups
 * @param {(line: Line) => HTMLElement} showLine
 * @param {(id: string) => boolean} isUnsure
 */
function foldChecklist(groups, showLine, isUnsure) {
  const marked = groups.flatMap(({ lines }) => lines.filter(({ id, count }) => count > 0 || isUnsure(id)));
  const folds = groups.map(({ group, lines }) => makeFold(group ?? texts.palette.ungrouped, lines, showLine));
  return el(
    "div",
    {
      class: "checklist folded",
      test: "checklist",
      on: { keydown: (/** @type {KeyboardEvent} */ event) => stepFolds(event, folds) },
    },
    el("ul", { test: "checklist-marked" }, ...marked.map(showLine)),
    ...folds,
  );
}

/** @type {(title: string, lines: readonly Line[], showLine: (line: Line) => HTMLElement) => HTMLDetailsElement} */
function makeFold(title, lines, showLine) {
  const marked = lines.filter(({ count }) => count > 0).length;
  const list = el("ul");
  const count = marked > 0 ? `${marked} / ${lines.length}` : String(lines.length);
  const fold = el(
    "details",
    { test: `check-fold:${title}` },
    el("summary", {}, el("span", { text: title }), el("small", { text: count })),
    list,
  );
  fold.addEventListener("toggle", () => list.replaceChildren(...(fold.open ? lines.map(showLine) : [])));
  return fold;
}

/**
 * Arrow keys go from group to group, unfold and fold.
 * @type {(event: KeyboardEvent, folds: readonly HTMLDetailsElement[]) => void}
 */
function stepFolds(event, folds) {
  const at = folds.findIndex((fold) => event.target instanceof Node && fold.contains(event.target));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (at < 0 || (!step && event.key !== "ArrowRight" && event.key !== "ArrowLeft")) return;
  event.preventDefault();
  if (step) folds[at + step]?.querySelector("summary")?.focus();
  else folds[at].open = event.key === "ArrowRight";
}
