/** The question before an image is finished, with the checklist of every class and what is marked. */

import { listOpen, objectsIn } from "../state/editor.js";
import { groupHints, listHints } from "../state/findings.js";
import { countDoubts, countUnwanted } from "../state/objects.js";
import { displayOfClass } from "../state/party.js";
import { texts } from "../texts.js";
import { showChecklist } from "./checklist.js";
import { ask, choice, choices, confirmByHold, confirmByKey } from "./dialog.js";
import { el } from "./dom.js";
import { sayHint } from "./words.js";

/** @import {Model, Numbered, Work} from "../state/types.js" */

/** This check is left out: one line counts all objects without a view. */
const COUNTED = "view_missing";

/** @typedef {{isConfirmed: boolean, goTo: string | null, unsureClasses: readonly string[]}} Answer */

/**
 * Whether the person confirmed, the key of the object that they want to see instead, and the classes that
 * they marked unsure. `heldCode` is the key that is still down: letting go of it after a moment confirms.
 * @type {(model: Model, work: Work, heldCode: string | null) => Promise<Answer>}
 */
export async function askFinish(model, work, heldCode) {
  let { unsureClasses } = work;
  const { title, confirm, back } = texts.finish;
  const otherwise = /** @type {boolean | string} */ (false);
  const options = { test: "finish-dialog", title, className: "aside", otherwise };
  const checklist = showChecklist(model, work, (marked) => (unsureClasses = marked));
  const asking = ask(options, (close) => [
    el("div", { class: "dialog-body" }, listDoubts(model, work, close), checklist),
    el("p", { class: "question", text: texts.finish.question }),
    choices(
      choice(back, () => close(false), { test: "finish-back", key: "Esc" }),
      choice(confirm, () => close(true), { isMain: true, test: "finish-confirm" }),
    ),
  ]);
  const confirmed = () => asking.close(true);
  confirmByKey(asking, model.keymap, confirmed);
  if (heldCode !== null) confirmByHold(asking, heldCode, texts.finish.hold, confirmed);
  const answer = await asking.answer;
  return { isConfirmed: answer === true, goTo: typeof answer === "string" ? answer : null, unsureClasses };
}

/**
 * What may be wrong: one line for each kind of hint and class, with the numbers of its objects.
 * @type {(model: Model, work: Work, goTo: (key: string) => void) => HTMLUListElement | null}
 */
function listDoubts(model, work, goTo) {
  const objects = objectsIn(work.editor);
  const { viewless, proposed, unsure } = countDoubts(model.party, objects);
  const undecided = listOpen(work.editor).length;
  const isNoneWanted = model.wanted.length > 0 && countUnwanted(objects, model.wanted) === objects.length;
  const doubts = [
    isNoneWanted ? texts.wanted.none : "",
    viewless > 0 ? texts.finish.viewless(viewless) : "",
    proposed > 0 ? texts.finish.proposed(proposed) : "",
    unsure > 0 ? texts.finish.unsure(unsure) : "",
    undecided > 0 ? texts.finish.undecided(undecided) : "",
  ].filter(Boolean);
  const hints = listHints(work).filter(({ check }) => check !== COUNTED);
  const lines = [...groupHints(hints, objects).values()].map((group) => hintLine(model, group, goTo));
  if (doubts.length + lines.length === 0) return null;
  return el("ul", { class: "doubts", test: "doubts" }, ...doubts.map((text) => el("li", { text })), ...lines);
}

/**
 * The hints are of one kind and class.
 * @param {Model} model
 * @param {readonly Numbered[]} group
 * @param {(key: string) => void} goTo
 */
function hintLine(model, group, goTo) {
  const [{ hint, object }] = group;
  const name = object && displayOfClass(model.party, object.class);
  const text =
    group.length > 1 && name ? texts.finish.grouped(group.length, name, hint) : sayHint(model, hint);
  const button = (/** @type {Numbered} */ { number, object: object }) =>
    object ? goToButton(number, () => goTo(object.key)) : null;
  return el("li", {}, `${text} `, ...group.map(button));
}

/**
 * Leads to an object of the list.
 * @param {number} number
 * @param {() => void} click
 */
export function goToButton(number, click) {
  return el("button", {
    class: "go-to",
    text: String(number),
    title: texts.finish.goTo(number),
    test: "go-to",
    on: { click },
  });
}
