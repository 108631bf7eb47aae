/** What each command of the key map does; keys and buttons meet here. */

import { panBy, reveal, toScreen } from "./geometry/viewport.js";
import {
  armBox,
  armPart,
  armPoint,
  armRepeat,
  currentSuggestion,
  isOfMany,
  redoLast,
  select,
  selectedBox,
  selectedObject,
  selectedObjects,
  selectNext,
  stepBack,
  undoLast,
} from "./state/editor.js";
import * as edits from "./state/edits.js";
import { mayRepeat } from "./state/keymap.js";
import { selectedIn, withLastClass, withNotice } from "./state/model.js";
import { displayOfClass } from "./state/party.js";
import { accept, giveView, isOfSuggestion, reject, toggleSuggestions } from "./state/suggestions.js";
import { texts } from "./texts.js";
import { clickByKey, endAtCursor, sendCursor, stepCursor, takeBack } from "./tools/cursor.js";
import { selectBelow } from "./tools/pick.js";
import { look, viewCommands } from "./view_commands.js";

/** @import {Point} from "./geometry/types.js" */
/** @import {Editor, Flag, Model} from "./state/types.js" */
/** @import {Workbench} from "./types.js" */

/** @typedef {{isRepeat: boolean, code: string | null}} Press */
/** @typedef {(press: Press) => void} Command */

export const FAR_PX = 10;
/** Of the image's width and height. */
const LEAP_SHARE = 0.1;
/** A side goes faster while its key is held. */
const HELD_SIDE_PX = 3;
const PAN_STEP_PX = 60;
/** Less than the margin of an image that is seen whole, so that it does not jump. */
const EDGE_PX = 12;

/** @type {Readonly<Record<string, readonly [number, number]>>} */
export const DIRECTIONS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

/**
 * Runs a command by its name; unknown ones do nothing. `extra` are those of one page only.
 * @param {Workbench} bench
 * @param {Record<string, Command>} extra
 * @returns {(command: string, press?: Press) => void}
 */
export function makeRunner(bench, extra) {
  const table = {
    ...editing(bench),
    ...suggesting(bench),
    ...arrows(bench),
    ...viewCommands(bench),
    ...extra,
  };
  return (command, press = { isRepeat: false, code: null }) => {
    if (press.isRepeat && !mayRepeat(command)) return;
    if (command.startsWith("image.")) endGesture(bench);
    const [family, word] = command.split(/:(.*)/);
    if (word !== undefined) return void choose(bench, family, word);
    table[command]?.(press);
  };
}

/** What ends or leaves the image ends a gesture first, so that its box counts. @param {Workbench} bench */
function endGesture({ get, changeWorkspace }) {
  if (get().work?.cursor.gesture) changeWorkspace((workspace, { newKey }) => endAtCursor(workspace, newKey));
}

/**
 * A word of the party: a class, a view, …
 * @param {Workbench} bench
 * @param {string} family
 * @param {string} word
 */
function choose(bench, family, word) {
  const { edit, get, update } = bench;
  if (family === "view") return chooseView(bench, word);
  /** @type {Record<string, (editor: Editor) => Editor>} */
  const families = {
    class: (editor) => edits.chooseClass(editor, word),
    flag: (editor) => edits.toggleFlag(editor, /** @type {Flag} */ (word)),
    part: (editor) => armPart(editor, word),
    action: (editor) => edits.toggleAction(editor, word),
  };
  const change = families[family];
  if (change) edit(change);
  if (family === "class") update((model) => afterClass(model, word));
  const object = family === "action" ? selectedIn(get()) : null;
  // Releases list for Action only objects with a reference point.
  if (object?.actions.length && !object.point)
    update((model) => withNotice(model, texts.notices.pointMissing));
}

/**
 * The class is that of the next box too; an earlier notice makes room for what the object would lose.
 * @param {Model} model
 * @param {string} word
 * @returns {Model}
 */
function afterClass(model, word) {
  if (!model.work) return withLastClass(model, word);
  return selectedIn(model)?.laidAside ? { ...model, notice: null } : model;
}

/**
 * @param {Workbench} bench
 * @returns {Record<string, Command>}
 */
function editing({ edit, changeWorkspace, get, update, focusFilter, makeKey }) {
  return {
    "box.new": ({ code }) => {
      edit(armBox);
      // By keys alone there is no pointer that shows where the cross is.
      const isNowhere = code !== null && get().work?.cursor.at === null;
      if (isNowhere) changeWorkspace((workspace, { middle }) => stepCursor(workspace, 0, 0, middle));
    },
    "box.repeat": () => edit(armRepeat),
    "box.remove": () => {
      const text = sayRemoved(get());
      edit(edits.removeSelected);
      if (text) update((model) => withNotice(model, text));
    },
    "box.copy": () => {
      const copied = selectedIn(get());
      if (copied) update((model) => withNotice({ ...model, copied }, texts.notices.copied));
    },
    "box.paste": () => {
      const { copied } = get();
      if (copied) edit((editor) => edits.paste(editor, copied, makeKey()));
    },
    "corner.set": () => {
      if (!get().work?.editor.armed) return focusFilter();
      changeWorkspace((workspace, { middle, newKey }) => clickByKey(workspace, middle, newKey));
    },
    "step.back": () => (get().work?.cursor.gesture ? changeWorkspace(takeBack) : edit(stepBack)),
    undo: () => (get().work?.cursor.gesture ? changeWorkspace(takeBack) : edit(undoLast)),
    redo: () => edit(redoLast),
    "object.next": () => stepObject({ edit, update }, 1),
    "object.previous": () => stepObject({ edit, update }, -1),
    "object.below": () => edit((editor) => selectBelow(editor, 1)),
    "object.above": () => edit((editor) => selectBelow(editor, -1)),
    "point.set": () =>
      edit((editor) => {
        const isThere = selectedObject(editor)?.point != null;
        return isThere && editor.armed === null ? edits.setPoint(editor, null) : armPoint(editor);
      }),
    "side.switch": () => edit(edits.switchSides),
    "class.filter": focusFilter,
  };
}

/** What is said of the deletion of what is selected; nothing of a suggestion. @param {Model} model */
function sayRemoved(model) {
  const { removed, removedMany } = texts.notices;
  if (model.work && isOfMany(model.work.editor))
    return removedMany(selectedObjects(model.work.editor).length);
  const object = selectedIn(model);
  return object && object.confidence === undefined ? removed(displayOfClass(model.party, object.class)) : "";
}

/**
 * One suggestion at a time; the next one is brought into sight.
 * @param {Workbench} bench
 * @returns {Record<string, Command>}
 */
function suggesting(bench) {
  return {
    "suggestion.accept": () => decide(bench, accept),
    "suggestion.reject": () => decide(bench, reject),
    "suggestion.show": () => editAndReveal(bench, toggleSuggestions),
  };
}

/**
 * A view for what is selected; for a suggested box it goes on to the next one.
 * @param {Workbench} bench
 * @param {string} view
 */
function chooseView(bench, view) {
  const editor = bench.get().work?.editor;
  const step = (/** @type {Editor} */ editor) => giveView(editor, view);
  if (editor && isOfSuggestion(editor)) decide(bench, step);
  else bench.edit(step);
}

/**
 * A step about a suggestion, and what is selected then is brought into sight. A suggestion that is not on the screen
 * is only shown: nothing is decided unseen.
 * @param {Workbench} bench
 * @param {(editor: Editor) => Editor} step
 */
function decide(bench, step) {
  const { work } = bench.get();
  const isUnseen = work !== null && currentSuggestion(work.editor) !== null && !isSelectionSeen(bench.get());
  if (!isUnseen) return editAndReveal(bench, step);
  bench.update((model) => revealSelection({ ...model, showsBoxes: true, notice: null }));
}

/**
 * @param {Workbench} bench
 * @param {(editor: Editor) => Editor} step
 */
function editAndReveal({ edit, update }, step) {
  edit(step);
  update((model) => revealSelection({ ...model, notice: null }));
}

/** Arrow keys move the cursor while a tool is armed, else the selected box, else the view. @param {Workbench} bench */
function arrows(bench) {
  return Object.fromEntries(
    Object.entries(DIRECTIONS).flatMap(([name, [dx, dy]]) => [
      [`nudge.${name}`, (/** @type {Press} */ press) => nudge(bench, dx, dy, press)],
      [`nudge10.${name}`, (/** @type {Press} */ press) => nudge(bench, dx * FAR_PX, dy * FAR_PX, press)],
      [`leap.${name}`, (/** @type {Press} */ press) => leap(bench, dx, dy, press)],
      [`side.${name}`, (/** @type {Press} */ press) => nudgeSide(bench, dx, dy, press, false)],
      [`other.${name}`, (/** @type {Press} */ press) => nudgeSide(bench, dx, dy, press, true)],
    ]),
  );
}

/**
 * @param {Workbench} bench
 * @param {number} dx
 * @param {number} dy
 * @param {Press} press
 */
function nudge({ get, edit, changeWorkspace, update }, dx, dy, { isRepeat }) {
  const editor = get().work?.editor;
  if (!editor) return;
  if (editor.armed) {
    changeWorkspace((workspace, { middle }) => stepCursor(workspace, dx, dy, middle));
    return update((model) => revealCursor(model));
  }
  if (editor.selection) return edit((editor) => edits.nudge(editor, dx, dy, isRepeat));
  const step = [-dx, -dy].map((value) => Math.sign(value) * PAN_STEP_PX);
  update((model) => look(model, (work) => panBy(model.viewport, step[0], step[1], work, model.stage)));
}

/**
 * @param {Workbench} bench
 * @param {number} dx
 * @param {number} dy
 * @param {Press} press
 */
function leap(bench, dx, dy, press) {
  const [width, height] = bench.get().work?.editor.size ?? [0, 0];
  nudge(bench, dx * Math.round(width * LEAP_SHARE), dy * Math.round(height * LEAP_SHARE), press);
}

/**
 * @param {Workbench} bench
 * @param {number} dx
 * @param {number} dy
 * @param {Press} press
 * @param {boolean} isOther
 */
function nudgeSide({ get, edit, changeWorkspace, update }, dx, dy, { isRepeat }, isOther) {
  if (get().work?.editor.armed) {
    changeWorkspace((workspace, { middle }) => sendCursor(workspace, dx, dy, middle));
    return update((model) => revealCursor(model));
  }
  const step = isRepeat ? HELD_SIDE_PX : 1;
  edit((editor) => edits.nudgeSide(editor, dx * step, dy * step, isRepeat, isOther));
}

/**
 * The next object, brought into sight where it is not.
 * @param {Pick<Workbench, "edit" | "update">} bench
 * @param {1 | -1} step
 */
function stepObject({ edit, update }, step) {
  edit((editor) => selectNext(editor, step));
  update(revealSelection);
}

/**
 * Selects an object, or none, and brings it into sight.
 * @param {Pick<Workbench, "edit" | "update">} bench
 * @param {string | null} key
 */
export function showObject({ edit, update }, key) {
  edit((editor) => select(editor, key === null ? null : { key, part: null }));
  update(revealSelection);
}

/** Whether boxes are shown, and some of the selected one is on the screen. @param {Model} model */
function isSelectionSeen({ work, viewport, stage, showsBoxes }) {
  const box = work && selectedBox(work.editor);
  if (!box || !showsBoxes) return false;
  const [left, top] = toScreen(viewport, [box[0] - 1, box[1] - 1]);
  const [right, bottom] = toScreen(viewport, [box[2], box[3]]);
  return left < stage[0] && top < stage[1] && right > 0 && bottom > 0;
}

/**
 * @param {Model} model
 * @returns {Model}
 */
function revealSelection(model) {
  const box = model.work && selectedBox(model.work.editor);
  if (!box) return model;
  const corners = /** @type {Point[]} */ ([
    [box[0] - 1, box[1] - 1],
    [box[2], box[3]],
  ]);
  const { stage } = model;
  const viewport = corners.reduce((view, at) => reveal(view, at, stage, EDGE_PX), model.viewport);
  return viewport === model.viewport ? model : { ...model, viewport };
}

/**
 * @param {Model} model
 * @param {number} [edgePx]
 * @returns {Model}
 */
export function revealCursor(model, edgePx = EDGE_PX) {
  const at = model.work?.cursor.at;
  return at ? { ...model, viewport: reveal(model.viewport, at, model.stage, edgePx) } : model;
}
