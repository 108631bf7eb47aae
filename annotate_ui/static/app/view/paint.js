/** Shared by all painters over the image: frames, lines with a casing, names on a ground. */

import { edgesOf } from "../geometry/pixels.js";
import { toScreen } from "../geometry/viewport.js";

/** @import {Frame, Point, VocBox} from "../geometry/types.js" */
/** @import {Model} from "../state/types.js" */
/** @import {Easel, Inks} from "./types.js" */

const TAG_PX = 18;
const TAG_PAD_PX = 6;
const TAG_BASE_PX = 13;
export const CASING = "rgb(0 0 0 / 65%)";

/** How high a name is. @param {Pick<Easel, "inks">} easel */
export function heightOfTag({ inks }) {
  return TAG_PX * inks.ui;
}

/**
 * Where a box lies on the screen.
 * @param {Pick<Model, "viewport">} model
 * @param {VocBox} box
 * @returns {Frame}
 */
export function frameOf({ viewport }, box) {
  const { left, top, right, bottom } = edgesOf(box);
  const [x, y] = toScreen(viewport, [left, top]);
  const { scale } = viewport;
  return { x, y, width: (right - left) * scale, height: (bottom - top) * scale };
}

/**
 * A line with a dark casing, so that it is seen on any photograph.
 * @param {Pick<Easel, "ctx" | "inks">} easel
 * @param {Frame} frame
 * @param {{colour: string, dash: readonly number[], lineWidth: number}} line
 */
export function strokeFrame({ ctx, inks }, { x, y, width, height }, { colour, dash, lineWidth }) {
  ctx.setLineDash([]);
  ctx.strokeStyle = CASING;
  ctx.lineWidth = (lineWidth + 1.5) * inks.ui;
  ctx.strokeRect(x, y, width, height);
  ctx.setLineDash(dash.map((length) => length * inks.ui));
  ctx.strokeStyle = colour;
  ctx.lineWidth = lineWidth * inks.ui;
  ctx.strokeRect(x, y, width, height);
  ctx.setLineDash([]);
}

const OPEN_DASH = [10, 8];

/**
 * The dashed frame of what nobody accepted yet: the casing has gaps too, so that it looks like no class's line.
 * @type {(easel: Pick<Easel, "ctx" | "inks">, frame: Frame, colour: string, lineWidth: number) => void}
 */
export function strokeOpen({ ctx, inks }, { x, y, width, height }, colour, lineWidth) {
  ctx.setLineDash(OPEN_DASH.map((length) => length * inks.ui));
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  strokeCased(ctx, colour, (lineWidth + 2) * inks.ui, lineWidth * inks.ui);
  ctx.setLineDash([]);
}

/**
 * The path on the canvas as a line with a dark casing.
 * @type {(ctx: CanvasRenderingContext2D, colour: string, casingPx: number, linePx: number) => void}
 */
export function strokeCased(ctx, colour, casingPx, linePx) {
  for (const [ink, width] of /** @type {const} */ ([
    [CASING, casingPx],
    [colour, linePx],
  ])) {
    ctx.strokeStyle = ink;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

/**
 * How wide a tag with this text is.
 * @param {Easel} easel
 * @param {string} text
 * @param {boolean} isBold
 */
export function widthOfTag({ ctx, inks }, text, isBold) {
  const font = tagFont(inks, isBold);
  const known = WIDTHS.get(font + text);
  if (known !== undefined) return known;
  ctx.font = font;
  const width = ctx.measureText(text).width + 2 * TAG_PAD_PX * inks.ui;
  WIDTHS.set(font + text, width);
  return width;
}

/** Measuring is slow, and the same few names come again and again. @type {Map<string, number>} */
const WIDTHS = new Map();

/**
 * A text on a coloured ground, with its top-left corner at a point.
 * @param {Easel} easel
 * @param {Point} at
 * @param {string} text
 * @param {{ground: string, ink: string, isBold: boolean, alpha?: number}} look
 */
export function paintTag(easel, [x, y], text, { ground, ink, isBold, alpha = 1 }) {
  const { ctx, inks } = easel;
  const width = widthOfTag(easel, text, isBold);
  ctx.globalAlpha = alpha;
  ctx.fillStyle = ground;
  ctx.beginPath();
  ctx.roundRect(x, y, width, heightOfTag(easel), 4 * inks.ui);
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.font = tagFont(inks, isBold);
  ctx.fillStyle = ink;
  ctx.fillText(text, x + TAG_PAD_PX * inks.ui, y + TAG_BASE_PX * inks.ui);
}

/**
 * @param {Inks} inks
 * @param {boolean} isBold
 */
function tagFont({ font, ui }, isBold) {
  return `${isBold ? 650 : 550} ${12 * ui}px ${font}`;
}
