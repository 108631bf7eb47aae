/** Boxes with their parts, points and names. */

import { isDense, placeLabels, placesFor } from "../geometry/labels.js";
import { middleOfPixel } from "../geometry/pixels.js";
import { toScreen } from "../geometry/viewport.js";
import { DASHES, lookOfObject } from "../state/display.js";
import { objectsIn } from "../state/editor.js";
import { worstOf } from "../state/findings.js";
import { UNSPECIFIED } from "../state/objects.js";
import { displayOf, displayOfClass } from "../state/party.js";
import {
  CASING,
  frameOf,
  heightOfTag,
  paintTag,
  strokeCased,
  strokeFrame,
  strokeOpen,
  widthOfTag,
} from "./paint.js";
import { flagLetters, saySuggestion } from "./words.js";

/** @import {Frame, Point} from "../geometry/types.js" */
/** @import {Model, Objects, Work} from "../state/types.js" */
/** @import {Annotated, Change} from "../types.js" */
/** @import {Easel, Emphasis, Inks, Names, Tag} from "./types.js" */

const BADGE_PX = 8;
const NO_EMPHASIS = { isSelected: false, isHovered: false };

/** @type {Names} */
export const NO_NAMES = { isDense: true, places: new Map() };

/**
 * Paints boxes, and then the names that have room; dense where there were too many to paint any.
 * @type {(easel: Easel, work: Work, objects: Objects) => Names}
 */
export function paintMany(easel, work, objects) {
  const { model } = easel;
  const seen = objects.filter(({ box }) => {
    const { x, y, width, height } = frameOf(model, box);
    return x + width > -40 && y + height > -40 && x < model.stage[0] + 40 && y < model.stage[1] + 40;
  });
  for (const change of work.task.changes ?? []) paintEarlier(easel, change);
  for (const object of seen) paintBox(easel, object, NO_EMPHASIS);
  for (const object of objects) paintParts(easel, object, NO_EMPHASIS, null);
  return paintNames(easel, work, seen);
}

/**
 * The place of a box at the last verdict, if it was moved or removed.
 * @param {Easel} easel
 * @param {Change} change
 */
function paintEarlier({ ctx, model, inks }, { before, after }) {
  if (!before || before.box.join() === after?.box.join()) return;
  const colour = after ? "#fff" : inks.danger;
  strokeFrame({ ctx, inks }, frameOf(model, before.box), { colour, dash: [5, 4], lineWidth: 1.5 });
}

/**
 * One box that stands out: selected, pointed at, or changed since the others were painted.
 * @param {Easel} easel
 * @param {Work} work
 * @param {Annotated} object
 * @param {Emphasis & {hasName: boolean, place: Point | undefined}} how
 */
export function paintOne(easel, work, object, { hasName, place, ...emphasis }) {
  const held = work.cursor.gesture?.preview?.target;
  const heldPart = held?.key === object.key ? held.part : undefined;
  const isHeldWhole = heldPart === null;
  if (!isHeldWhole) paintBox(easel, object, emphasis);
  paintParts(easel, object, emphasis, heldPart ?? null);
  const tag = describe(easel, work, object, emphasis.isSelected);
  if (hasName && !isHeldWhole) paintName(easel, object, tag, place);
}

/**
 * The name of a box where it stood, else above it or wherever the stage has room.
 * @type {(easel: Easel, object: Annotated, tag: Tag, stood: Point | undefined) => void}
 */
function paintName(easel, object, tag, stood) {
  const { model } = easel;
  const width = widthOfTag(easel, tag.text, tag.isBold);
  const [free] = placesFor(frameOf(model, object.box), width, model.stage, heightOfTag(easel));
  const place = stood ?? free;
  if (!place) return;
  const x = Math.max(Math.min(place[0], model.stage[0] - width), 0);
  paintTag(easel, [x, place[1]], tag.text, tag);
}

/**
 * @param {Easel} easel
 * @param {Work} work
 * @param {Objects} objects
 * @returns {Names}
 */
function paintNames(easel, work, objects) {
  const { model } = easel;
  if (!model.showsLabels) return NO_NAMES;
  const tags = objects.map((object) => describe(easel, work, object, false));
  const wanted = tags.map(({ text, isBold }, index) => ({
    frame: frameOf(model, objects[index].box),
    width: widthOfTag(easel, text, isBold),
  }));
  const heightPx = heightOfTag(easel);
  if (isDense(wanted, model.stage, heightPx)) return NO_NAMES;
  const places = new Map();
  placeLabels(wanted, model.stage, heightPx).forEach((place, index) => {
    const tag = tags[index];
    if (!place) return;
    places.set(objects[index].key, place);
    paintTag(easel, place, tag.text, { ...tag, alpha: 0.88 });
  });
  return { isDense: false, places };
}

/**
 * "✓ person · T O", and for the selected object its number and its view too.
 * @param {Easel} easel
 * @param {Work} work
 * @param {Annotated} object
 * @param {boolean} isSelected
 * @returns {Tag}
 */
function describe({ model, inks }, { judgements }, object, isSelected) {
  if (object.confidence !== undefined) return describeSuggestion(model, inks, object, isSelected);
  const verdict = judgements.get(object.key)?.verdict;
  const mark = verdict === "accept" ? "✓ " : verdict === "reject" ? "✗ " : "";
  const number = isSelected ? `${model.work ? objectsIn(model.work.editor).indexOf(object) + 1 : ""} ` : "";
  const view = object.view === UNSPECIFIED || !isSelected ? "" : displayOf(model.party, "view", object.view);
  const parts = [displayOfClass(model.party, object.class), view, flagLetters(object)];
  const text = mark + number + parts.filter(Boolean).join(" · ");
  const hue = inks.hues[lookOfObject(model, object).hue];
  return { text, ground: verdict === "reject" ? inks.danger : hue, ink: inks.ink, isBold: isSelected };
}

/**
 * "person 87 %", in the class's colour on a dark ground, where an object's name is dark on the colour.
 * @type {(model: Model, inks: Inks, suggestion: Annotated, isSelected: boolean) => Tag}
 */
function describeSuggestion(model, inks, suggestion, isSelected) {
  const text = saySuggestion(model.party, suggestion);
  const ink = inks.hues[lookOfObject(model, suggestion).hue];
  return { text, ground: "rgb(0 0 0 / 80%)", ink, isBold: isSelected };
}

/**
 * @param {Easel} easel
 * @param {Annotated} object
 * @param {Emphasis} emphasis
 */
function paintBox({ ctx, model, inks }, object, { isSelected, isHovered }) {
  const frame = frameOf(model, object.box);
  const { hue, dash } = lookOfObject(model, object);
  const colour = inks.hues[hue];
  if (isHovered && !isSelected) {
    ctx.fillStyle = `${colour}22`;
    ctx.fillRect(frame.x, frame.y, frame.width, frame.height);
  }
  const lineWidth = isSelected ? 3 : isHovered ? 2.5 : 2;
  if (object.confidence !== undefined) return strokeOpen({ ctx, inks }, frame, colour, lineWidth);
  strokeFrame({ ctx, inks }, frame, { colour, dash: DASHES[dash], lineWidth });
  const severity = model.work && worstOf(model.work.found, object.key);
  if (severity) paintBadge({ ctx, model, inks }, frame, severity);
  if (object.point) paintPoint(ctx, toScreen(model.viewport, middleOfPixel(object.point)), colour);
}

/**
 * Marks a box with a finding, inside its corner so that no name covers the mark.
 * @type {(easel: Easel, frame: Frame, severity: string) => void}
 */
function paintBadge({ ctx, model, inks }, frame, severity) {
  const radius = BADGE_PX * inks.ui;
  const right = Math.min(frame.x + frame.width, model.stage[0]) - radius - 3 * inks.ui;
  const x = Math.max(right, frame.x + radius);
  const y = Math.max(frame.y, 0) + radius + 3 * inks.ui;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, Math.PI * 2);
  ctx.fillStyle = severity === "error" ? inks.danger : severity === "warning" ? inks.warn : "#fff";
  ctx.fill();
  ctx.lineWidth = 1.5 * inks.ui;
  ctx.strokeStyle = CASING;
  ctx.stroke();
  ctx.fillStyle = inks.ink;
  ctx.font = `800 ${12 * inks.ui}px ${inks.font}`;
  ctx.textAlign = "center";
  ctx.fillText("!", x, y + 4.2 * inks.ui);
  ctx.textAlign = "start";
}

/**
 * @param {Easel} easel
 * @param {Annotated} object
 * @param {Emphasis} emphasis
 * @param {number | null} heldPart
 */
function paintParts({ ctx, model, inks }, object, { isSelected }, heldPart) {
  const colour = inks.hues[lookOfObject(model, object).hue];
  object.parts.forEach((part, index) => {
    if (index === heldPart) return;
    const frame = frameOf(model, part.box);
    strokeFrame({ ctx, inks }, frame, { colour, dash: [3, 2], lineWidth: isSelected ? 2 : 1.25 });
    if (isSelected && model.showsLabels) paintPartName({ ctx, model, inks }, frame, part.part);
  });
}

/**
 * @param {Easel} easel
 * @param {Frame} frame
 * @param {string} id of the part
 */
function paintPartName({ ctx, model, inks }, frame, id) {
  const display = displayOf(model.party, "part", id);
  ctx.font = `600 ${11 * inks.ui}px ${inks.font}`;
  ctx.lineWidth = 3;
  ctx.lineJoin = "round";
  ctx.strokeStyle = CASING;
  ctx.strokeText(display, frame.x + 3, frame.y + frame.height - 4);
  ctx.fillStyle = "#fff";
  ctx.fillText(display, frame.x + 3, frame.y + frame.height - 4);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Point} at on the screen
 * @param {string} colour
 */
function paintPoint(ctx, [x, y], colour) {
  ctx.beginPath();
  ctx.arc(x, y, 6, 0, Math.PI * 2);
  ctx.moveTo(x - 10, y);
  ctx.lineTo(x + 10, y);
  ctx.moveTo(x, y - 10);
  ctx.lineTo(x, y + 10);
  strokeCased(ctx, colour, 5, 2.5);
}
