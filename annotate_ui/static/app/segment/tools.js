/** What a press on the image does with outlines: set corners, draw freehand or along edges, click for a model, move corners, brush, choose. */

import { shapesAt } from "../geometry/handles.js";
import { distance, within } from "../geometry/pixels.js";
import { objectsIn, refuse, select, selectedObject } from "../state/editor.js";
import { finish, giveUp } from "../tools/tool.js";
import { changeCorner, cornersOf, distanceTo, linesOf, ringsOf, snapCorner } from "./corners.js";
import * as outline from "./outline.js";
import { labelPixels } from "./rings.js";

/** @import {Point} from "../geometry/types.js" */
/** @import {Editor, SegmentTool} from "../state/types.js" */
/** @import {Gesture, PickTool, Scene, Sketch, Step, Tool} from "../tools/types.js" */
/** @import {Annotated} from "../types.js" */

/** @import {LiveWire} from "./live_wire.js" */

/** @typedef {(trail: readonly Point[]) => void} OnStroke */
/** @typedef {(at: Point, isRemoving: boolean) => void} OnClick */
/** @typedef {Pick<LiveWire, "fix" | "close">} Wire */

/**
 * Which tool a press begins. Strokes over a proposed outline go to `onStroke`, clicks for the party's model to `onClick`.
 * @param {() => SegmentTool} getTool
 * @param {OnStroke} onStroke
 * @param {Wire} wire
 * @param {OnClick} onClick
 * @returns {PickTool}
 */
export function makePicker(getTool, onStroke, wire, onClick) {
  return (scene, at) => {
    const { editor, isPicking, reachPx } = scene;
    const { kind, widthPx } = getTool();
    const object = selectedObject(editor);
    if (isPicking || !object) return chooser;
    const proposal = proposalFor(getTool(), object);
    if (kind === "click" && takesClicks(object)) return clicker(onClick, proposal && onStroke);
    if (proposal) {
      return pen((_, trail) => {
        onStroke(trail);
        return giveUp();
      });
    }
    const isErasing = kind === "eraser";
    if (isBrush(kind))
      return pen((_, trail) => edit((editor) => outline.brush(editor, trail, widthPx, isErasing)), widthPx);
    if (object.open || editor.armed || ringsOf(object).length === 0)
      return kind === "wire" ? wirer(wire) : outliner;
    return cornerTool(object, at, reachPx) ?? chooser;
  };
}

/** Whether the tool paints pixels; the others set corners. @param {SegmentTool["kind"]} kind */
export function isBrush(kind) {
  return kind === "brush" || kind === "eraser";
}

/**
 * What is proposed for this object, or null; nothing is where a person has drawn.
 * @param {SegmentTool} tool
 * @param {Annotated | null} object
 */
export function proposalFor({ proposal }, object) {
  return object && proposal?.key === object.key && !outline.isDrawnOn(object) ? proposal : null;
}

/** Whether a model may outline the object: it is one, and nothing is drawn of it. @param {Annotated} object */
export function takesClicks(object) {
  return !object.isVoid && !outline.isDrawnOn(object);
}

/**
 * @param {(editor: Editor) => Editor} change
 * @returns {Step}
 */
const edit = (change) => finish({ kind: "edit", change });

/**
 * @param {Gesture["drag"]} drag
 * @param {Gesture["up"]} up
 * @param {Sketch} sketch
 * @returns {Gesture}
 */
const held = (drag, up, sketch) => ({
  cssCursor: "crosshair",
  isHeld: true,
  preview: null,
  sketch,
  drag,
  up,
  cancel: giveUp,
});

/**
 * A tool that draws a line while the button is down, and is told all of it at the end.
 * @type {(end: (scene: Scene, trail: readonly Point[]) => Step, widthPx?: number) => Tool}
 */
function pen(end, widthPx) {
  /** @type {(scene: Scene, trail: readonly Point[]) => Gesture} */
  const drawing = (scene, trail) =>
    held(
      (next) => drawing(scene, [...trail, next]),
      (last) => end(scene, [...trail, last]),
      { trail, widthPx },
    );
  return { cssCursor: "crosshair", down: (scene, at) => drawing(scene, [at]) };
}

/** A click sets a corner, or closes the outline on its first one; a drag is traced. */
const outliner = pen((scene, trail) => {
  const isClick = trail.every((point) => distance(point, trail[0]) <= scene.slackPx);
  const at = trail[trail.length - 1];
  if (isClick && isAtStart(scene, at)) return edit((editor) => outline.closeOutline(editor));
  return edit((editor) => outline.addCorners(editor, isClick ? [at] : trail));
});

/** A click is on the object or, with Shift, beside it; a drag over what is proposed is a stroke. @type {(onClick: OnClick, onStroke: OnStroke | null) => Tool} */
const clicker = (onClick, onStroke) =>
  pen((scene, trail) => {
    const isClick = trail.every((point) => distance(point, trail[0]) <= scene.slackPx);
    if (isClick || !onStroke) onClick(trail[0], Boolean(scene.isGathering));
    else onStroke(trail);
    return giveUp();
  });

/** Where the button goes up, the line that follows the edge is fixed, or closed on its first corner. @param {Wire} wire */
function wirer(wire) {
  /** @type {(scene: Scene) => Gesture} */
  const following = (scene) =>
    held(
      () => following(scene),
      (at) => edit((editor) => (isAtStart(scene, at) ? wire.close(editor) : wire.fix(editor, at))),
      {},
    );
  return { cssCursor: "crosshair", down: following };
}

/** Whether a point is on the first corner of the outline that is open. @type {(scene: Scene, at: Point) => boolean} */
function isAtStart({ editor, reachPx }, at) {
  const [x, y] = selectedObject(editor)?.open?.points ?? [];
  return x !== undefined && distance(at, [x, y]) <= reachPx;
}

/** A click selects what is seen there, else the smallest box without an outline. @type {Tool} */
const chooser = {
  cssCursor: "default",
  down: (_, at) =>
    held(
      () => chooser.down(_, at),
      () => edit((editor) => chooseAt(editor, at)),
      {},
    ),
};

/**
 * @param {Editor} editor
 * @param {Point} at
 * @returns {Editor}
 */
function chooseAt(editor, [x, y]) {
  const objects = objectsIn(editor);
  const [width, height] = editor.size;
  if (x < 0 || y < 0 || x >= width || y >= height) return editor;
  const label = labelPixels(objects, editor.size)[Math.floor(y) * width + Math.floor(x)];
  const undrawn = objects.filter(({ rings }) => !rings?.length);
  const object = label > 0 ? objects[label - 1] : shapesAt(undrawn, [x, y])[0];
  return object ? select(editor, { key: object.key, part: null }) : refuse(editor, null);
}

/**
 * Moves the corner near to a point, or adds one on the edge near to it; null where neither is.
 * @type {(object: Annotated, at: Point, reachPx: number) => Tool | null}
 */
function cornerTool(object, at, reachPx) {
  const rings = ringsOf(object);
  const corner = nearest(
    cornersOf(rings).map((point) => distance(point, at)),
    reachPx,
  );
  const edge =
    corner === null
      ? nearest(
          linesOf(rings).map(([from, to]) => distanceTo(at, from, to)),
          reachPx / 2,
        )
      : null;
  const index = corner ?? edge;
  if (index === null) return null;
  const isNew = corner === null;
  /** @type {(scene: Scene, next: Point) => Gesture} */
  const moving = (scene, next) => {
    const snapped = snapCorner(next, object, scene.editor.size);
    const isClick = !isNew && distance(next, at) <= scene.slackPx;
    const up = () =>
      edit((editor) =>
        isClick
          ? select(editor, { key: object.key, part: index })
          : outline.editCorner(editor, index, next, { isNew }),
      );
    return held(
      (further) => moving(scene, further),
      up,
      isClick ? {} : { rings: changeCorner(rings, index, snapped, isNew) },
    );
  };
  return { cssCursor: isNew ? "copy" : "move", down: moving };
}

/**
 * The place of the least distance within reach, or null.
 * @param {readonly number[]} distances
 * @param {number} reachPx
 */
function nearest(distances, reachPx) {
  const least = Math.min(...distances);
  return least <= reachPx ? distances.indexOf(least) : null;
}

/**
 * A brush that is one step wider or narrower.
 * @param {SegmentTool} tool
 * @param {1 | -1} step
 * @returns {SegmentTool}
 */
export function resizeBrush(tool, step) {
  const widthPx = step > 0 ? Math.ceil(tool.widthPx * 1.25) : Math.floor(tool.widthPx / 1.25);
  return { ...tool, widthPx: within(widthPx, 1, 200) };
}
