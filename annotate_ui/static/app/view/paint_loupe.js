/** The magnifier: the pixels around the hand, large, with the box that is being drawn. */

import { LOUPE_PX, loupeScale, placeLoupe } from "../geometry/loupe.js";
import { edgesOf, nearestCorner } from "../geometry/pixels.js";
import { toScreen } from "../geometry/viewport.js";
import { filterOf } from "../state/light.js";
import { showsMagnifier } from "../state/magnifier.js";
import { CASING } from "./paint.js";

/** @typedef {import("./paint.js").Easel} Easel */
/** @typedef {import("../state/model.js").Work} Work */
/** @typedef {import("../geometry/pixels.js").Point} Point */

/** A finger hides more than a mouse. */
const DISTANCE_PX = { mouse: 28, pen: 36, touch: 64 };

/**
 * Shown while the hand draws or reshapes, where it is wanted.
 * @param {Easel} easel
 * @param {Work} work
 * @param {CanvasImageSource} image
 */
export function paintLoupe({ ctx, model, inks }, { editor, hand }, image) {
  const isAtWork = editor.armed !== null || (hand.gesture?.preview && hand.gesture.cursor !== "move");
  if (!hand.at || !isAtWork || !showsMagnifier(model)) return;
  const scale = loupeScale(model.viewport.scale);
  const at = toScreen(model.viewport, hand.at);
  const [left, top] = placeLoupe(at, model.stage, DISTANCE_PX[model.pointer]);
  const middle = /** @type {Point} */ ([left + LOUPE_PX / 2, top + LOUPE_PX / 2]);
  const corner = nearestCorner(hand.at, editor.size);
  const view = { scale, x: middle[0] - corner[0] * scale, y: middle[1] - corner[1] * scale };
  ctx.save();
  ctx.beginPath();
  ctx.roundRect(left, top, LOUPE_PX, LOUPE_PX, 10);
  ctx.fillStyle = "#101216";
  ctx.fill();
  ctx.clip();
  ctx.imageSmoothingEnabled = false;
  ctx.filter = filterOf(model.light);
  ctx.drawImage(image, view.x, view.y, editor.size[0] * scale, editor.size[1] * scale);
  ctx.filter = "none";
  paintCross(ctx, middle, inks.accent);
  if (hand.gesture?.preview) paintEdges(ctx, view, hand.gesture.preview.box);
  ctx.restore();
  paintRim(ctx, left, top);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Point} middle
 * @param {string} colour
 */
function paintCross(ctx, [x, y], colour) {
  ctx.fillStyle = colour;
  ctx.fillRect(Math.round(x), y - LOUPE_PX, 1, 2 * LOUPE_PX);
  ctx.fillRect(x - LOUPE_PX, Math.round(y), 2 * LOUPE_PX, 1);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {import("../geometry/viewport.js").Viewport} view
 * @param {import("../geometry/pixels.js").VocBox} box
 */
function paintEdges(ctx, view, box) {
  const { left, top, right, bottom } = edgesOf(box);
  const [x, y] = toScreen(view, [left, top]);
  for (const [ink, width] of /** @type {const} */ ([[CASING, 3], ["#fff", 1]])) {
    ctx.strokeStyle = ink;
    ctx.lineWidth = width;
    ctx.strokeRect(x, y, (right - left) * view.scale, (bottom - top) * view.scale);
  }
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} left
 * @param {number} top
 */
function paintRim(ctx, left, top) {
  for (const [ink, width] of /** @type {const} */ ([[CASING, 4], ["#fffc", 1.5]])) {
    ctx.strokeStyle = ink;
    ctx.lineWidth = width;
    ctx.beginPath();
    ctx.roundRect(left, top, LOUPE_PX, LOUPE_PX, 10);
    ctx.stroke();
  }
}
