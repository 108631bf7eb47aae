/** What both pages are made of: the regions of the template, and listening to the person. */

import { cssCursorOf, listenToGestures } from "./gestures.js";
import { watchOtherWindows } from "./presence.js";
import { select } from "./state/editor.js";
import { texts } from "./texts.js";
import { byId } from "./view/dom.js";
import { mountGuide } from "./view/guide.js";
import { mountInspector } from "./view/inspector.js";
import { mountObjectList } from "./view/object_list.js";
import { mountPalette } from "./view/palette.js";
import { mountRail } from "./view/rail.js";
import { mountStage } from "./view/stage.js";
import { mountStageNotes } from "./view/stage_notes.js";
import { mountStatusBar, showPageState } from "./view/status_bar.js";

/** @import {Press} from "./commands.js" */
/** @import {Model} from "./state/model.js" */
/** @import {Workbench} from "./workbench.js" */

/** @typedef {(command: string, press?: Press) => void} Run */

/**
 * Fills the template's regions and listens; `run` runs commands by name.
 * @param {Workbench} bench
 * @param {Run} run
 */
export function mountPage(bench, run) {
  const { store } = bench;
  labelRegions();
  mountRail(byId("rail"), store, run);
  mountPalette(byId("palette"), store, run);
  mountInspector(byId("inspector"), store, run);
  mountObjectList(byId("objects"), store, {
    onSelect: (key) => bench.edit((editor) => select(editor, { key, part: null })),
    onHover: (hovered) => bench.update((model) => ({ ...model, hovered })),
  });
  mountStatusBar(byId("status"), store);
  mountGuide(byId("guide"), store, () => run("guidelines"));
  const stage = mountStage(byId("stage"), store);
  mountStageNotes(byId("stage"), bench, run);
  listenToGestures(bench, run);
  watchOtherWindows(bench);
  store.subscribe(showState);
  showState(store.get());
  return stage;
}

/** Keys and screen readers are on the image, unless the person is somewhere on purpose. */
export function focusStage() {
  if (document.activeElement === document.body) byId("stage").focus({ preventScroll: true });
}

/** @param {Model} model */
function showState(model) {
  showPageState(model);
  const { style } = byId("stage");
  const cursor = cssCursorOf(model);
  if (style.cursor !== cursor) style.cursor = cursor;
}

function labelRegions() {
  for (const [id, label] of Object.entries(texts.regions)) {
    document.getElementById(id)?.setAttribute("aria-label", label);
  }
  byId("stage").setAttribute("aria-description", texts.regions.stageHelp);
}
