/** The questions of the annotation page: discarding, two revisions, a refused end, training feedback. */

import { edgesOf } from "../geometry/pixels.js";
import { digitOf } from "../state/chords.js";
import { lookOf } from "../state/display.js";
import { objectsIn } from "../state/editor.js";
import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/** @import {Model, Objects, Work} from "../state/types.js" */
/** @import {Task, Trained} from "../types.js" */

/**
 * The name of the reason, or null where the image stays; with boxes on it, a second question follows.
 * @param {Model} model
 * @param {Work} work
 * @returns {Promise<string | null>}
 */
export async function askDiscard(model, work) {
  const { title, lead, empty, drawn } = texts.discard;
  const marked = objectsIn(work.editor).length;
  const reasons = model.party.discard_reasons;
  const otherwise = /** @type {string | null} */ (null);
  const asking = ask({ test: "discard-dialog", title, className: "aside", otherwise }, (close) => [
    el("p", { text: lead }),
    marked > 0 ? el("p", { class: "warn", text: drawn(marked) }) : null,
    marked === 0 && model.page === "annotate" ? el("p", { class: "quiet", text: empty }) : null,
    el("div", { class: "reasons" }, ...reasons.map((reason, index) => makeReason(reason, index, close))),
    choices(choice(texts.finish.back, () => close(null), { test: "discard-back", key: "Esc" })),
  ]);
  asking.element.addEventListener("keydown", (event) => {
    const reason = reasons[Number(digitOf(event) ?? 0) - 1];
    if (reason && !event.repeat) asking.close(reason.id);
  });
  const id = await asking.answer;
  const chosen = reasons.find((reason) => reason.id === id);
  return chosen && (await confirmDiscard(marked, chosen.display)) ? chosen.id : null;
}

/**
 * Whether an image with boxes shall be discarded for this reason, as people read it; without boxes, yes.
 * @param {number} marked
 * @param {string} reason
 */
export async function confirmDiscard(marked, reason) {
  if (marked === 0) return true;
  const { title, lead, yes, back } = texts.discard.confirm;
  return ask(
    { test: "discard-confirm", title: title(marked), className: "aside", otherwise: false },
    (close) => [
      el("p", { text: lead(reason) }),
      choices(
        choice(back, () => close(false), { key: "Esc" }),
        choice(yes, () => close(true), { isMain: true, test: "discard-yes", key: "Enter" }),
      ),
    ],
  ).answer;
}

/**
 * @param {{id: string, display: string}} reason
 * @param {number} index
 * @param {(id: string) => void} close
 */
function makeReason({ id, display }, index, close) {
  const key = el("kbd", { text: index < 9 ? String(index + 1) : "", aria: { hidden: "true" } });
  const looks = { class: "reason", test: `reason:${id}`, on: { click: () => close(id) } };
  return el("button", looks, key, el("span", { text: display }));
}

const WIDTH_PX = 380;

/**
 * Which objects to continue with; the question stays until it is answered.
 * @type {(model: Model, task: Task, mine: Objects, theirs: Objects) => Promise<"mine" | "theirs" | "both">}
 */
export function askConflict(model, task, mine, theirs) {
  const { title, lead, keep, take } = texts.conflict;
  const otherwise = /** @type {"mine" | "theirs" | "both" | undefined} */ (undefined);
  const versions = [
    showVersion(model, task, mine, texts.conflict.mine, "mine"),
    showVersion(model, task, theirs, texts.conflict.theirs, "theirs"),
  ];
  return ask({ test: "conflict-dialog", title, className: "wide", otherwise, byItself: true }, (close) => [
    el("p", { text: lead }),
    el("div", { class: "side-by-side" }, ...versions),
    choices(
      choice(take, () => close("theirs"), { test: "conflict-theirs" }),
      choice(texts.conflict.both, () => close("both"), {
        test: "conflict-both",
        hidden: mine.some(({ rings }) => rings),
      }),
      choice(keep, () => close("mine"), { isMain: true, test: "conflict-mine" }),
    ),
  ]).answer;
}

/**
 * @param {Model} model
 * @param {Task} task
 * @param {Objects} objects
 * @param {string} title
 * @param {string} test
 */
function showVersion(model, task, objects, title, test) {
  const canvas = el("canvas", { class: "version" });
  canvas.width = WIDTH_PX;
  canvas.height = Math.round((WIDTH_PX * task.height) / task.width);
  const image = new Image();
  image.onload = () => paintVersion(canvas, image, model, task, objects);
  image.src = task.image_url;
  const caption = el("figcaption", { text: `${title}: ${texts.objects.title(objects.length)}` });
  return el("figure", { test: `version-${test}` }, canvas, caption);
}

/** @type {(canvas: HTMLCanvasElement, image: HTMLImageElement, model: Model, task: Task, objects: Objects) => void} */
function paintVersion(canvas, image, model, task, objects) {
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const scale = canvas.width / task.width;
  const style = getComputedStyle(document.documentElement);
  ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
  ctx.lineWidth = 2;
  for (const object of objects) {
    const { left, top, right, bottom } = edgesOf(object.box);
    ctx.strokeStyle = style.getPropertyValue(`--class-${lookOf(model.looks, object.class).hue}`);
    for (const ring of object.rings ?? [[left, top, right, top, right, bottom, left, bottom]]) {
      ctx.beginPath();
      for (let at = 0; at < ring.length; at += 2) ctx.lineTo(ring[at] * scale, ring[at + 1] * scale);
      ctx.closePath();
      ctx.stroke();
    }
  }
}

/**
 * Whether the person goes back to it now, after the server's sentence; else it waits for the next visit.
 * @param {string} message
 */
export function askProblem(message) {
  const { title, lead, go, later } = texts.problem;
  return ask({ test: "problem-dialog", title, otherwise: false, byItself: true }, (close) => [
    el("p", { text: message }),
    el("p", { class: "quiet", text: lead }),
    choices(
      choice(later, () => close(false), { test: "problem-later" }),
      choice(go, () => close(true), { isMain: true, test: "problem-go" }),
    ),
  ]).answer;
}

/**
 * Resolves when the trainee has read it.
 * @param {readonly string[]} sentences
 * @param {Trained} training
 */
export async function tellFeedback(sentences, { is_passed, note, needed, passed, is_done }) {
  const words = texts.feedback;
  const title = words.title[/** @type {"true" | "false"} */ (String(is_passed))];
  const said = sentences.length > 0 ? sentences : [words.allRight];
  await ask(
    { test: "feedback-dialog", title, className: "feedback", otherwise: true, byItself: true },
    (close) => [
      el(
        "ul",
        { class: is_passed ? "feedback-list" : "feedback-list off" },
        ...said.map((text) => el("li", { text })),
      ),
      note
        ? el(
            "p",
            { class: "typed feedback-note", test: "feedback-note" },
            el("b", { text: `${words.note}: ` }),
            note,
          )
        : null,
      el("p", {
        class: "quiet",
        text: is_done ? words.done : words.progress(passed, needed),
        test: "feedback-progress",
      }),
      choices(choice(words.next, () => close(true), { isMain: true, test: "feedback-next" })),
    ],
  ).answer;
}
