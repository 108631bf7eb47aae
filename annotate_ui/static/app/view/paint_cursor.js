/** What follows the cursor: guides, the box being drawn, handles, the magnifier. */

import { heightPx, widthPx } from "../geometry/boxes.js";
import { handlesShown, placeOfHandle } from "../geometry/handles.js";
import { nearestCorner } from "../geometry/pixels.js";
import { LOUPE_PX, loupeScale, placeLoupe, toScreen } from "../geometry/viewport.js";
import { filterOf, lookOf, showsMagnifier } from "../state/display.js";
import { objectsIn, selectedBox } from "../state/editor.js";
import { findObject } from "../state/objects.js";
import { ghostOf } from "../tools/crowd.js";
import { CASING, frameOf, heightOfTag, paintTag, strokeCased, strokeFrame, widthOfTag } from "./paint.js";

/** @import {Point, Viewport, VocBox} from "../geometry/types.js" */
/** @import {Model, Pointer, Work} from "../state/types.js" */
/** @import {Easel} from "./types.js" */

/** How near to a handle is on it. @type {Readonly<Record<Pointer, number>>} */
const REACH_PX = { mouse: 8, pen: 12, touch: 22 };
/** How large a handle is seen. @type {Readonly<Record<Pointer, number>>} */
const KNOB_PX = { mouse: 8, pen: 10, touch: 18 };
const POINT_PX = 4;

/** How near to a handle is on it, in pixels of the screen. @param {Pick<Model, "pointer" | "uiScale">} model */
export function handlePx({ pointer, uiScale }) {
  return REACH_PX[pointer] * uiScale;
}

/** What is being drawn or reshaped, with its size and points. @type {(easel: Easel, work: Work) => void} */
export function paintPreview(easel, { editor, cursor }) {
  const { ctx, model, inks } = easel;
  const ghost = ghostOf(editor, cursor);
  const preview = cursor.gesture?.preview ?? (ghost && { box: ghost, target: null });
  if (!preview) return;
  if ("isBand" in preview && preview.isBand) return paintBand(easel, preview.box);
  const object = findObject([...objectsIn(editor), ...editor.suggestions], preview.target?.key);
  const colour = inks.hues[lookOf(model.looks, object?.class ?? editor.lastClass).hue];
  const frame = frameOf(model, preview.box);
  const others = preview.others ?? [];
  for (const box of [...others, preview.box])
    strokeFrame(easel, frameOf(model, box), { colour, dash: ghost ? [4, 4] : [], lineWidth: 2 });
  for (const point of preview.points ?? []) {
    paintDot(ctx, toScreen(model.viewport, nearestCorner(point, editor.size)), colour);
  }
  const size = `${widthPx(preview.box)} × ${heightPx(preview.box)}`;
  const text = others.length > 0 ? `${others.length + 1} × (${size})` : size;
  // Below the box at the right, or where the stage ends there, inside.
  const x = Math.min(frame.x + frame.width + 6, model.stage[0] - widthOfTag(easel, text, true) - 4);
  const y = Math.min(frame.y + frame.height + 6, model.stage[1] - heightOfTag(easel) - 4);
  paintTag(easel, [x, y], text, { ground: CASING, ink: "#fff", isBold: true });
}

/** The band that selects what lies in it. @type {(easel: Easel, box: VocBox) => void} */
function paintBand(easel, box) {
  const frame = frameOf(easel.model, box);
  easel.ctx.fillStyle = "rgb(255 255 255 / 12%)";
  easel.ctx.fillRect(frame.x, frame.y, frame.width, frame.height);
  strokeFrame(easel, frame, { colour: easel.inks.accent, dash: [6, 4], lineWidth: 1.5 });
}

/** Of the selected box; those that Alt and an arrow would move are marked. @type {(easel: Easel, work: Work) => void} */
export function paintHandles({ ctx, model, inks }, { editor, cursor }) {
  const target = cursor.gesture?.preview?.target;
  const box = target ? cursor.gesture?.preview?.box : selectedBox(editor);
  if (!box || editor.armed) return;
  const size = KNOB_PX[model.pointer] * model.uiScale;
  const marked = (editor.sides.y === "ymin" ? "n" : "s") + (editor.sides.x === "xmin" ? "w" : "e");
  for (const handle of handlesShown(box, handlePx(model) / model.viewport.scale)) {
    const [x, y] = toScreen(model.viewport, placeOfHandle(box, handle));
    ctx.fillStyle = handle === marked ? inks.accent : "#fff";
    ctx.strokeStyle = "#000a";
    ctx.lineWidth = 1;
    ctx.fillRect(x - size / 2, y - size / 2, size, size);
    ctx.strokeRect(x - size / 2 - 0.5, y - size / 2 - 0.5, size + 1, size + 1);
  }
}

/** The crosshair, where an edge drawn now would come to lie. @type {(easel: Easel, work: Work) => void} */
export function paintGuides({ ctx, model, inks }, { editor, cursor }) {
  const drawsOrRests = !cursor.gesture || cursor.gesture.cssCursor === "crosshair";
  if (!cursor.at || !drawsOrRests || !isWanted(editor, cursor)) return;
  const [x, y] = toScreen(model.viewport, nearestCorner(cursor.at, editor.size));
  const [width, height] = model.stage;
  for (const [colour, offset] of /** @type {const} */ ([
    ["#000a", 0.5],
    ["#fffc", -0.5],
  ])) {
    ctx.fillStyle = editor.armed && offset < 0 ? inks.accent : colour;
    ctx.fillRect(Math.round(x + offset), 0, 1, height);
    ctx.fillRect(0, Math.round(y + offset), width, 1);
  }
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
 * @param {Work["cursor"]} cursor
 */
function isWanted(editor, { at, isByKeys }) {
  if (editor.armed || !at) return true;
  const isInside = at.every((value, axis) => value >= 0 && value <= editor.size[axis]);
  return isInside && !isByKeys;
}

/** A finger hides more than a mouse. */
const DISTANCE_PX = { mouse: 28, pen: 36, touch: 64 };

/** The magnifier, while the cursor draws. @type {(easel: Easel, work: Work, image: CanvasImageSource) => void} */
export function paintLoupe({ ctx, model, inks }, { editor, cursor }, image) {
  const isDrawing = editor.armed !== null && editor.armed.kind !== "repeat";
  const isAtWork = isDrawing || (cursor.gesture?.preview && cursor.gesture.cssCursor !== "move");
  if (!cursor.at || !isAtWork || !showsMagnifier(model)) return;
  const scale = loupeScale(model.viewport.scale);
  const at = toScreen(model.viewport, cursor.at);
  const [left, top] = placeLoupe(at, model.stage, DISTANCE_PX[model.pointer]);
  const middle = /** @type {Point} */ ([left + LOUPE_PX / 2, top + LOUPE_PX / 2]);
  const corner = nearestCorner(cursor.at, editor.size);
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
  if (cursor.gesture?.preview) paintEdges(ctx, view, cursor.gesture.preview.box);
  ctx.restore();
  ctx.beginPath();
  ctx.roundRect(left, top, LOUPE_PX, LOUPE_PX, 10);
  strokeCased(ctx, "#fffc", 4, 1.5);
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
 * @param {Viewport} view
 * @param {VocBox} box
 */
function paintEdges(ctx, view, box) {
  const { x, y, width, height } = frameOf({ viewport: view }, box);
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  strokeCased(ctx, "#fff", 3, 1);
}
