/** Boxes, handles and guides painted over the image; reads the model, writes pixels. */

import { heightPx, widthPx } from "../geometry/boxes.js";
import { handlesShown, placeOfHandle } from "../geometry/handles.js";
import { edgesOf, middleOfPixel, nearestCorner } from "../geometry/pixels.js";
import { toScreen } from "../geometry/viewport.js";
import { objectsIn, selectedBox } from "../state/editor.js";
import { DASHES, lookOf } from "../state/looks.js";
import { describeTag } from "./words.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../state/model.js").Work} Work */
/** @typedef {import("../types.js").Annotated} Annotated */
/** @typedef {import("../geometry/pixels.js").VocBox} VocBox */
/** @typedef {import("../geometry/pixels.js").Point} Point */
/** @typedef {{hues: string[], ink: string, accent: string, danger: string, font: string}} Inks */
/** @typedef {{ctx: CanvasRenderingContext2D, model: Model, inks: Inks}} Easel */
/** @typedef {{x: number, y: number, width: number, height: number}} Frame on the screen */

export const HANDLE_PX = 8;
const TAG_PX = 18;
const CASING = "rgb(0 0 0 / 65%)";

/**
 * Everything that lies over the image.
 * @param {Easel} easel
 * @param {Work} work
 */
export function paintOverlay(easel, work) {
  const { ctx, model } = easel;
  ctx.clearRect(0, 0, ...model.stage);
  if (model.showsBoxes) paintObjects(easel, work);
  paintPreview(easel, work);
  if (model.showsBoxes) paintGrips(easel, work);
  paintGuides(easel, work);
}

/**
 * The selected object last, so that it lies on top.
 * @param {Easel} easel
 * @param {Work} work
 */
function paintObjects(easel, { editor, hand, judgements }) {
  const selectedKey = editor.selection?.key;
  const held = hand.gesture?.preview?.target ?? null;
  const objects = objectsIn(editor).toSorted((one, other) =>
    Number(one.key === selectedKey) - Number(other.key === selectedKey),
  );
  for (const object of objects) {
    const isHeldWhole = held?.key === object.key && held.part === null;
    const isSelected = object.key === selectedKey;
    const judgement = judgements.get(object.key)?.verdict ?? null;
    if (!isHeldWhole) paintObject(easel, object, { isSelected, judgement });
    paintParts(easel, object, isSelected, held?.key === object.key ? held.part : null);
  }
}

/**
 * @param {Easel} easel
 * @param {Annotated} object
 * @param {{isSelected: boolean, judgement: "accept" | "reject" | null}} state
 */
function paintObject(easel, object, { isSelected, judgement }) {
  const { ctx, model, inks } = easel;
  const frame = frameOf(model, object.box);
  if (!isInSight(frame, model)) return;
  const { hue, dash } = lookOf(model.looks, object.class);
  const isHovered = model.hovered === object.key;
  const lineWidth = isSelected ? 3 : isHovered ? 2.5 : 2;
  if (isHovered && !isSelected) fillFrame(ctx, frame, `${inks.hues[hue]}22`);
  strokeFrame(ctx, frame, { colour: inks.hues[hue], dash: DASHES[dash], lineWidth });
  if (object.point) paintPoint(easel, object.point, inks.hues[hue]);
  if (!model.showsLabels && !isSelected) return;
  const mark = judgement === "accept" ? "✓ " : judgement === "reject" ? "✗ " : "";
  const text = mark + describeTag(model.party, object, isSelected);
  const ground = judgement === "reject" ? inks.danger : inks.hues[hue];
  paintTag(easel, frame, text, ground, isSelected);
}

/**
 * @param {Easel} easel
 * @param {Annotated} object
 * @param {boolean} isSelected
 * @param {number | null} heldPart
 */
function paintParts({ ctx, model, inks }, object, isSelected, heldPart) {
  const colour = inks.hues[lookOf(model.looks, object.class).hue];
  object.parts.forEach((part, index) => {
    if (index === heldPart) return;
    const frame = frameOf(model, part.box);
    strokeFrame(ctx, frame, { colour, dash: [3, 2], lineWidth: isSelected ? 2 : 1.25 });
    if (isSelected && model.showsLabels) paintPartName({ ctx, model, inks }, frame, part.name);
  });
}

/**
 * What the hand is drawing or reshaping, with its size in pixels.
 * @param {Easel} easel
 * @param {Work} work
 */
function paintPreview({ ctx, model, inks }, { editor, hand }) {
  const preview = hand.gesture?.preview;
  if (!preview) return;
  const object = objectsIn(editor).find(({ key }) => key === preview.target?.key);
  const look = lookOf(model.looks, object?.class ?? editor.lastClass);
  const frame = frameOf(model, preview.box);
  strokeFrame(ctx, frame, { colour: inks.hues[look.hue], dash: [], lineWidth: 2 });
  const text = `${widthPx(preview.box)} × ${heightPx(preview.box)}`;
  ctx.font = `600 12px ${inks.font}`;
  const width = ctx.measureText(text).width + 12;
  const [x, y] = [frame.x + frame.width + 6, frame.y + frame.height + 6];
  ctx.fillStyle = CASING;
  roundRect(ctx, x, y, width, TAG_PX);
  ctx.fillStyle = "#fff";
  ctx.fillText(text, x + 6, y + 13);
}

/**
 * Handles of the selected box; the two sides that Alt and an arrow would move are marked.
 * @param {Easel} easel
 * @param {Work} work
 */
function paintGrips({ ctx, model, inks }, { editor, hand }) {
  const target = hand.gesture?.preview?.target;
  const box = target ? hand.gesture?.preview?.box : selectedBox(editor);
  if (!box || editor.armed) return;
  const reachPx = HANDLE_PX / model.viewport.scale;
  for (const handle of handlesShown(box, reachPx)) {
    const [x, y] = toScreen(model.viewport, placeOfHandle(box, handle));
    const isMarked = handle === markedCorner(editor.sides);
    ctx.fillStyle = isMarked ? inks.accent : "#fff";
    ctx.strokeStyle = "#000a";
    ctx.lineWidth = 1;
    ctx.fillRect(x - HANDLE_PX / 2, y - HANDLE_PX / 2, HANDLE_PX, HANDLE_PX);
    ctx.strokeRect(x - HANDLE_PX / 2 - 0.5, y - HANDLE_PX / 2 - 0.5, HANDLE_PX + 1, HANDLE_PX + 1);
  }
}

/**
 * The crosshair, on the corner of pixels where an edge drawn now would come to lie.
 * @param {Easel} easel
 * @param {Work} work
 */
function paintGuides({ ctx, model, inks }, { editor, hand }) {
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

/**
 * @param {Easel} easel
 * @param {Point} pixel
 * @param {string} colour
 */
function paintPoint({ ctx, model }, pixel, colour) {
  const [x, y] = toScreen(model.viewport, middleOfPixel(pixel));
  for (const [ink, width] of /** @type {const} */ ([[CASING, 5], [colour, 2.5]])) {
    ctx.strokeStyle = ink;
    ctx.lineWidth = width;
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.arc(x, y, 6, 0, Math.PI * 2);
    ctx.moveTo(x - 10, y);
    ctx.lineTo(x + 10, y);
    ctx.moveTo(x, y - 10);
    ctx.lineTo(x, y + 10);
    ctx.stroke();
  }
}

/**
 * A line with a dark casing, so that it is seen on any photograph.
 * @param {CanvasRenderingContext2D} ctx
 * @param {Frame} frame
 * @param {{colour: string, dash: readonly number[], lineWidth: number}} line
 */
function strokeFrame(ctx, { x, y, width, height }, { colour, dash, lineWidth }) {
  ctx.setLineDash([]);
  ctx.strokeStyle = CASING;
  ctx.lineWidth = lineWidth + 1.5;
  ctx.strokeRect(x, y, width, height);
  ctx.setLineDash([...dash]);
  ctx.strokeStyle = colour;
  ctx.lineWidth = lineWidth;
  ctx.strokeRect(x, y, width, height);
  ctx.setLineDash([]);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Frame} frame
 * @param {string} colour
 */
function fillFrame(ctx, { x, y, width, height }, colour) {
  ctx.fillStyle = colour;
  ctx.fillRect(x, y, width, height);
}

/**
 * The object's name above its box, or inside where there is no room above.
 * @param {Easel} easel
 * @param {Frame} frame
 * @param {string} text
 * @param {string} ground
 * @param {boolean} isSelected
 */
function paintTag({ ctx, model, inks }, frame, text, ground, isSelected) {
  ctx.font = `${isSelected ? 650 : 550} 12px ${inks.font}`;
  const width = ctx.measureText(text).width + 12;
  const x = Math.max(Math.min(frame.x - 1, model.stage[0] - width), 0);
  const isRoomAbove = frame.y >= TAG_PX + 2;
  const y = isRoomAbove ? frame.y - TAG_PX - 1 : Math.max(frame.y + 2, 2);
  ctx.globalAlpha = isSelected ? 1 : 0.88;
  ctx.fillStyle = ground;
  roundRect(ctx, x, y, width, TAG_PX);
  ctx.globalAlpha = 1;
  ctx.fillStyle = inks.ink;
  ctx.fillText(text, x + 6, y + 13);
}

/**
 * @param {Easel} easel
 * @param {Frame} frame
 * @param {string} name
 */
function paintPartName({ ctx, model, inks }, frame, name) {
  const display = model.party.parts.find((part) => part.name === name)?.display ?? name;
  ctx.font = `600 11px ${inks.font}`;
  ctx.lineWidth = 3;
  ctx.lineJoin = "round";
  ctx.strokeStyle = CASING;
  ctx.strokeText(display, frame.x + 3, frame.y + frame.height - 4);
  ctx.fillStyle = "#fff";
  ctx.fillText(display, frame.x + 3, frame.y + frame.height - 4);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function roundRect(ctx, x, y, width, height) {
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, 4);
  ctx.fill();
}

/**
 * @param {Model} model
 * @param {VocBox} box
 * @returns {Frame}
 */
function frameOf({ viewport }, box) {
  const { left, top, right, bottom } = edgesOf(box);
  const [x, y] = toScreen(viewport, [left, top]);
  const { scale } = viewport;
  return { x, y, width: (right - left) * scale, height: (bottom - top) * scale };
}

/**
 * @param {Frame} frame
 * @param {Model} model
 */
function isInSight({ x, y, width, height }, { stage }) {
  return x + width > -40 && y + height > -40 && x < stage[0] + 40 && y < stage[1] + 40;
}
