/** Two revisions of one image side by side: which of them the work goes on from. */

import { edgesOf } from "../geometry/pixels.js";
import { lookOf } from "../state/looks.js";
import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../types.js").Task} Task */
/** @typedef {import("../state/objects.js").Objects} Objects */

const WIDTH_PX = 380;

/**
 * "mine" or "theirs"; there is no third way, so the question stays until it is answered.
 * @param {Model} model
 * @param {Task} task
 * @param {Objects} mine
 * @param {Objects} theirs
 * @returns {Promise<"mine" | "theirs">}
 */
export function askConflict(model, task, mine, theirs) {
  const { title, lead, keep, take } = texts.conflict;
  /** @type {{test: string, title: string, className: string, otherwise: "mine" | "theirs" | undefined}} */
  const options = { test: "conflict-dialog", title, className: "wide", otherwise: undefined };
  return ask(options, (close) => [
    el("p", { text: lead }),
    el(
      "div",
      { class: "side-by-side" },
      showVersion(model, task, mine, texts.conflict.mine, "mine"),
      showVersion(model, task, theirs, texts.conflict.theirs, "theirs"),
    ),
    choices(
      choice(take, () => close("theirs"), { test: "conflict-theirs" }),
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
  return el(
    "figure",
    { test: `version-${test}` },
    canvas,
    el("figcaption", { text: `${title}: ${texts.objects.title(objects.length)}` }),
  );
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLImageElement} image
 * @param {Model} model
 * @param {Task} task
 * @param {Objects} objects
 */
function paintVersion(canvas, image, model, task, objects) {
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const scale = canvas.width / task.width;
  const style = getComputedStyle(document.documentElement);
  ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
  ctx.lineWidth = 2;
  for (const object of objects) {
    const { left, top, right, bottom } = edgesOf(object.box);
    ctx.strokeStyle = style.getPropertyValue(`--class-${lookOf(model.looks, object.class).hue}`);
    ctx.strokeRect(left * scale, top * scale, (right - left) * scale, (bottom - top) * scale);
  }
}
