/** What both pages are made of: the regions of the template, and listening to the person. */

import { cssCursorOf, listenToGestures } from "./gestures.js";
import { watchOtherWindows } from "./presence.js";
import { select } from "./state/editor.js";
import { texts } from "./texts.js";
import { pickTool } from "./tools/pick.js";
import { byId } from "./view/dom.js";
import { mountGuide } from "./view/guide.js";
import { mountInspector } from "./view/inspector.js";
import { mountObjectList } from "./view/object_list.js";
import { mountPalette } from "./view/palette.js";
import { mountRail } from "./view/rail.js";
import { makeBoxLayers, mountStage } from "./view/stage.js";
import { mountStageNotes } from "./view/stage_notes.js";
import { mountStatusBar, showPageState } from "./view/status_bar.js";

/** @import {Press} from "./commands.js" */
/** @import {Model} from "./state/model.js" */
/** @import {Pick} from "./tools/tool.js" */
/** @import {Workbench} from "./workbench.js" */

/** @typedef {(command: string, press?: Press) => void} Run */
/**
 * What differs between boxes and outlines: which tool a press begins, what is painted, what the panel holds.
 * @typedef {{pick: Pick, makeLayers: typeof makeBoxLayers, mountPanel: (bench: Workbench, run: Run) => void}} Craft
 */

/** @type {Craft} */
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
 * @param {Craft} [craft]
 */
export function mountPage(bench, run, { pick, makeLayers, mountPanel } = BOXES) {
  const { store } = bench;
  labelRegions();
  mountRail(byId("rail"), store, run);
  mountPanel(bench, run);
  mountObjectList(byId("objects"), store, {
    onSelect: (key) => bench.edit((editor) => select(editor, { key, part: null })),
    onHover: (hovered) => bench.update((model) => ({ ...model, hovered })),
  });
  mountStatusBar(byId("status"), store);
  mountGuide(byId("guide"), store, () => run("guidelines"));
  const stage = mountStage(byId("stage"), store, makeLayers);
  mountStageNotes(byId("stage"), bench, run);
  listenToGestures(bench, run, pick);
  watchOtherWindows(bench);
  store.follow((model) => showState(model, pick));
  return stage;
}

/** Keys and screen readers are on the image, unless the person is somewhere on purpose. */
export function focusStage() {
  if (document.activeElement === document.body) byId("stage").focus({ preventScroll: true });
}

/** @param {Model} model @param {Pick} pick */
function showState(model, pick) {
  showPageState(model);
  const { style } = byId("stage");
  const cursor = cssCursorOf(model, pick);
  if (style.cursor !== cursor) style.cursor = cursor;
}

function labelRegions() {
  for (const [id, label] of Object.entries(texts.regions)) {
    document.getElementById(id)?.setAttribute("aria-label", label);
  }
  byId("stage").setAttribute("aria-description", texts.regions.stageHelp);
}
