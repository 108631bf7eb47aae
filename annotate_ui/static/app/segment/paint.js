/** Painting outlines: masks and void below, once for each change; the selected object above, in every frame. */

import { cornersOf, ringsOf } from "./corners.js";
import { toScreen } from "../geometry/viewport.js";
import { lookOfObject } from "../state/display.js";
import { objectsIn, selectedObject } from "../state/editor.js";
import { CASING, frameOf, strokeCased, strokeFrame } from "../view/paint.js";
import { paintLoupe } from "../view/paint_cursor.js";
import { paintMany } from "../view/paint_objects.js";
import { makeMemory, prepare } from "../view/stage.js";
import { isBrush, proposalFor } from "./tools.js";
import { addVoid, labelPixels, VOID } from "./rings.js";

/** @import {Point} from "../geometry/types.js" */
/** @import {Model, ModelClick, Work} from "../state/types.js" */
/** @import {Rings} from "../types.js" */
/** @import {Easel, Inks, Scene} from "../view/types.js" */
/** @import {LiveWire} from "./live_wire.js" */

const MASK_ALPHA = 110;
/** VOC's own colour of void, in its palette. */
const VOID_INK = [224, 224, 192, 215];
const KNOB_PX = 5;
/** With more corners than this, knobs would hide the outline, except in a close view. */
const MOST_KNOBS = 300;
const CLOSE_SCALE = 4;

/**
 * @param {HTMLCanvasElement} below
 * @param {HTMLCanvasElement} above
 * @param {Pick<LiveWire, "leadTo">} wire
 * @returns {(scene: Scene) => void}
 */
export function makeSegmentLayers(below, above, wire) {
  const paintMasks = makeMaskPainter(below);
  return ({ model, inks, image }) => {
    paintMasks(model, inks);
    const ctx = prepare(above, model.stage);
    ctx.clearRect(0, 0, ...model.stage);
    if (!model.work || model.screen !== "work") return;
    paintSelected({ ctx, model, inks }, model.work, wire);
    paintTool({ ctx, model, inks }, model.work);
    const { editor } = model.work;
    const isDrawing = editor.armed !== null || Boolean(selectedObject(editor)?.open);
    const asArmed = { ...editor, armed: isDrawing ? /** @type {const} */ ({ kind: "piece" }) : null };
    if (image) paintLoupe({ ctx, model, inks }, { ...model.work, editor: asArmed }, image);
  };
}

/** @param {HTMLCanvasElement} canvas */
function makeMaskPainter(canvas) {
  const masks = document.createElement("canvas");
  const areMasksOther = makeMemory();
  const isOther = makeMemory();
  let count = 0;
  return (/** @type {Model} */ model, /** @type {Inks} */ inks) => {
    const { work, viewport, stage, showsBoxes, showsLabels } = model;
    const isSeen = work !== null && model.screen === "work";
    const objects = work ? objectsIn(work.editor) : [];
    if (
      work &&
      areMasksOther(
        work.task.image_id,
        inks,
        model.preferences.colours,
        ...objects.flatMap(({ key, rings, depth }) => [key, rings, depth]),
      )
    ) {
      fillMasks(masks, model, work, inks);
      count += 1;
    }
    if (
      !isOther(
        count,
        viewport,
        stage,
        devicePixelRatio,
        isSeen,
        showsBoxes,
        showsLabels,
        model.preferences.colours,
        work?.judgements,
      )
    )
      return;
    const ctx = prepare(canvas, stage);
    ctx.clearRect(0, 0, ...stage);
    if (!isSeen || !showsBoxes) return;
    const [width, height] = work.editor.size;
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(masks, viewport.x, viewport.y, width * viewport.scale, height * viewport.scale);
    paintMany(
      { ctx, model, inks },
      work,
      objects.filter(({ rings, isVoid }) => !rings?.length && !isVoid),
    );
  };
}

/**
 * Every pixel in the colour of its object, so that neighbours of one class stay apart, and void as it will be released.
 * @param {HTMLCanvasElement} canvas
 * @param {Model} model
 * @param {Work} work
 * @param {Inks} inks
 */
function fillMasks(canvas, model, { editor, task }, inks) {
  const objects = objectsIn(editor);
  const labels = labelPixels(objects, editor.size);
  const seen = addVoid(labels, objects, editor.size, task);
  const colours = new Uint32Array(256);
  const bytes = new Uint8Array(colours.buffer);
  objects.forEach((object, at) => {
    const hue = inks.hues[lookOfObject(model, object).hue];
    bytes.set(
      [1, 3, 5].map((place) => parseInt(hue.slice(place, place + 2), 16)),
      4 * (at + 1),
    );
    bytes[4 * (at + 1) + 3] = MASK_ALPHA;
  });
  bytes.set(VOID_INK, 4 * VOID);
  [canvas.width, canvas.height] = editor.size;
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const pixels = ctx.createImageData(...editor.size);
  const painted = new Uint32Array(pixels.data.buffer);
  for (let at = 0; at < seen.length; at += 1) painted[at] = colours[seen[at]];
  ctx.putImageData(pixels, 0, 0);
}

/**
 * The selected object: its box, its rings with their corners, its open outline.
 * @param {Easel} easel
 * @param {Work} work
 * @param {Pick<LiveWire, "leadTo">} wire
 */
function paintSelected(easel, { editor, cursor }, wire) {
  const { model, inks } = easel;
  const object = selectedObject(editor);
  if (!object || !(model.showsBoxes || object.open)) return;
  const colour = object.isVoid ? "#fff" : inks.hues[lookOfObject(model, object).hue];
  if (!object.isVoid)
    strokeFrame(easel, frameOf(model, object.box), { colour, dash: [6, 4], lineWidth: 1.5 });
  const proposal = proposalFor(model.segmentTool, object);
  const shown = proposal?.rings ?? cursor.gesture?.sketch?.rings ?? ringsOf(object);
  strokeLines(easel, shown, colour, { isClosed: true, dash: proposal ? [7, 5] : [] });
  if (!proposal && !isBrush(model.segmentTool.kind)) paintKnobs(easel, shown, editor.selection?.part ?? null);
  const { open } = object;
  if (!open) return;
  const trail = cursor.gesture?.sketch?.trail?.flat() ?? [];
  const at = cursor.at;
  const isWire = model.segmentTool.kind === "wire";
  const ahead = at && isWire ? wire.leadTo(editor, at).flat() : [...trail, ...(at ?? [])];
  const loose = [...open.points, ...ahead];
  strokeLines(easel, [loose], colour, { isClosed: false, dash: open.isHole ? [3, 3] : [] });
  paintKnobs(easel, [open.points], 0);
}

/**
 * What the tool is doing: a freehand line, the width of the brush, the strokes on a proposal, the cross.
 * @param {Easel} easel
 * @param {Work} work
 */
function paintTool(easel, { editor, cursor }) {
  const { ctx, model } = easel;
  const { kind, widthPx } = model.segmentTool;
  const proposal = proposalFor(model.segmentTool, selectedObject(editor));
  const { trail, widthPx: strokePx } = cursor.gesture?.sketch ?? {};
  strokeLines(easel, proposal?.add ?? [], "#7dff9a", { isClosed: false, dash: [] });
  strokeLines(easel, proposal?.remove ?? [], "#ff7d7d", { isClosed: false, dash: [] });
  paintClicks(easel, proposal?.clicks ?? []);
  if (trail && !selectedObject(editor)?.open) {
    const ink = proposal?.isRemoving || kind === "eraser" ? "#ff7d7d" : "#fff";
    strokeLines(easel, [trail.flat()], strokePx ? `${ink}88` : ink, {
      isClosed: false,
      dash: [],
      widthPx: strokePx,
    });
  }
  if (!cursor.at) return;
  const [x, y] = toScreen(model.viewport, cursor.at);
  if (cursor.isByKeys) paintCross(ctx, [x, y]);
  if (!isBrush(kind) || proposal) return;
  ctx.beginPath();
  ctx.arc(x, y, (widthPx / 2) * model.viewport.scale, 0, 2 * Math.PI);
  strokeCased(ctx, "#fff", 3, 1);
}

/**
 * Where the model was clicked for: green on the object, red beside it.
 * @param {Easel} easel
 * @param {readonly ModelClick[]} clicks
 */
function paintClicks({ ctx, model }, clicks) {
  for (const { x, y, is_inside: isInside } of clicks) {
    ctx.beginPath();
    ctx.arc(...toScreen(model.viewport, [x, y]), KNOB_PX * model.uiScale, 0, 2 * Math.PI);
    Object.assign(ctx, { fillStyle: isInside ? "#7dff9a" : "#ff7d7d", strokeStyle: CASING, lineWidth: 1.5 });
    ctx.fill();
    ctx.stroke();
  }
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Point} at on the screen
 */
function paintCross(ctx, [x, y]) {
  for (const [ink, width] of /** @type {const} */ ([
    [CASING, 3],
    ["#fff", 1],
  ])) {
    ctx.fillStyle = ink;
    ctx.fillRect(x - 14, y - width / 2, 28, width);
    ctx.fillRect(x - width / 2, y - 14, width, 28);
  }
}

/**
 * Rings, or lines that are not closed, with a dark casing; `widthPx` is in pixels of the image.
 * @param {Easel} easel
 * @param {Rings} lines
 * @param {string} colour
 * @param {{isClosed: boolean, dash: readonly number[], widthPx?: number}} how
 */
function strokeLines({ ctx, model, inks }, lines, colour, { isClosed, dash, widthPx }) {
  const { scale, x, y } = model.viewport;
  ctx.beginPath();
  for (const line of lines) {
    ctx.moveTo(line[0] * scale + x, line[1] * scale + y);
    for (let at = 0; at < line.length; at += 2) ctx.lineTo(line[at] * scale + x, line[at + 1] * scale + y);
    if (isClosed) ctx.closePath();
  }
  Object.assign(ctx, { lineJoin: "round", lineCap: "round", strokeStyle: CASING, lineWidth: 3.5 * inks.ui });
  if (!widthPx) ctx.stroke();
  Object.assign(ctx, { strokeStyle: colour, lineWidth: widthPx ? widthPx * scale : 2 * inks.ui });
  ctx.setLineDash(dash.map((length) => length * inks.ui));
  ctx.stroke();
  ctx.setLineDash([]);
}

/**
 * Small squares on the corners; the selected one is filled.
 * @param {Easel} easel
 * @param {Rings} rings
 * @param {number | null} selected
 */
function paintKnobs({ ctx, model, inks }, rings, selected) {
  const isCrowded = cornersOf(rings).length > MOST_KNOBS && model.viewport.scale < CLOSE_SCALE;
  if (isCrowded) return;
  const size = KNOB_PX * model.uiScale;
  ctx.beginPath();
  for (const corner of cornersOf(rings)) {
    const [x, y] = toScreen(model.viewport, corner);
    ctx.rect(x - size / 2, y - size / 2, size, size);
  }
  Object.assign(ctx, { fillStyle: "#fff", strokeStyle: CASING, lineWidth: 1 });
  ctx.stroke();
  ctx.fill();
  const corner = selected === null ? undefined : cornersOf(rings)[selected];
  if (!corner) return;
  const [x, y] = toScreen(model.viewport, corner);
  ctx.fillStyle = inks.accent;
  ctx.fillRect(x - size, y - size, 2 * size, 2 * size);
}
