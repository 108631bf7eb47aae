/** The slim column of tools at the left. */

import { showsMagnifier } from "../state/display.js";
import { texts } from "../texts.js";
import { icon, iconButton } from "./controls.js";
import { el, setAttribute } from "./dom.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {IconName} from "./controls.js" */
/** @import {Run} from "./types.js" */

/** @type {readonly (readonly (readonly [command: string, icon: IconName])[])[]} */
const GROUPS = [
  [
    ["box.new", "box"],
    ["box.repeat", "repeat"],
    ["draw.mode", "drag"],
    ["undo", "undo"],
    ["redo", "redo"],
    ["box.remove", "trash"],
    ["corner.remove", "trash"],
  ],
  [
    ["wire", "wire"],
    ["piece.add", "piece"],
    ["hole.cut", "hole"],
    ["brush", "brush"],
    ["eraser", "eraser"],
    ["depth.forward", "forward"],
  ],
  [
    ["zoom.in", "zoomIn"],
    ["zoom.out", "zoomOut"],
    ["zoom.fit", "fit"],
    ["zoom.actual", "actual"],
    ["zoom.object", "target"],
  ],
  [
    ["show.boxes", "boxes"],
    ["show.masks", "boxes"],
    ["show.labels", "labels"],
    ["light.show", "light"],
    ["magnifier", "magnifier"],
  ],
  [
    ["image.previous", "back"],
    ["image.history", "history"],
    ["guidelines", "guide"],
    ["help", "help"],
  ],
];

/**
 * @param {HTMLElement} rail
 * @param {Store<Model>} store
 * @param {Run} run
 */
export function mountRail(rail, store, run) {
  const label = texts.rail.home;
  const home = el("a", { class: "icon-button", href: "/", title: label, aria: { label } }, icon("home"));
  const made = (/** @type {Model} */ model) => [model.keymap, model.preferences.drawing];
  store.follow((model) => rail.replaceChildren(home, ...groups(model, run)), made);
  store.follow(
    (model) => showState(rail, model),
    (model) => {
      const { work, showsBoxes, showsLabels, showsGuide, showsLight, segmentTool } = model;
      const shows = [showsBoxes, showsLabels, showsGuide, showsLight, showsMagnifier(model), segmentTool];
      return [...made(model), work?.editor.history, work?.editor.selection, work?.editor.armed, ...shows];
    },
  );
}

/**
 * @param {Model} model
 * @param {Run} run
 */
function groups(model, run) {
  const known = new Set(model.keymap.rows.map((row) => row.command));
  const shown = GROUPS.map((group) => group.filter(([command]) => known.has(command))).filter(
    ({ length }) => length > 0,
  );
  return shown.map((group) => {
    const buttons = group.map(([command, name]) => toolButton(model, command, name, run));
    return el("div", { class: "rail-group", role: "group" }, ...buttons);
  });
}

/**
 * The one of the drawing mode shows the mode in use.
 * @type {(model: Model, command: string, name: IconName, run: Run) => HTMLButtonElement}
 */
function toolButton(model, command, name, run) {
  if (command !== "draw.mode") return iconButton(model, command, name, run);
  const { drawing } = model.preferences;
  const button = iconButton(model, command, drawing, run);
  button.title += `: ${texts.drawing.short[drawing]}`;
  button.ariaLabel += `: ${texts.drawing.short[drawing]}`;
  button.dataset.drawing = drawing;
  return button;
}

/**
 * @param {HTMLElement} rail
 * @param {Model} model
 */
function showState(rail, model) {
  const { history, selection, armed } = model.work?.editor ?? {};
  const enabled = {
    undo: Boolean(history?.past.length),
    redo: Boolean(history?.future.length),
    "box.remove": Boolean(selection),
    "zoom.object": Boolean(selection),
  };
  const find = (/** @type {string} */ command) => rail.querySelector(`[data-testid="${command}"]`);
  for (const [command, isEnabled] of Object.entries(enabled)) {
    const button = find(command);
    if (button) setAttribute(button, "disabled", !isEnabled);
  }
  const pressed = {
    "box.new": armed?.kind === "box",
    "box.repeat": armed?.kind === "repeat",
    "show.boxes": model.showsBoxes,
    "show.masks": model.showsBoxes,
    "piece.add": armed?.kind === "piece",
    "hole.cut": armed?.kind === "hole",
    wire: model.segmentTool.kind === "wire",
    brush: model.segmentTool.kind === "brush",
    eraser: model.segmentTool.kind === "eraser",
    "show.labels": model.showsLabels,
    "light.show": model.showsLight,
    magnifier: showsMagnifier(model),
    guidelines: model.showsGuide,
  };
  for (const [command, isPressed] of Object.entries(pressed))
    find(command)?.setAttribute("aria-pressed", String(isPressed));
}
