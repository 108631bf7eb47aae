/** The stage: the image below, boxes above, drawn once a frame when the model has changed. */

import { fit } from "../geometry/viewport.js";
import { HUES } from "../state/looks.js";
import { el, setAttribute } from "./dom.js";
import { paintOverlay } from "./paint.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../state/store.js").Store<Model>} ModelStore */

/** Above this the image shows its pixels as they are. */
const CRISP_FROM = 2;

/**
 * Draws the model on the stage's two canvases from now on.
 * @param {HTMLElement} stage
 * @param {ModelStore} store
 * @returns {{showImage: (url: string) => Promise<void>}}
 */
export function mountStage(stage, store) {
  const [below, above] = [addCanvas(), addCanvas()];
  stage.prepend(below, above);
  /** @type {HTMLImageElement | null} */
  let image = null;
  /** @type {readonly unknown[]} */
  let painted = [];
  let isAsked = false;
  let inks = readInks();

  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(draw);
  };
  const draw = () => {
    isAsked = false;
    const model = store.get();
    const wanted = [image, model.viewport, model.stage, devicePixelRatio, model.work === null];
    const isOther = wanted.some((value, index) => value !== painted[index]);
    // While the next image is on its way the last one stays, so that nothing flickers.
    if (isOther && model.screen !== "loading") {
      paintImage(below, image, model);
      painted = wanted;
    }
    paintAbove(above, model, inks);
    markPlace(stage, model);
    if (model.work && !model.isPainted) store.update(isPainted);
  };

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    inks = readInks();
    ask();
  });
  new ResizeObserver(() => store.update((model) => resize(model, stage))).observe(stage);
  store.subscribe(ask);
  return {
    async showImage(url) {
      image = await loadImage(url);
      ask();
    },
  };
}

/** @param {Model} model */
const isPainted = (model) => ({ ...model, isPainted: true });

/**
 * An image that was seen whole is seen whole at the new size too.
 * @param {Model} model
 * @param {HTMLElement} element
 * @returns {Model}
 */
function resize(model, element) {
  const stage = /** @type {const} */ ([element.clientWidth, element.clientHeight]);
  const { work, viewport } = model;
  if (!work || isSame(stage, model.stage)) return { ...model, stage };
  const wasWhole = viewport.scale === fit(work.editor.size, model.stage).scale;
  return { ...model, stage, viewport: wasWhole ? fit(work.editor.size, stage) : viewport };
}

/**
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 */
function isSame(one, other) {
  return one[0] === other[0] && one[1] === other[1];
}

function addCanvas() {
  return el("canvas", { class: "stage-canvas", aria: { hidden: "true" } });
}

/**
 * @param {string} url
 * @returns {Promise<HTMLImageElement>}
 */
async function loadImage(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLImageElement | null} image
 * @param {Model} model
 */
function paintImage(canvas, image, { viewport, stage, work }) {
  const ctx = prepare(canvas, stage);
  ctx.clearRect(0, 0, ...stage);
  if (!work || !image) return;
  const { scale, x, y } = viewport;
  ctx.imageSmoothingEnabled = scale < CRISP_FROM;
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(image, x, y, work.editor.size[0] * scale, work.editor.size[1] * scale);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Model} model
 * @param {import("./paint.js").Inks} inks
 */
function paintAbove(canvas, model, inks) {
  const ctx = prepare(canvas, model.stage);
  if (model.work && model.screen === "work") paintOverlay({ ctx, model, inks }, model.work);
  else ctx.clearRect(0, 0, ...model.stage);
}

/**
 * The canvas at the screen's own resolution, measured in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {import("../geometry/pixels.js").Size} stage
 */
function prepare(canvas, [width, height]) {
  const ratio = devicePixelRatio || 1;
  const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
    canvas.width = deviceWidth;
    canvas.height = deviceHeight;
  }
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

/**
 * Where the image lies, for those who read the page instead of seeing it.
 * @param {HTMLElement} stage
 * @param {Model} model
 */
function markPlace(stage, { viewport }) {
  setAttribute(stage, "data-scale", viewport.scale);
  setAttribute(stage, "data-x", viewport.x);
  setAttribute(stage, "data-y", viewport.y);
}

/** @returns {import("./paint.js").Inks} */
function readInks() {
  const style = getComputedStyle(document.documentElement);
  const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    hues: Array.from({ length: HUES }, (_, index) => read(`--class-${index}`)),
    ink: read("--class-ink"),
    accent: read("--on-image"),
    danger: read("--on-image-danger"),
    font: read("--font"),
  };
}
