/** What both pages are made of: the regions of the template, and listening to the person. */

import { panBy, toImage, zoomAt } from "./geometry/viewport.js";
import { watchOtherWindows } from "./presence.js";
import { select, toggleSelected } from "./state/editor.js";
import { texts } from "./texts.js";
import { drop, lift, moveCursor, press } from "./tools/cursor.js";
import { pickTool } from "./tools/pick.js";
import { byId } from "./view/dom.js";
import { mountGuide } from "./view/guide.js";
import { listenToKeys, listenToPointer } from "./view/input.js";
import { mountInspector } from "./view/inspector.js";
import { mountObjectList } from "./view/object_list.js";
import { mountPalette } from "./view/palette.js";
import { handlePx } from "./view/paint_cursor.js";
import { mountRail } from "./view/rail.js";
import { makeBoxLayers, mountStage } from "./view/stage.js";
import { mountStageNotes } from "./view/stage_notes.js";
import { mountStatusBar, showPageState } from "./view/status_bar.js";
import { look } from "./view_commands.js";

/** @import {Press} from "./commands.js" */
/** @import {Point} from "./geometry/types.js" */
/** @import {Model, Pointer} from "./state/types.js" */
/** @import {PickTool, PointerState} from "./tools/types.js" */
/** @import {Workbench} from "./types.js" */
/** @import {HeldKeys} from "./view/types.js" */

/** @typedef {(command: string, press?: Press) => void} Run */
/**
 * What differs between boxes and outlines: which tool a press begins, what is painted, what the panel holds.
 * @typedef {{pick: PickTool, makeLayers: typeof makeBoxLayers, mountPanel: (bench: Workbench, run: Run) => void}} Layout
 */

/** How far a click may wander before it is a drag. @type {Readonly<Record<Pointer, number>>} */
const SLACK_PX = { mouse: 3, pen: 5, touch: 8 };

const NO_KEYS_HELD = { isPicking: false, isGathering: false };

/** @type {Layout} */
const BOXES = {
  pick: pickTool,
  makeLayers: makeBoxLayers,
  mountPanel({ store }, run) {
    mountPalette(byId("palette"), store, run);
    mountInspector(byId("inspector"), store, run);
  },
};

/**
 * Fills the template's regions and listens; `run` runs commands by name.
 * @param {Workbench} bench
 * @param {Run} run
 * @param {Layout} [layout]
 */
export function mountPage(bench, run, { pick, makeLayers, mountPanel } = BOXES) {
  const { store } = bench;
  for (const [id, label] of Object.entries(texts.regions))
    document.getElementById(id)?.setAttribute("aria-label", label);
  byId("stage").setAttribute("aria-description", texts.regions.stageHelp);
  mountRail(byId("rail"), store, run);
  mountPanel(bench, run);
  mountObjectList(byId("objects"), store, {
    onSelect: (key) => bench.edit((editor) => select(editor, { key, part: null })),
    onToggle: (key) => bench.edit((editor) => toggleSelected(editor, key)),
    onHover: (hovered) => bench.update((model) => ({ ...model, hovered })),
  });
  mountStatusBar(byId("status"), store);
  mountGuide(byId("guide"), store, () => run("guidelines"));
  const stage = mountStage(byId("stage"), store, makeLayers);
  mountStageNotes(byId("stage"), bench, run);
  listenToGestures(bench, run, pick);
  watchOtherWindows(bench);
  store.follow((model) => {
    showPageState(model);
    const { style } = byId("stage");
    const cursor = cssCursorOf(model, pick);
    if (style.cursor !== cursor) style.cursor = cursor;
  });
  return stage;
}

/**
 * From keys, pointer and wheel to the workbench.
 * @param {Workbench} bench
 * @param {Run} run
 * @param {PickTool} pick
 */
function listenToGestures(bench, run, pick) {
  const { get, update, changeWorkspace } = bench;
  const keys = listenToKeys({
    commandOf: (chord) => get().keymap.commandOf.get(chord),
    run,
    touch: bench.touch,
  });
  const inImage = (/** @type {Point} */ at) => toImage(get().viewport, at);
  listenToPointer(byId("stage"), {
    press: (at, pointer, held) => {
      if (pointer !== get().pointer) update((model) => ({ ...model, pointer }));
      changeWorkspace((workspace) => press(workspace, inImage(at), pointerStateOf(get(), held), pick));
    },
    move: (at) => changeWorkspace((workspace) => moveCursor(workspace, inImage(at))),
    lift: (at) => changeWorkspace((workspace, { newKey }) => lift(workspace, inImage(at), newKey)),
    cancel: () => changeWorkspace(drop),
    leave: () =>
      changeWorkspace((workspace) => ({ ...workspace, cursor: { ...workspace.cursor, at: null } })),
    pan: (dx, dy) =>
      update((model) => look(model, (size) => panBy(model.viewport, dx, dy, size, model.stage))),
    zoom: (factor, at) =>
      update((model) => look(model, (size) => zoomAt(model.viewport, factor, at, size, model.stage))),
    wantsPan: keys.isSpaceDown,
    panned: keys.spendSpace,
  });
}

/**
 * How near is near, in image pixels: fingers reach further than a mouse.
 * @param {Model} model
 * @param {HeldKeys} [held]
 * @returns {PointerState}
 */
function pointerStateOf(model, held = NO_KEYS_HELD) {
  const { viewport, pointer, preferences } = model;
  const reachPx = handlePx(model) / viewport.scale;
  const slackPx = SLACK_PX[pointer] / viewport.scale;
  return { reachPx, slackPx, drawing: preferences.drawing, ...held };
}

/**
 * The CSS cursor of the stage.
 * @param {Model} model
 * @param {PickTool} pick
 */
function cssCursorOf(model, pick) {
  const { work } = model;
  if (!work || model.screen !== "work") return "default";
  if (work.cursor.gesture) return work.cursor.gesture.cssCursor;
  if (!work.cursor.at) return "crosshair";
  return pick({ editor: work.editor, ...pointerStateOf(model) }, work.cursor.at).cssCursor;
}
