/** What both pages are made of: the regions of the template, the keys and the pointer. */

import { fit, panBy, toImage, zoomAt } from "./geometry/viewport.js";
import { select } from "./state/editor.js";
import { PLAIN_LIGHT } from "./state/light.js";
import { prefer } from "./state/model.js";
import { statusOfPage } from "./state/outbox.js";
import { isEnding } from "./state/tracking.js";
import { drop, lift, moveHand, press } from "./tools/hand.js";
import { pickTool } from "./tools/pick.js";
import { texts } from "./texts.js";
import { byId, setAttribute } from "./view/dom.js";
import { mountGuide } from "./view/guide.js";
import { showHelp } from "./view/help_dialog.js";
import { mountInspector } from "./view/inspector.js";
import { listenToKeys } from "./view/keys.js";
import { mountObjectList } from "./view/object_list.js";
import { mountPalette } from "./view/palette.js";
import { handlePx } from "./view/paint_hand.js";
import { listenToPointer } from "./view/pointer.js";
import { mountRail } from "./view/rail.js";
import { mountStage } from "./view/stage.js";
import { mountStageNotes } from "./view/stage_notes.js";
import { mountStatusBar } from "./view/status_bar.js";

/** @typedef {import("./state/model.js").Model} Model */
/** @typedef {import("./workbench.js").Workbench} Workbench */
/** @typedef {import("./commands.js").Press} Press */
/** @typedef {import("./geometry/pixels.js").Point} Point */
/** @typedef {import("./state/model.js").Pointer} Pointer */
/** @typedef {(command: string, press?: Press) => void} Run */

/** How far a click may wander before it is a drag. @type {Readonly<Record<Pointer, number>>} */
const SLACK_PX = { mouse: 3, pen: 5, touch: 8 };

/**
 * Fills the template's regions and listens; `run` runs commands by name.
 * @param {Workbench} bench
 * @param {Run} run
 */
export function mountPage(bench, run) {
  const { store } = bench;
  labelRegions();
  mountRail(byId("rail"), store, run);
  const palette = mountPalette(byId("palette"), store, run);
  mountInspector(byId("inspector"), store, run);
  mountObjectList(byId("objects"), store, {
    onSelect: (key) => bench.edit((editor) => select(editor, { key, part: null })),
    onHover: (hovered) => bench.update((model) => ({ ...model, hovered })),
  });
  mountStatusBar(byId("status"), store);
  mountGuide(byId("guide"), store, () => run("guidelines"));
  const stage = mountStage(byId("stage"), store);
  mountStageNotes(byId("stage"), bench, run);
  listen(bench, run);
  store.subscribe(showState);
  showState(store.get());
  return { palette, stage };
}

/**
 * The keys overview, where the map and single keys are changed.
 * @param {Workbench} bench
 */
export function openHelp({ get, update }) {
  showHelp(get, (change) => update((model) => prefer(model, change(model.preferences))));
}

/**
 * An image in hand, seen whole and as it is.
 * @param {Model} model
 * @param {import("./state/model.js").Work} work
 * @returns {Model}
 */
export function showWork(model, work) {
  const viewport = fit(work.editor.size, model.stage);
  const seen = { viewport, isPainted: false, hovered: null, light: PLAIN_LIGHT };
  return { ...model, screen: "work", work, ...seen };
}

/** Keys and screen readers are on the image, unless the person is somewhere on purpose. */
export function focusStage() {
  if (document.activeElement === document.body) byId("stage").focus({ preventScroll: true });
}

/**
 * @param {Workbench} bench
 * @param {Run} run
 */
function listen(bench, run) {
  const { get, update, desk } = bench;
  const keys = listenToKeys({
    commandOf: (chord) => get().keymap.commandOf.get(chord),
    run,
    touch: bench.touch,
  });
  const inImage = (/** @type {Point} */ at) => toImage(get().viewport, at);
  listenToPointer(byId("stage"), {
    press: (at, pointer, isPicking) => {
      if (pointer !== get().pointer) update((model) => ({ ...model, pointer }));
      desk((table) => press(table, inImage(at), gripOf(get(), isPicking)));
    },
    move: (at) => desk((table) => moveHand(table, inImage(at))),
    lift: (at) => desk((table, { newKey }) => lift(table, inImage(at), newKey)),
    cancel: () => desk(drop),
    leave: () => desk((table) => ({ ...table, hand: { ...table.hand, at: null } })),
    pan: (dx, dy) => update((model) => look(model, dx, dy)),
    zoom: (factor, at) => update((model) => zoom(model, factor, at)),
    wantsPan: keys.isSpaceDown,
    panned: keys.spendSpace,
  });
}

/**
 * How near is near, in image pixels: fingers reach further than a mouse.
 * @param {Model} model
 * @param {boolean} isPicking
 * @returns {import("./tools/tool.js").Grip}
 */
function gripOf(model, isPicking) {
  const { viewport, pointer, preferences } = model;
  const reachPx = handlePx(model) / viewport.scale;
  const slackPx = SLACK_PX[pointer] / viewport.scale;
  return { reachPx, slackPx, drawing: preferences.drawing, isPicking };
}

/**
 * @param {Model} model
 * @param {number} dx
 * @param {number} dy
 * @returns {Model}
 */
function look(model, dx, dy) {
  const { work, viewport, stage } = model;
  return work ? { ...model, viewport: panBy(viewport, dx, dy, work.editor.size, stage) } : model;
}

/**
 * @param {Model} model
 * @param {number} factor
 * @param {Point} at
 * @returns {Model}
 */
function zoom(model, factor, at) {
  const { work, viewport, stage } = model;
  if (!work) return model;
  return { ...model, viewport: zoomAt(viewport, factor, at, work.editor.size, stage) };
}

/**
 * Where the page is, as attributes: styles and tests read them. `data-ready` is true when an image
 * is shown and nothing is on its way; `data-ahead` is how many images behind it are here.
 * @param {Model} model
 */
function showState(model) {
  const { body } = document;
  const { work, screen } = model;
  const status = statusOfPage(model);
  const isReady = screen === "work" && model.isPainted && work !== null && !isEnding(work);
  setAttribute(body, "data-screen", screen);
  setAttribute(body, "data-ready", String(isReady));
  setAttribute(body, "data-saved", status);
  setAttribute(body, "data-image", work?.task.image_id);
  setAttribute(body, "data-ahead", model.aheadHere);
  setAttribute(body, "data-armed", work?.editor.armed?.kind);
  setAttribute(body, "data-selected", work?.editor.selection?.key);
  setAttribute(body, "data-guide", model.showsGuide ? "open" : null);
  setAttribute(body, "data-drawing", model.preferences.drawing);
  const { style } = byId("stage");
  const cursor = cursorOf(model);
  if (style.cursor !== cursor) style.cursor = cursor;
}

/** @param {Model} model */
function cursorOf(model) {
  const { work } = model;
  if (!work || model.screen !== "work") return "default";
  if (work.hand.gesture) return work.hand.gesture.cursor;
  if (!work.hand.at) return "crosshair";
  return pickTool({ editor: work.editor, ...gripOf(model, false) }, work.hand.at).cursor;
}

function labelRegions() {
  for (const [id, label] of Object.entries(texts.regions)) {
    document.getElementById(id)?.setAttribute("aria-label", label);
  }
  byId("stage").setAttribute("aria-description", texts.regions.stageHelp);
}

