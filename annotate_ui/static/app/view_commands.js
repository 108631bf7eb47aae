/** Commands about what is seen and how: zoom, light, what is hidden, how one draws, help. */

import { fit, zoomTo, zoomToBox } from "./geometry/viewport.js";
import { isOfOutlines, PLAIN_LIGHT, showsMagnifier, stepLight } from "./state/display.js";
import { selectedBox, selectedObject, toggleHidden } from "./state/editor.js";
import { prefer, withNotice } from "./state/model.js";
import { switchDrawing } from "./state/preferences.js";
import { texts } from "./texts.js";
import { showHelp } from "./view/help_dialog.js";

/** @import {Size} from "./geometry/types.js" */
/** @import {Model} from "./state/types.js" */
/** @import {Workbench} from "./types.js" */

const ZOOM_STEP = 1.25;

/**
 * @param {Workbench} bench
 * @returns {Record<string, () => void>}
 */
export function viewCommands(bench) {
  const { update } = bench;
  const zoom = (/** @type {(scale: number) => number} */ scaleFrom) =>
    update((model) =>
      look(model, (size) => zoomTo(model.viewport, scaleFrom(model.viewport.scale), size, model.stage)),
    );
  const toggle = (/** @type {"showsBoxes" | "showsLabels" | "showsGuide" | "showsLight"} */ name) => () =>
    update((model) => ({ ...model, [name]: !model[name] }));
  const light = (/** @type {"brightness" | "contrast"} */ what, /** @type {1 | -1} */ direction) =>
    update((model) => ({ ...model, light: stepLight(model.light, what, direction) }));
  return {
    "zoom.in": () => zoom((scale) => scale * ZOOM_STEP),
    "zoom.out": () => zoom((scale) => scale / ZOOM_STEP),
    "zoom.fit": () => update((model) => look(model, (size) => fit(size, model.stage))),
    "zoom.actual": () => zoom(() => 1),
    "zoom.object": () => update(zoomToSelection),
    "show.boxes": toggle("showsBoxes"),
    "show.labels": toggle("showsLabels"),
    "show.masks": toggle("showsBoxes"),
    "light.show": toggle("showsLight"),
    "light.brighter": () => light("brightness", 1),
    "light.darker": () => light("brightness", -1),
    "light.harder": () => light("contrast", 1),
    "light.softer": () => light("contrast", -1),
    "light.reset": () => update((model) => ({ ...model, light: PLAIN_LIGHT })),
    "class.hide": () =>
      bench.edit((editor) => toggleHidden(editor, selectedObject(editor)?.class ?? editor.lastClass)),
    magnifier: () => update(toggleMagnifier),
    "draw.mode": () => update(nextDrawing),
    "colours.switch": () => update(switchColours),
    help: () => showHelp(bench.get, (change) => update((model) => prefer(model, change(model.preferences)))),
    guidelines: toggle("showsGuide"),
  };
}

/**
 * @param {Model} model
 * @param {(size: Size) => Model["viewport"]} change
 * @returns {Model}
 */
export function look(model, change) {
  return model.work ? { ...model, viewport: change(model.work.editor.size) } : model;
}

/** The selected box large in the middle; once more, the whole image. @param {Model} model */
function zoomToSelection(model) {
  const box = model.work && selectedBox(model.work.editor);
  if (!box) return model;
  const close = zoomToBox(box, model.stage);
  const isThere = Math.abs(close.scale / model.viewport.scale - 1) < 1e-6;
  return look(model, (size) => (isThere ? fit(size, model.stage) : close));
}

/** Off where it would show now, on where it would not. @param {Model} model */
function toggleMagnifier(model) {
  const magnifier = showsMagnifier(model) ? "off" : "on";
  return withNotice(prefer(model, { ...model.preferences, magnifier }), texts.magnifier[magnifier]);
}

/** @param {Model} model */
function switchColours(model) {
  if (isOfOutlines(model.page)) return withNotice(model, texts.colours.object);
  const colours = model.preferences.colours === "object" ? "class" : "object";
  return withNotice(prefer(model, { ...model.preferences, colours }), texts.colours[colours]);
}

/** @param {Model} model */
function nextDrawing(model) {
  const preferences = switchDrawing(model.preferences);
  return withNotice(prefer(model, preferences), texts.drawing.chosen[preferences.drawing]);
}
