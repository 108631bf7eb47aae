/** What both pages are made of: the regions of the template, the keys and the pointer. */

import { fit, panBy, toImage, zoomAt } from "./geometry/viewport.js";
import { select } from "./state/editor.js";
import { useKeymap } from "./state/model.js";
import { statusOf } from "./state/saving.js";
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
import { HANDLE_PX } from "./view/paint.js";
import { listenToPointer } from "./view/pointer.js";
import { mountRail } from "./view/rail.js";
import { mountStage } from "./view/stage.js";
import { mountStatusBar } from "./view/status_bar.js";

/** @typedef {import("./state/model.js").Model} Model */
/** @typedef {import("./workbench.js").Workbench} Workbench */
/** @typedef {import("./commands.js").Press} Press */
/** @typedef {import("./geometry/pixels.js").Point} Point */
/** @typedef {(command: string, press?: Press) => void} Run */

const TOUCH_REACH_PX = 20;
const SLACK_PX = 3;
const TOUCH_SLACK_PX = 8;
const MAP_PREFERENCE = "vocparty.keymap";

/** The key map that this person chose in this browser. */
export function readKeymapChoice() {
  return localStorage.getItem(MAP_PREFERENCE) === "cvat" ? "cvat" : "labelimg";
}

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
  listen(bench, run);
  store.subscribe(showState);
  showState(store.get());
  return { palette, stage };
}

/**
 * The keys overview; a map that is chosen there holds for this browser.
 * @param {Workbench} bench
 */
export function openHelp({ get, update }) {
  showHelp(get, (mapName) => {
    localStorage.setItem(MAP_PREFERENCE, mapName);
    update((model) => useKeymap(model, mapName));
  });
}

/**
 * An image in hand, seen whole.
 * @param {Model} model
 * @param {import("./state/model.js").Work} work
 * @returns {Model}
 */
export function showWork(model, work) {
  const viewport = fit(work.editor.size, model.stage);
  return { ...model, screen: "work", work, viewport, isPainted: false, hovered: null };
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
    press: (at, isTouch) => desk((table) => press(table, inImage(at), reachOf(get(), isTouch))),
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
 * @param {boolean} isTouch
 */
function reachOf({ viewport }, isTouch) {
  const [reach, slack] = isTouch ? [TOUCH_REACH_PX, TOUCH_SLACK_PX] : [HANDLE_PX, SLACK_PX];
  return { reachPx: reach / viewport.scale, slackPx: slack / viewport.scale };
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
 * is shown and nothing is on its way.
 * @param {Model} model
 */
function showState(model) {
  const { body } = document;
  const { work, screen } = model;
  const status = work ? statusOf(work.saving) : "saved";
  const isReady = screen === "work" && model.isPainted && work !== null && !isEnding(work);
  setAttribute(body, "data-screen", screen);
  setAttribute(body, "data-ready", String(isReady));
  setAttribute(body, "data-saved", status);
  setAttribute(body, "data-image", work?.task.image_id);
  setAttribute(body, "data-armed", work?.editor.armed?.kind);
  setAttribute(body, "data-selected", work?.editor.selection?.key);
  setAttribute(body, "data-guide", model.showsGuide ? "open" : null);
  byId("stage").style.cursor = cursorOf(model);
}

/** @param {Model} model */
function cursorOf(model) {
  const { work } = model;
  if (!work || model.screen !== "work") return "default";
  if (work.hand.gesture) return work.hand.gesture.cursor;
  if (!work.hand.at) return "crosshair";
  return pickTool({ editor: work.editor, ...reachOf(model, false) }, work.hand.at).cursor;
}

function labelRegions() {
  for (const [id, label] of Object.entries(texts.regions)) {
    document.getElementById(id)?.setAttribute("aria-label", label);
  }
  byId("stage").setAttribute("aria-description", texts.regions.stageHelp);
}

