/** Commands about what is seen and how: zoom, light, what is hidden, how one draws, help. */

import { fit, zoomAt, zoomTo, zoomToBox } from "./geometry/viewport.js";
import { PLAIN_LIGHT, showsMagnifier, stepLight } from "./state/display.js";
import { selectedBox, selectedObject, toggleHidden } from "./state/editor.js";
import { prefer } from "./state/model.js";
import { switchDrawing } from "./state/preferences.js";
import { texts } from "./texts.js";
import { showHelp } from "./view/help_dialog.js";

/** @import {Point, Size} from "./geometry/types.js" */
/** @import {Editor, Model} from "./state/types.js" */
/** @import {Workbench} from "./types.js" */

const ZOOM_STEP = 1.25;

/** @param {Workbench} bench @returns {Record<string, () => void>} */
export function viewCommands(bench) {
  const { update } = bench;
  const zoom = (/** @type {number} */ factor) =>
    update((model) => {
      const at = /** @type {Point} */ ([model.stage[0] / 2, model.stage[1] / 2]);
      return look(model, (size) => zoomAt(model.viewport, factor, at, size, model.stage));
    });
  return {
    "zoom.in": () => zoom(ZOOM_STEP),
    "zoom.out": () => zoom(1 / ZOOM_STEP),
    "zoom.fit": () => update((model) => look(model, (size) => fit(size, model.stage))),
    "zoom.actual": () =>
      update((model) => look(model, (size) => zoomTo(model.viewport, 1, size, model.stage))),
    "zoom.object": () => update(zoomToSelection),
    "show.boxes": () => update((model) => ({ ...model, showsBoxes: !model.showsBoxes })),
    "show.labels": () => update((model) => ({ ...model, showsLabels: !model.showsLabels })),
    ...lighting(bench),
    "class.hide": () => bench.edit((editor) => toggleHidden(editor, currentClass(editor))),
    magnifier: () => update(toggleMagnifier),
    "draw.mode": () => update(nextDrawing),
    "colours.switch": () => update(switchColours),
    help: () =>
      showHelp(bench.get, (change) => update((model) => prefer(model, change(model.preferences)))),
    guidelines: () => update((model) => ({ ...model, showsGuide: !model.showsGuide })),
  };
}

/** @param {Model} model @param {(size: Size) => Model["viewport"]} change @returns {Model} */
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

/** @param {Workbench} bench @returns {Record<string, () => void>} */
function lighting({ update }) {
  const step = (/** @type {"brightness" | "contrast"} */ what, /** @type {1 | -1} */ direction) =>
    update((model) => ({ ...model, light: stepLight(model.light, what, direction) }));
  return {
    "light.show": () => update((model) => ({ ...model, showsLight: !model.showsLight })),
    "light.brighter": () => step("brightness", 1),
    "light.darker": () => step("brightness", -1),
    "light.harder": () => step("contrast", 1),
    "light.softer": () => step("contrast", -1),
    "light.reset": () => update((model) => ({ ...model, light: PLAIN_LIGHT })),
  };
}

/** @param {Editor} editor */
function currentClass(editor) {
  return selectedObject(editor)?.class ?? editor.lastClass;
}

/** Off where it would show now, on where it would not. @param {Model} model @returns {Model} */
function toggleMagnifier(model) {
  const magnifier = showsMagnifier(model) ? "off" : "on";
  const notice = { text: texts.magnifier[magnifier], tone: /** @type {const} */ ("plain") };
  return { ...prefer(model, { ...model.preferences, magnifier }), notice };
}

/** @param {Model} model @returns {Model} */
function switchColours(model) {
  const colours = model.preferences.colours === "object" ? "class" : "object";
  const notice = { text: texts.colours[colours], tone: /** @type {const} */ ("plain") };
  return { ...prefer(model, { ...model.preferences, colours }), notice };
}

/** @param {Model} model @returns {Model} */
function nextDrawing(model) {
  const next = prefer(model, switchDrawing(model.preferences));
  const text = texts.drawing.chosen[next.preferences.drawing];
  return { ...next, notice: { text, tone: "plain" } };
}
