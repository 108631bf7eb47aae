/** The state of a page as one value, what follows from each change, and the store that tells of changes. */

import { countEdit, press, startClock, startStints, touch } from "./clock.js";
import { lookAt, PLAIN_LIGHT } from "./display.js";
import { currentSuggestion, objectsIn, openEditor, selectedObject } from "./editor.js";
import { buildKeymap } from "./keymap.js";
import { groupClasses } from "./party.js";
import { changesOf } from "./preferences.js";
import { hasMany, listByKey, useClass } from "./recent.js";
import { EMPTY_LINE, noteChange, startSaving } from "./saving.js";
import { makeSuggestions, selectOpen } from "./suggestions.js";
import { findPerson } from "./tasters.js";

/** @import {Size} from "../geometry/types.js" */
/** @import {Party, Person, Task} from "../types.js" */
/** @import {Editor, Model, Notice, Objects, Page, Preferences, Recent, SegmentTool, Store, Work} from "./types.js" */

/** @type {Pick<Model, "isPainted" | "hovered" | "light" | "segmentTool">} of an image that is opened */
export const PLAIN = {
  isPainted: false,
  hovered: null,
  light: PLAIN_LIGHT,
  segmentTool: { kind: "outline", widthPx: 12, proposal: null, outlineModel: null },
};

/** The live-wire and clicks for the model stay from image to image; a brush and a proposal do not. @type {(tool: SegmentTool) => SegmentTool} */
export function toolOfNext({ kind }) {
  return { ...PLAIN.segmentTool, kind: kind === "wire" || kind === "click" ? kind : "outline" };
}

/** Whether drafts go up from this page; on the others only the verdict does. @param {Page} page */
export function isDrawing(page) {
  return page === "annotate" || page === "segment";
}

/**
 * @param {Page} page
 * @param {Person} person
 * @param {Party} party
 * @param {Preferences} preferences
 * @param {readonly Recent[]} [recent]
 * @returns {Model}
 */
export function startModel(page, person, party, preferences, recent = []) {
  const classOrder = groupClasses(party).flatMap(({ classes }) => classes.map(({ id }) => id));
  return {
    page,
    person,
    party,
    classOrder,
    looks: new Map(classOrder.map((name, place) => [name, lookAt(place)])),
    preferences,
    keymap: makeKeymap({ page, party, classOrder, preferences, recent }),
    screen: "loading",
    work: null,
    left: 0,
    lastClass: recent[0]?.id ?? classOrder[0],
    recent,
    viewport: { scale: 1, x: 0, y: 0 },
    stage: [1, 1],
    showsBoxes: true,
    showsLabels: true,
    showsGuide: false,
    showsLight: false,
    ...PLAIN,
    pointer: "mouse",
    uiScale: 1,
    copied: null,
    notice: null,
    line: EMPTY_LINE,
    wanted: [],
    aheadHere: 0,
  };
}

/**
 * The work on an image from these objects; `acknowledged` is what the server holds of it. The first suggestion about
 * which nobody has decided is selected.
 * @type {(model: Model, task: Task, acknowledged: Objects, objects: Objects, rejected?: readonly number[]) => Work}
 */
export function startWork(model, task, acknowledged, objects, rejected = task.annotation?.rejected) {
  const { party } = model;
  const lastClass = (task.taster && findPerson(party)?.id) ?? model.lastClass;
  /** @type {Size} */
  const size = [task.width, task.height];
  const suggestions = makeSuggestions(party, size, task.suggestions);
  return {
    task,
    original: acknowledged,
    editor: selectOpen(openEditor(party, size, objects, lastClass, { suggestions, rejected })),
    cursor: { at: null, gesture: null, isByKeys: false, resumes: null },
    saving: startSaving(task.annotation?.id ?? null, acknowledged, isDrawing(task.kind)),
    judgements: new Map(),
    findings: [],
    found: task.findings ?? [],
    unsureClasses: task.annotation?.unsure_classes ?? [],
    clock: startClock(),
    stints: startStints(),
    pressedAt: 0,
  };
}

/** With other preferences, and the keys that follow. @type {(model: Model, preferences: Preferences) => Model} */
export function prefer(model, preferences) {
  const { map, keys } = model.preferences;
  const changed = { ...model, preferences };
  if (map === preferences.map && keys === preferences.keys) return changed;
  return { ...changed, keymap: makeKeymap(changed) };
}

/** Of many classes, those used last have keys. @param {Pick<Model, "page" | "party" | "classOrder" | "preferences" | "recent">} model */
function makeKeymap({ page, party, classOrder, preferences, recent }) {
  const classes = hasMany(party) ? listByKey(recent) : classOrder;
  return buildKeymap(party, classes, preferences.map, page, changesOf(preferences));
}

/** The next box has this class. @type {(model: Model, id: string) => Model} */
export function withLastClass(model, id) {
  const recent = hasMany(model.party) ? useClass(model.recent, id) : model.recent;
  const changed = { ...model, lastClass: id, recent };
  const hasOtherKeys = recent.some((used) => !model.recent.includes(used));
  return hasOtherKeys ? { ...changed, keymap: makeKeymap(changed) } : changed;
}

/**
 * The same where nothing changed.
 * @param {Model} model
 * @param {(work: Work) => Work} change
 * @returns {Model}
 */
export function changeWork(model, change) {
  if (!model.work) return model;
  const work = change(model.work);
  return work === model.work ? model : { ...model, work };
}

/**
 * The model after a change of the editor; it keeps the class that was used last for the next image.
 * @type {(model: Model, change: (editor: Editor) => Editor) => Model}
 */
export function changeEditor(model, change) {
  const changed = changeWork(model, (work) => {
    const editor = change(work.editor);
    return editor === work.editor ? work : { ...work, editor };
  });
  const lastClass = changed.work?.editor.lastClass ?? model.lastClass;
  return lastClass === changed.lastClass ? changed : withLastClass(changed, lastClass);
}

/** The selected object of the open image, or null. @param {Model} model */
export function selectedIn({ work }) {
  return work && selectedObject(work.editor);
}

/**
 * @param {Model} model
 * @param {string} text
 * @param {Notice["tone"]} [tone]
 * @returns {Model}
 */
export function withNotice(model, text, tone = "plain") {
  return { ...model, notice: { text, tone } };
}

/**
 * @template T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function createStore(initial) {
  let value = initial;
  /** @type {Set<(value: T, before: T) => void>} */
  const listeners = new Set();
  /** @type {Store<T>} */
  const store = {
    get: () => value,
    update(change) {
      const before = value;
      value = change(before);
      if (value !== before) for (const listener of [...listeners]) listener(value, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    follow(show, seen = (object) => [object]) {
      show(value);
      store.subscribe((now, before) => {
        const was = seen(before);
        if (seen(now).some((value, at) => value !== was[at])) show(now);
      });
    },
  };
  return store;
}

/**
 * The model after a change by the person: the clock goes on, and what changed is to be saved.
 * @type {(before: Model, after: Model, nowSecs: number) => Model}
 */
export function trackChange(before, after, nowSecs) {
  if (!before.work || !after.work || before.work.task !== after.work.task) return after;
  const touched = { ...after.work, clock: touch(after.work.clock, nowSecs) };
  const work = trackSelection(touched);
  const objects = objectsIn(work.editor);
  if (objects === objectsIn(before.work.editor)) return { ...after, work };
  const known = new Set(objectsIn(before.work.editor));
  const [changed, ...others] = objects.filter((object) => !known.has(object));
  const { pressedAt, clock } = work;
  const isOne = changed && others.length === 0;
  // Who accepts a suggestion has the next one selected already, whose time begins only then.
  const wasSelected = before.work.editor.selection?.key === changed?.key;
  const { stints } = wasSelected ? touched : work;
  const counted = isOne ? countEdit(stints, changed.key, pressedAt, clock.activeSecs) : stints;
  return { ...after, work: { ...work, stints: counted, saving: noteChange(work.saving, objects, nowSecs) } };
}

/**
 * The model after a sign of life that changed nothing.
 * @param {Model} model
 * @param {number} nowSecs
 */
export function trackLife(model, nowSecs) {
  return trackChange(model, model, nowSecs);
}

/** The model after a press of a key or a button. @param {Model} model */
export function trackInput(model) {
  return changeWork(model, (work) => ({ ...work, clock: press(work.clock) }));
}

/** Whether the end of the work is ordered or sent, so that nothing may be edited any more. @param {Work} work */
export function isEnding({ saving }) {
  return saving.order !== null || saving.flight?.finish === true;
}

/**
 * Whether the person works on another image than when they asked: `before` is the work of that moment.
 * @type {(before: Work | null, now: Work | null) => boolean}
 */
export function isElsewhere(before, now) {
  if (!now || now.task.image_id === before?.task.image_id) return false;
  const isExpected = before === null || isEnding(before);
  return !isExpected || now.saving.changedAt !== null || now.saving.flight !== null;
}

/**
 * From now on, time counts for an object that is selected without a gesture.
 * @param {Work} work
 * @returns {Work}
 */
function trackSelection(work) {
  const key = work.editor.selection?.key ?? null;
  const isSuggested = currentSuggestion(work.editor) !== null;
  const isNew = key !== null && !isSuggested && !work.stints.secs.has(key);
  if (isNew || key === work.stints.key) return work;
  return { ...work, stints: { ...work.stints, key, since: work.clock.activeSecs } };
}
