/** What the panel says of the selected object, and the question before an image is finished. */

import { objectsIn } from "../state/editor.js";
import { selectedIn } from "../state/model.js";
import { displayOfClass } from "../state/party.js";
import { texts } from "../texts.js";
import { commandButton } from "../view/controls.js";
import { ask, choice, choices, confirmByKey } from "../view/dialog.js";
import { byId, el, setAttribute } from "../view/dom.js";
import { goToButton } from "../view/finish_dialog.js";
import { listFindings } from "./findings.js";
import { proposalFor, takesClicks } from "./tools.js";
import { ringsOf } from "./corners.js";
import { isUncertain } from "./outline.js";

/** @import {Run} from "../page.js" */
/** @import {Model, SegmentTool, Work} from "../state/types.js" */
/** @import {Annotated, Workbench} from "../types.js" */

const words = texts.segment;

/**
 * @param {Workbench} bench
 * @param {Run} run
 */
export function mountSegmentPanel({ store }, run) {
  const title = el("h2", { test: "selected-object" });
  const difficult = el("p", { class: "warn", test: "difficult-void", text: words.difficultVoid });
  const unsure = el("p", { class: "warn", test: "uncertain", text: words.uncertain });
  const now = el("p", { class: "quiet", test: "now", role: "status" });
  const model = el("p", { class: "quiet", test: "outline-model", role: "status" });
  const buttons = el("div", { class: "outline-buttons" });
  const answers = el("div", { class: "outline-buttons", test: "proposal-answers" });
  byId("outline").append(title, difficult, unsure, now, answers, model, buttons);
  const button = (/** @type {string} */ command, /** @type {string} */ text) =>
    commandButton(store.get(), command, text, run, { class: "button small" });
  store.follow(
    () =>
      buttons.replaceChildren(
        button("propose", words.propose),
        button("model.click", words.model.click),
        button("void.new", words.voids),
      ),
    ({ keymap }) => [keymap],
  );
  const { accept, reject } = texts.suggestions;
  store.follow(
    () => answers.replaceChildren(button("outline.close", accept), button("step.back", reject)),
    ({ keymap }) => [keymap],
  );
  store.follow(
    ({ segmentTool }) => showModel(segmentTool, model, buttons),
    ({ keymap, segmentTool }) => [keymap, segmentTool],
  );
  const show = (/** @type {Model} */ model) => {
    const object = selectedIn(model);
    answers.hidden = !proposalFor(model.segmentTool, object);
    title.textContent = object ? nameOf(model, object) : "";
    title.hidden = !object;
    difficult.hidden = !object?.difficult || model.work?.task.is_difficult_void === false;
    unsure.hidden = !isUncertainIn(model, object);
    now.textContent = model.work ? sayNow(model, object) : "";
    buttons.hidden = !model.work;
    setAttribute(/** @type {Element} */ (buttons.firstElementChild), "disabled", !object || object.isVoid);
    setAttribute(
      document.body,
      "data-tool",
      proposalFor(model.segmentTool, object) ? "proposal" : model.segmentTool.kind,
    );
    setAttribute(document.body, "data-corners", (object?.open?.points.length ?? 0) / 2);
  };
  store.follow(show, ({ work, segmentTool }) => [work?.editor, segmentTool]);
}

/**
 * What the page says of the party's model, and its button, where the party has one.
 * @param {SegmentTool} tool
 * @param {HTMLElement} line
 * @param {HTMLElement} buttons
 */
function showModel({ kind, outlineModel }, line, buttons) {
  const { state = "none", name = "", reason = "", isSlow = false } = outlineModel ?? {};
  const button = /** @type {HTMLElement} */ (buttons.querySelector('[data-testid="model.click"]'));
  button.hidden = state === "none" || state === "failed";
  button.setAttribute("aria-pressed", String(kind === "click"));
  line.hidden = state === "none";
  line.dataset.state = state;
  line.textContent = {
    none: "",
    preparing: isSlow ? words.model.slow(name) : words.model.preparing(name),
    ready: words.model.ready(name),
    failed: words.model.failed(name, reason),
  }[state];
}

/**
 * @param {Model} model
 * @param {Annotated} object
 */
function nameOf({ party }, object) {
  return object.isVoid ? words.voidRegion : displayOfClass(party, object.class);
}

/**
 * Whether what is proposed for the object should be looked at with doubt.
 * @type {(model: Model, object: Annotated | null) => boolean}
 */
function isUncertainIn({ segmentTool, work }, object) {
  const proposal = proposalFor(segmentTool, object);
  return Boolean(object && work && proposal && isUncertain(proposal.rings, object.box, work.editor.size));
}

/**
 * What to do next.
 * @param {Model} model
 * @param {Annotated | null} object
 */
function sayNow(model, object) {
  const { kind, widthPx } = model.segmentTool;
  const proposal = proposalFor(model.segmentTool, object);
  const armed = model.work?.editor.armed?.kind;
  if (!object) return words.now.nothing;
  if (proposal?.clicks) return proposal.isRemoving ? words.now.clickedRemoving : words.now.clicked;
  if (proposal?.isSuggested) return proposal.isRemoving ? words.now.suggestedRemoving : words.now.suggested;
  if (proposal) return proposal.isRemoving ? words.now.removing : words.now.proposal;
  if (kind === "brush" || kind === "eraser") return words.now[kind](widthPx);
  if (kind === "click" && takesClicks(object)) return words.now.click(nameOf(model, object));
  if (kind === "wire" && object.open) return words.now.wire;
  if (object.open) return words.now.open(object.open.points.length / 2);
  if (armed === "piece" || armed === "hole") return words.now[armed];
  if (ringsOf(object).length > 0) return words.now.drawn;
  return (kind === "wire" ? words.now.wireStart : words.now.draw)(nameOf(model, object));
}

/**
 * Names what is odd: true where the person finishes, the key of an object that they want to see, or false.
 * @type {(model: Model, work: Work) => Promise<boolean | string>}
 */
export function askSegmentFinish(model, { editor }) {
  const objects = objectsIn(editor);
  const findings = listFindings(objects, editor.size);
  const { title, clean, lead, anyway, open } = words.finish;
  const line =
    (/** @type {(close: string) => void} */ close) =>
    (/** @type {{key: string, reason: string}} */ { key, reason }) => {
      const at = objects.findIndex((object) => object.key === key);
      return el(
        "li",
        {},
        goToButton(at + 1, () => close(key)),
        ` ${nameOf(model, objects[at])}: ${reason}`,
      );
    };
  const isOpen = objects.some((object) => object.open);
  const otherwise = /** @type {boolean | string} */ (false);
  const asking = ask({ test: "finish-dialog", title, className: "aside", otherwise }, (close) => [
    el("p", { class: "question", text: findings.length > 0 ? lead : clean }),
    isOpen ? el("p", { class: "warn", text: open }) : null,
    el(
      "ul",
      { class: "doubts", test: "doubts", hidden: findings.length === 0 },
      ...findings.map(line(close)),
    ),
    choices(
      choice(texts.finish.back, () => close(false), { test: "finish-back", key: "Esc" }),
      choice(findings.length > 0 ? anyway : texts.finish.confirm, () => close(true), {
        isMain: true,
        test: "finish-confirm",
      }),
    ),
  ]);
  confirmByKey(asking, model.keymap, () => asking.close(true));
  return asking.answer;
}
