/** All that a page knows, as one value. */

import { openEditor } from "./editor.js";
import { startClock, startStints } from "./clock.js";
import { buildKeymap } from "./keymap.js";
import { PLAIN_LIGHT } from "./light.js";
import { assignLooks } from "./looks.js";
import { EMPTY_OUTBOX } from "./outbox.js";
import { groupClasses } from "./party.js";
import { changesOf } from "./preferences.js";
import { startSaving } from "./saving.js";

/** @typedef {import("../types.js").Task} Task */
/** @typedef {import("../types.js").Party} Party */
/** @typedef {import("../types.js").Person} Person */
/** @typedef {import("../types.js").Finding} Finding */
/** @typedef {import("../geometry/pixels.js").Size} Size */
/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./objects.js").Objects} Objects */
/** @typedef {"loading" | "work" | "empty" | "untrained" | "nothing_of_others" | "broken" | "lease_lost"
 *   | "taken" | "changed" | "no_server" | "signed_out" | "ending"} Screen */
/** @typedef {{text: string, tone: "plain" | "warn" | "danger" | "ok"}} Notice */
/** @typedef {"mouse" | "pen" | "touch"} Pointer what the image was touched with last */

/**
 * The image in hand. `original` is what it held when it was opened; `hand` is where the pointer is
 * and what it is doing; `pressedAt` is when its gesture began, in active seconds.
 * @typedef {{
 *   task: Task, editor: Editor, original: Objects,
 *   hand: import("../tools/hand.js").Hand,
 *   saving: import("./saving.js").Saving,
 *   judgements: import("./review.js").Judgements,
 *   findings: readonly Finding[], found: readonly import("../types.js").Found[],
 *   unsureClasses: readonly string[],
 *   clock: import("./clock.js").Clock, stints: import("./clock.js").Stints, pressedAt: number,
 * }} Work
 *
 * @typedef {{
 *   page: "annotate" | "check", person: Person, party: Party,
 *   classOrder: readonly string[], looks: ReadonlyMap<string, import("./looks.js").Look>,
 *   preferences: import("./preferences.js").Preferences, keymap: import("./keymap.js").Keymap,
 *   screen: Screen, work: Work | null, left: number, lastClass: string,
 *   viewport: import("../geometry/viewport.js").Viewport, stage: Size,
 *   isPainted: boolean, showsBoxes: boolean, showsLabels: boolean, showsGuide: boolean,
 *   showsLight: boolean, light: import("./light.js").Light, pointer: Pointer,
 *   uiScale: number,
 *   hovered: string | null, notice: Notice | null,
 *   outbox: import("./outbox.js").Outbox, wanted: readonly string[], aheadHere: number,
 * }} Model
 */

/**
 * @param {"annotate" | "check"} page
 * @param {Person} person
 * @param {Party} party
 * @param {import("./preferences.js").Preferences} preferences
 * @returns {Model}
 */
export function startModel(page, person, party, preferences) {
  const classOrder = groupClasses(party).flatMap(({ classes }) => classes.map(({ name }) => name));
  return {
    page,
    person,
    party,
    classOrder,
    looks: assignLooks(classOrder),
    preferences,
    keymap: buildKeymap(party, classOrder, preferences.map, page, changesOf(preferences)),
    screen: "loading",
    work: null,
    left: 0,
    lastClass: classOrder[0],
    viewport: { scale: 1, x: 0, y: 0 },
    stage: [1, 1],
    isPainted: false,
    showsBoxes: true,
    showsLabels: true,
    showsGuide: false,
    showsLight: false,
    light: PLAIN_LIGHT,
    pointer: "mouse",
    uiScale: 1,
    hovered: null,
    notice: null,
    outbox: EMPTY_OUTBOX,
    wanted: [],
    aheadHere: 0,
  };
}

/**
 * The work on an image from these objects; `acknowledged` is what the server holds of it.
 * @param {Model} model
 * @param {Task} task
 * @param {Objects} acknowledged
 * @param {Objects} objects
 * @returns {Work}
 */
export function startWork(model, task, acknowledged, objects) {
  const { party, lastClass } = model;
  return {
    task,
    original: acknowledged,
    editor: openEditor(party, [task.width, task.height], objects, lastClass),
    hand: { at: null, gesture: null, isByKeys: false, resumes: null },
    saving: startSaving(task.annotation?.id ?? null, acknowledged, task.kind === "annotate"),
    judgements: new Map(),
    findings: [],
    found: task.findings ?? [],
    unsureClasses: task.annotation?.unsure_classes ?? [],
    clock: startClock(),
    stints: startStints(),
    pressedAt: 0,
  };
}

/**
 * The model with other preferences, and the keys that follow from them.
 * @param {Model} model
 * @param {import("./preferences.js").Preferences} preferences
 * @returns {Model}
 */
export function prefer(model, preferences) {
  const { party, classOrder, page } = model;
  const { map, keys } = model.preferences;
  if (map === preferences.map && keys === preferences.keys) return { ...model, preferences };
  const rebuilt = buildKeymap(party, classOrder, preferences.map, page, changesOf(preferences));
  return { ...model, preferences, keymap: rebuilt };
}

/**
 * @param {Model} model
 * @param {(work: Work) => Work} change
 * @returns {Model} the same where no image is in hand, or where nothing changed
 */
export function changeWork(model, change) {
  if (!model.work) return model;
  const work = change(model.work);
  return work === model.work ? model : { ...model, work };
}

/**
 * The model after a change of the editor; the class that it used last is the party's from now on.
 * @param {Model} model
 * @param {(editor: Editor) => Editor} change
 * @returns {Model}
 */
export function changeEditor(model, change) {
  const changed = changeWork(model, (work) => {
    const editor = change(work.editor);
    return editor === work.editor ? work : { ...work, editor };
  });
  const lastClass = changed.work?.editor.lastClass ?? model.lastClass;
  return lastClass === changed.lastClass ? changed : { ...changed, lastClass };
}
