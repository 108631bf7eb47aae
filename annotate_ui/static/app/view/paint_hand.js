/** What the hand does over the image: the shape that it draws, handles to grip, the crosshair. */

import { heightPx, widthPx } from "../geometry/boxes.js";
import { handlesShown, placeOfHandle } from "../geometry/handles.js";
import { nearestCorner } from "../geometry/pixels.js";
import { toScreen } from "../geometry/viewport.js";
import { objectsIn, selectedBox } from "../state/editor.js";
import { lookOf } from "../state/looks.js";
import { CASING, frameOf, heightOfTag, paintTag, strokeFrame, widthOfTag } from "./paint.js";

/** @typedef {import("./paint.js").Easel} Easel */
/** @typedef {import("./paint.js").Frame} Frame */
/** @typedef {import("../state/model.js").Work} Work */
/** @typedef {import("../state/model.js").Pointer} Pointer */
/** @typedef {import("../geometry/pixels.js").Point} Point */

/** How near to a handle is on it. @type {Readonly<Record<Pointer, number>>} */
const REACH_PX = { mouse: 8, pen: 12, touch: 22 };
/** How large a handle is seen. @type {Readonly<Record<Pointer, number>>} */
const KNOB_PX = { mouse: 8, pen: 10, touch: 18 };
const POINT_PX = 4;

/**
 * How near to a handle is on it, in pixels of the screen.
 * @param {Pick<import("../state/model.js").Model, "pointer" | "uiScale">} model
 */
export function handlePx({ pointer, uiScale }) {
  return REACH_PX[pointer] * uiScale;
}

/**
 * What the hand is drawing or reshaping, with its size in pixels and the points that it set.
 * @param {Easel} easel
 * @param {Work} work
 */
export function paintPreview(easel, { editor, hand }) {
  const { ctx, model, inks } = easel;
  const preview = hand.gesture?.preview;
  if (!preview) return;
  const object = objectsIn(editor).find(({ key }) => key === preview.target?.key);
  const colour = inks.hues[lookOf(model.looks, object?.class ?? editor.lastClass).hue];
  const frame = frameOf(model, preview.box);
  strokeFrame(easel, frame, { colour, dash: [], lineWidth: 2 });
  for (const point of preview.points ?? []) {
    paintDot(ctx, toScreen(model.viewport, nearestCorner(point, editor.size)), colour);
  }
  const text = `${widthPx(preview.box)} × ${heightPx(preview.box)}`;
  const size = /** @type {const} */ ([widthOfTag(easel, text, true), heightOfTag(easel)]);
  const place = placeOfSize(frame, model.stage, size);
  paintTag(easel, place, text, { ground: CASING, ink: "#fff", isBold: true });
}

/**
 * Handles of the selected box; the two sides that Alt and an arrow would move are marked.
 * @param {Easel} easel
 * @param {Work} work
 */
export function paintGrips({ ctx, model, inks }, { editor, hand }) {
  const target = hand.gesture?.preview?.target;
  const box = target ? hand.gesture?.preview?.box : selectedBox(editor);
  if (!box || editor.armed) return;
  const size = KNOB_PX[model.pointer] * model.uiScale;
  for (const handle of handlesShown(box, handlePx(model) / model.viewport.scale)) {
    const [x, y] = toScreen(model.viewport, placeOfHandle(box, handle));
    ctx.fillStyle = handle === markedCorner(editor.sides) ? inks.accent : "#fff";
    ctx.strokeStyle = "#000a";
    ctx.lineWidth = 1;
    ctx.fillRect(x - size / 2, y - size / 2, size, size);
    ctx.strokeRect(x - size / 2 - 0.5, y - size / 2 - 0.5, size + 1, size + 1);
  }
}

/**
 * The crosshair, on the corner of pixels where an edge drawn now would come to lie.
 * @param {Easel} easel
 * @param {Work} work
 */
export function paintGuides({ ctx, model, inks }, { editor, hand }) {
  const drawsOrRests = !hand.gesture || hand.gesture.cursor === "crosshair";
  if (!hand.at || !drawsOrRests || !isWanted(editor, hand)) return;
  const [x, y] = toScreen(model.viewport, nearestCorner(hand.at, editor.size));
  const [width, height] = model.stage;
  for (const [colour, offset] of /** @type {const} */ ([["#000a", 0.5], ["#fffc", -0.5]])) {
    ctx.fillStyle = editor.armed && offset < 0 ? inks.accent : colour;
    ctx.fillRect(Math.round(x + offset), 0, 1, height);
    ctx.fillRect(0, Math.round(y + offset), width, 1);
  }
}

/**
 * Below the box at the right, or where the stage ends there, inside.
 * @param {Frame} frame
 * @param {import("../geometry/pixels.js").Size} stage
 * @param {import("../geometry/pixels.js").Size} tag
 * @returns {Point}
 */
function placeOfSize({ x, y, width, height }, stage, tag) {
  return [
    Math.min(x + width + 6, stage[0] - tag[0] - 4),
    Math.min(y + height + 6, stage[1] - tag[1] - 4),
  ];
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Point} at
 * @param {string} colour
 */
function paintDot(ctx, [x, y], colour) {
  ctx.beginPath();
  ctx.arc(x, y, POINT_PX, 0, Math.PI * 2);
  ctx.fillStyle = colour;
  ctx.strokeStyle = CASING;
  ctx.lineWidth = 2;
  ctx.stroke();
  ctx.fill();
}

/**
 * @param {Work["editor"]} editor
 * @param {Work["hand"]} hand
 */
function isWanted(editor, { at, isByKeys }) {
  if (editor.armed || !at) return true;
  const isInside = at.every((value, axis) => value >= 0 && value <= editor.size[axis]);
  return isInside && !isByKeys;
}

/** @param {import("../state/editor.js").ActiveSides} sides */
function markedCorner({ x, y }) {
  return (y === "ymin" ? "n" : "s") + (x === "xmin" ? "w" : "e");
}
