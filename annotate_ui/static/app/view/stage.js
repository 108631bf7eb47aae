/**
 * The stage: the image below, boxes above it, the cursor's work on top, painted once a frame when the
 * model has changed, and each layer only when what it shows has.
 */

import { shapesAt } from "../geometry/handles.js";
import { fit } from "../geometry/viewport.js";
import { filterOf, HUES, planLayers } from "../state/display.js";
import { listShown } from "../state/editor.js";
import { el, loadImage, setAttribute } from "./dom.js";
import { paintHandles, paintGuides, paintLoupe, paintPreview } from "./paint_cursor.js";
import { NO_NAMES, paintMany, paintOne } from "./paint_objects.js";

/** @import {Size} from "../geometry/types.js" */
/** @import {Model, Objects, Store, Work} from "../state/types.js" */
/** @import {Annotated} from "../types.js" */
/** @import {Inks, Names, Scene} from "./types.js" */

/** Above this the image shows its pixels as they are. */
const CRISP_FROM = 2;

/**
 * Paints the model on the stage's canvases from now on.
 * @param {HTMLElement} stage
 * @param {Store<Model>} store
 * @param {typeof makeBoxLayers} makeLayers
 */
export function mountStage(stage, store, makeLayers) {
  const [picture, boxes, cursor] = ["picture", "boxes", "cursor"].map((layer) =>
    el("canvas", { class: "stage-canvas", data: { layer }, aria: { hidden: "true" } }),
  );
  stage.prepend(picture, boxes, cursor);
  /** @type {HTMLImageElement | null} */
  let image = null;
  let isAsked = false;
  let lastUrl = "";
  let inks = readInks();
  const paintPicture = makePicturePainter(picture);
  const paintLayers = makeLayers(boxes, cursor);

  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(paint);
  };
  const paint = () => {
    isAsked = false;
    const model = store.get();
    if (inks.ui !== model.uiScale) inks = { ...inks, ui: model.uiScale };
    paintPicture(image, model);
    paintLayers({ model, inks, image });
    // Where the image lies, for tests and tools.
    for (const name of /** @type {const} */ (["scale", "x", "y"]))
      setAttribute(stage, `data-${name}`, model.viewport[name]);
    if (model.work && !model.isPainted) store.update((now) => ({ ...now, isPainted: true }));
  };

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    inks = readInks();
    ask();
  });
  new ResizeObserver(() => store.update((model) => resize(model, stage))).observe(stage);
  store.subscribe(ask);
  return {
    /** One that comes after a later one was asked for is not shown. */
    async showImage(/** @type {string} */ url) {
      lastUrl = url;
      const loaded = await loadImage(url);
      if (url !== lastUrl) return;
      image = loaded;
      ask();
    },
  };
}

/**
 * Paints the boxes that stay below, and above them everything that can change from frame to frame.
 * @type {(boxes: HTMLCanvasElement, cursor: HTMLCanvasElement) => (scene: Scene) => void}
 */
export function makeBoxLayers(boxes, cursor) {
  const isOther = makeMemory();
  let painted = /** @type {ReadonlySet<Annotated> | null} */ (null);
  let names = NO_NAMES;
  return (scene) => {
    const { model, inks } = scene;
    const { work, viewport, stage, showsBoxes, showsLabels } = model;
    const isSeen = work !== null && model.screen === "work" && showsBoxes;
    const how = [
      viewport,
      stage,
      devicePixelRatio,
      model.preferences.colours,
      showsLabels,
      isSeen,
      inks,
      work?.judgements,
      work?.found,
    ];
    if (isOther(...how, work?.task)) painted = null;
    const shown = isSeen ? listShown(work.editor) : [];
    const held = work?.cursor.gesture?.preview?.target?.key;
    const plan = planLayers(shown, work?.editor.selection?.key, held, painted);
    if (plan.isStale) {
      const ctx = prepare(boxes, stage);
      ctx.clearRect(0, 0, ...stage);
      names = isSeen ? paintMany({ ctx, model, inks }, work, plan.below) : NO_NAMES;
      painted = new Set(plan.below);
    }
    paintCursor(cursor, { ...scene, above: plan.above, shown, names });
  };
}

/** Paints the image if it or the view changed. @param {HTMLCanvasElement} canvas */
function makePicturePainter(canvas) {
  const isOther = makeMemory();
  return (/** @type {HTMLImageElement | null} */ image, /** @type {Model} */ model) => {
    const filter = filterOf(model.light);
    if (canvas.style.filter !== filter) canvas.style.filter = filter;
    // While the next image is on its way the last one stays, so that nothing flickers.
    if (model.screen === "loading") return;
    const { viewport, stage, work } = model;
    if (!isOther(image, viewport, stage, devicePixelRatio, work === null)) return;
    const ctx = prepare(canvas, stage);
    ctx.clearRect(0, 0, ...stage);
    if (!work || !image) return;
    const { scale, x, y } = viewport;
    ctx.imageSmoothingEnabled = scale < CRISP_FROM;
    // A picture that is shown smaller needs better smoothing than one that is shown larger.
    ctx.imageSmoothingQuality = scale < 1 ? "medium" : "low";
    ctx.drawImage(image, x, y, work.editor.size[0] * scale, work.editor.size[1] * scale);
  };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Scene & {above: Objects, shown: Objects, names: Names}} scene
 */
function paintCursor(canvas, { model, inks, image, above, shown, names }) {
  const ctx = prepare(canvas, model.stage);
  ctx.clearRect(0, 0, ...model.stage);
  const { work } = model;
  if (!work || model.screen !== "work") return;
  const easel = { ctx, model, inks };
  const pointed = names.isDense || model.hovered !== null ? pointedAt(model, work, shown) : null;
  const { selection, also } = work.editor;
  const standing = new Set([...(pointed ? [pointed] : []), ...shown.filter(({ key }) => also.includes(key))]);
  const extra = [...standing].filter((object) => !above.includes(object));
  for (const object of [...extra, ...above]) {
    const isSelected = object.key === selection?.key;
    const isHovered = object.key === model.hovered || also.includes(object.key);
    const hasName = isSelected || object === pointed || (!names.isDense && above.includes(object));
    const place = names.places.get(object.key);
    paintOne(easel, work, object, { isSelected, isHovered, hasName, place });
  }
  paintPreview(easel, work);
  if (model.showsBoxes) paintHandles(easel, work);
  paintGuides(easel, work);
  if (image) paintLoupe(easel, work, image);
}

/**
 * The box whose line in the list the pointer is on, else the smallest one under the idle cursor.
 * @type {(model: Model, work: Work, shown: Objects) => Annotated | null}
 */
function pointedAt({ hovered }, { cursor }, shown) {
  if (hovered !== null) return shown.find(({ key }) => key === hovered) ?? null;
  if (!cursor.at || cursor.gesture || cursor.isByKeys) return null;
  return shapesAt(shown, cursor.at)[0] ?? null;
}

/** @returns {(...values: unknown[]) => boolean} whether any is another than the last time */
export function makeMemory() {
  /** @type {readonly unknown[]} */
  let last = [];
  return (...values) => {
    const isOther = values.some((value, index) => value !== last[index]);
    last = values;
    return isOther;
  };
}

/** What was seen whole is seen whole at the new size too. @type {(model: Model, element: HTMLElement) => Model} */
function resize(model, element) {
  const stage = /** @type {const} */ ([element.clientWidth, element.clientHeight]);
  const uiScale = Number(getComputedStyle(element).getPropertyValue("--ui-scale")) || 1;
  const { work, viewport } = model;
  if (!work || stage.join() === model.stage.join()) return { ...model, stage, uiScale };
  const wasWhole = viewport.scale === fit(work.editor.size, model.stage).scale;
  const seen = wasWhole ? fit(work.editor.size, stage) : viewport;
  return { ...model, stage, uiScale, viewport: seen };
}

/**
 * At the screen's own resolution, in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {Size} stage
 */
export function prepare(canvas, [width, height]) {
  const ratio = devicePixelRatio || 1;
  const deviceWidth = Math.round(width * ratio);
  const deviceHeight = Math.round(height * ratio);
  if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
    canvas.width = deviceWidth;
    canvas.height = deviceHeight;
  }
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

/** @returns {Inks} */
function readInks() {
  const style = getComputedStyle(document.documentElement);
  const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    hues: Array.from({ length: HUES }, (_, index) => read(`--class-${index}`)),
    ink: read("--class-ink"),
    accent: read("--on-image"),
    danger: read("--on-image-danger"),
    warn: read("--class-0"),
    font: read("--font"),
    ui: 1,
  };
}
