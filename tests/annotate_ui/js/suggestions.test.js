import assert from "node:assert/strict";
import { test } from "node:test";
import { secsOn } from "#app/state/clock.js";
import {
  armPart,
  currentSuggestion,
  listOpen,
  listShown,
  objectsIn,
  redoLast,
  rejectedIn,
  select,
  selectNext,
  toggleHidden,
  undoLast,
} from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { changeEditor, startWork, trackChange, trackInput, trackLife } from "#app/state/model.js";
import {
  idOfEntry,
  isAsServerHas,
  isSameWork,
  makeEntry,
  openRevision,
  openWork,
  packEntry,
} from "#app/state/revision.js";
import { launch, landed, statusOf } from "#app/state/saving.js";
import {
  accept,
  giveView,
  joinSheets,
  makeSuggestions,
  openConfirmed,
  reject,
  toggleSuggestions,
} from "#app/state/suggestions.js";
import { makeModel, makeObject, makeTask, PARTY, SIZE } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {Editor, Model, Objects, Work} from "#app/state/types.js" */
/** @import {Annotated, SentObject, SentSuggestion, Task} from "#app/types.js" */

/** @type {SentSuggestion[]} */
const SENT = [
  { id: 7, class: "person", box: [20, 20, 120, 220], confidence: 0.91 },
  { id: 8, class: "bus", box: [150, 40, 330, 280], confidence: 0.6 },
  { id: 9, class: "bottle", box: [400, 100, 440, 200], confidence: 0.35 },
];

/** @param {SentObject[] | null} [objects] @returns {Task} */
const taskWith = (objects = null) => ({ ...makeTask(objects), suggestions: SENT });

/** @param {Task} [task] @param {Objects} [objects] */
function openAt(task = taskWith(), objects = []) {
  const model = makeModel();
  return { ...model, screen: /** @type {const} */ ("work"), work: startWork(model, task, objects, objects) };
}

/** @returns {Editor} */
const editorWith = () => openAt().work.editor;

/** @param {Editor} editor */
const currentId = (editor) => currentSuggestion(editor)?.suggestion_id ?? null;

/** @param {Editor} editor */
const openIds = (editor) => listOpen(editor).map(({ suggestion_id }) => suggestion_id);

/** @param {SentObject | Annotated} object @returns {SentObject} */
const asSent = (object) => ({ ...object, drawn_secs: 1 });

test("an image opens with its best suggestion selected, and none of them is an object", () => {
  const editor = editorWith();
  assert.equal(currentId(editor), 7);
  assert.deepEqual(objectsIn(editor), []);
  assert.deepEqual(openIds(editor), [7, 8, 9]);
});

test("what two people confirmed is an object that the server need not be told, and is no suggestion", () => {
  const suggestions = SENT.map((one) => ({ ...one, ...(one.id === 8 && { is_confirmed: true }) }));
  const { work } = openWork(makeModel(), { ...makeTask(), suggestions }, null, 0);
  const [object, ...others] = objectsIn(work.editor);
  assert.deepEqual([object.class, object.suggestion_id, "confidence" in object], ["bus", 8, false]);
  assert.deepEqual([others.length, openIds(work.editor)], [0, [7, 9]]);
  assert.equal(isSameWork(objectsIn(work.editor), work.saving.acknowledged), true);
  const removed = edits.removeSelected(select(work.editor, { key: object.key, part: null }));
  assert.deepEqual([objectsIn(removed), rejectedIn(removed)], [[], [8]]);
});

test("what two people confirmed is not drawn again once somebody drew the image", () => {
  const suggestions = SENT.map((one) => ({ ...one, is_confirmed: true }));
  const { work } = openWork(makeModel(), { ...makeTask([]), suggestions }, null, 0);
  assert.deepEqual(objectsIn(work.editor), []);
});

test("an image without suggestions opens with nothing selected", () => {
  assert.equal(openAt(makeTask()).work.editor.selection, null);
});

test("accepting makes an object of the suggestion and goes to the next one, until none is left", () => {
  let editor = accept(editorWith());
  const [{ truncatedBy, key, ...object }] = objectsIn(editor);
  assert.deepEqual([object.class, object.box, object.suggestion_id], ["person", [20, 20, 120, 220], 7]);
  assert(!("confidence" in object));
  assert.equal(currentId(editor), 8);
  editor = accept(accept(editor));
  assert.equal(objectsIn(editor).length, 3);
  assert.deepEqual([currentId(editor), editor.selection, openIds(editor)], [null, null, []]);
  assert.equal(accept(editor).refusal, "none_suggested");
});

test("rejecting makes no object and goes to the next one", () => {
  const editor = reject(editorWith());
  assert.deepEqual([objectsIn(editor), rejectedIn(editor), currentId(editor)], [[], [7], 8]);
});

/** @type {[string, (editor: Editor) => Editor, Partial<Annotated>][]} */
const CORRECTIONS = [
  ["an arrow", (editor) => edits.nudge(editor, 3, 0), { box: [23, 20, 123, 220] }],
  ["a moved side", (editor) => edits.nudgeSide(editor, 4, 0), { box: [20, 20, 124, 220] }],
  [
    "a drag",
    (editor) => edits.reshape(editor, { key: "suggestion-7", part: null }, [25, 20, 120, 220]),
    { box: [25, 20, 120, 220] },
  ],
  ["another class", (editor) => edits.chooseClass(editor, "motorbike"), { class: "motorbike" }],
  ["its own class", (editor) => edits.chooseClass(editor, "person"), { class: "person" }],
  ["a view", (editor) => edits.chooseView(editor, "Left"), { view: "Left" }],
  ["a flag", (editor) => edits.toggleFlag(editor, "occluded"), { occluded: true }],
  ["an action", (editor) => edits.toggleAction(editor, "walking"), { actions: ["walking"] }],
  ["a point", (editor) => edits.setPoint(editor, [60, 60]), { point: [60, 60] }],
  [
    "a part",
    (editor) => edits.draw(armPart(editor, "head"), [30, 22, 60, 60], "unused"),
    { parts: [{ part: "head", box: [30, 22, 60, 60] }] },
  ],
];
for (const [what, correct, expected] of CORRECTIONS) {
  test(`${what} makes an object of the selected suggestion, as one step that can be undone`, () => {
    const before = editorWith();
    const after = correct(before);
    const [object, ...others] = objectsIn(after);
    assert.deepEqual(others, []);
    assert.equal(object.suggestion_id, 7);
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(object[/** @type {keyof Annotated} */ (name)], value);
    assert.equal(after.selection?.key, object.key); // so that view, flags and parts can follow
    assert.equal(currentId(accept(after)), 8);
    const undone = undoLast(after);
    assert.deepEqual([objectsIn(undone), currentId(undone)], [[], 7]);
  });
}

test("an edit that changes nothing does not accept", () => {
  assert.deepEqual(objectsIn(edits.nudge(editorWith(), 0, 0)), []);
  assert.deepEqual(objectsIn(edits.chooseView(editorWith(), "Unspecified")), []);
});

test("a view accepts the selected suggestion with the view and goes to the next one, as one step", () => {
  const after = giveView(editorWith(), "Left");
  assert.deepEqual(
    objectsIn(after).map(({ suggestion_id, view }) => [suggestion_id, view]),
    [[7, "Left"]],
  );
  assert.equal(currentId(after), 8);
  const undone = undoLast(after);
  assert.deepEqual([objectsIn(undone), currentId(undone)], [[], 7]);
});

test("the first view of a corrected suggestion goes on, and a view that is changed later does not", () => {
  const corrected = edits.nudge(editorWith(), 3, 0);
  const after = giveView(corrected, "Left");
  assert.deepEqual([objectsIn(after)[0].view, currentId(after)], ["Left", 8]);
  const changed = giveView(select(after, { key: "suggestion-7", part: null }), "Right");
  assert.deepEqual([objectsIn(changed)[0].view, changed.selection?.key], ["Right", "suggestion-7"]);
});

test("a view of the last suggestion, of a drawn box, or of a class without views goes nowhere", () => {
  let last = editorWith();
  for (let step = 0; step < 2; step += 1) last = reject(last);
  last = edits.chooseClass(last, "person");
  const given = giveView(last, "Left");
  assert.deepEqual([objectsIn(given)[0].view, given.selection?.key], ["Left", "suggestion-9"]);
  const drawn = edits.draw(select(editorWith(), null), [10, 10, 60, 60], "own");
  assert.equal(giveView(drawn, "Left").selection?.key, "own");
  const bottle = select(editorWith(), { key: "suggestion-9", part: null });
  const refused = giveView(bottle, "Left");
  assert.deepEqual([objectsIn(refused), currentId(refused), refused.refusal], [[], 9, "class_has_none"]);
});

test("a view accepts nothing while suggestions are hidden", () => {
  const hidden = { ...editorWith(), showsSuggestions: false };
  const shown = giveView(hidden, "Left");
  assert.deepEqual([objectsIn(shown), shown.showsSuggestions], [[], true]);
});

test("removing the selected suggestion rejects it, and so does removing the object made of it", () => {
  const rejected = edits.removeSelected(editorWith());
  assert.deepEqual([rejectedIn(rejected), objectsIn(rejected)], [[7], []]);
  const accepted = select(accept(editorWith()), { key: "suggestion-7", part: null });
  for (const remove of [edits.removeSelected, reject]) {
    const removed = remove(accepted);
    assert.deepEqual([objectsIn(removed), rejectedIn(removed), openIds(removed)], [[], [7], [8, 9]]);
    assert.deepEqual(openIds(undoLast(removed)), [8, 9]);
    assert.equal(objectsIn(undoLast(removed)).length, 1);
  }
});

test("a drawn box that is removed rejects nothing", () => {
  const drawn = edits.draw(select(editorWith(), null), [10, 10, 60, 60], "own");
  assert.deepEqual(rejectedIn(edits.removeSelected(drawn)), []);
});

test("what is hidden cannot be accepted or rejected: the key shows it first", () => {
  const hidden = toggleSuggestions(editorWith());
  assert.deepEqual([listShown(hidden), hidden.selection], [[], null]);
  for (const step of [accept, reject, toggleSuggestions]) {
    const shown = step(hidden);
    assert.deepEqual([objectsIn(shown), rejectedIn(shown), currentId(shown)], [[], [], 7]);
    assert.equal(listShown(shown).length, 3);
  }
});

test("with a drawn box selected the key goes to the next suggestion and accepts none", () => {
  const drawn = edits.draw(select(editorWith(), null), [10, 10, 60, 60], "own");
  for (const step of [accept, reject]) {
    assert.deepEqual([objectsIn(step(drawn)).length, rejectedIn(step(drawn))], [1, []]);
    assert.equal(currentId(step(drawn)), 7);
  }
});

test("suggestions of a hidden class are passed over", () => {
  const editor = toggleHidden(editorWith(), "bus");
  assert.equal(currentId(accept(editor)), 9);
});

test("the keys for the next object go through open suggestions too", () => {
  const editor = accept(editorWith());
  const keys = [1, 2, 3].map((steps) => {
    let now = select(editor, null);
    for (let step = 0; step < steps; step += 1) now = selectNext(now, 1);
    return now.selection?.key;
  });
  assert.deepEqual(keys, ["suggestion-7", "suggestion-8", "suggestion-9"]);
});

test("the class of the next box stays the person's", () => {
  const editor = accept(accept(editorWith()));
  assert.equal(editor.lastClass, editorWith().lastClass);
});

test("a full image takes no suggestion and says so", () => {
  const full = { ...editorWith(), party: { ...PARTY, max_objects: 0 } };
  assert.equal(accept(full).refusal, "too_many");
  assert.deepEqual(objectsIn(edits.nudge(full, 1, 0)), []);
});

test("suggestions of classes that the party lacks, or too small, are not shown; merged classes follow", () => {
  const party = { ...PARTY, moved: { ...PARTY.moved, class: { coach: "bus" } } };
  /** @type {SentSuggestion[]} */
  const sent = [
    { id: 1, class: "unicorn", box: [1, 1, 50, 50], confidence: 0.9 },
    { id: 2, class: "bus", box: [1, 1, 2, 2], confidence: 0.9 },
    { id: 3, class: "coach", box: [1, 1, 50, 50], confidence: 0.9 },
  ];
  const made = makeSuggestions(party, SIZE, sent);
  assert.deepEqual(
    made.map((object) => [object.suggestion_id, object.class]),
    [[3, "bus"]],
  );
});

testProperty("undo and redo of any decisions restore the start and the end", 200, (random) => {
  const steps = [
    accept,
    reject,
    toggleSuggestions,
    (/** @type {Editor} */ editor) => edits.nudge(editor, random.whole(-9, 9), random.whole(-9, 9)),
    (/** @type {Editor} */ editor) => edits.chooseView(editor, random.pick(["Left", "Rear"])),
    (/** @type {Editor} */ editor) => selectNext(editor, random.pick([1, -1])),
    edits.removeSelected,
  ];
  let editor = editorWith();
  for (let step = 0; step < 20; step += 1) editor = random.pick(steps)(editor);
  const ids = objectsIn(editor).map(({ suggestion_id }) => suggestion_id);
  const decided = [...ids, ...rejectedIn(editor)];
  assert.equal(new Set(decided).size, decided.length); // none both, none twice
  assert.equal(decided.length + listOpen(editor).length, SENT.length);
  let back = editor;
  for (let step = 0; step < 20; step += 1) back = undoLast(back);
  assert.deepEqual([objectsIn(back), rejectedIn(back)], [[], []]);
  for (let step = 0; step < 20; step += 1) back = redoLast(back);
  assert.deepEqual([objectsIn(back), rejectedIn(back)], [objectsIn(editor), rejectedIn(editor)]);
});

/**
 * @param {Model} model
 * @param {number} nowSecs
 * @param {(editor: Editor) => Editor} change
 */
const edit = (model, nowSecs, change) => trackChange(model, changeEditor(model, change), nowSecs);

/** @param {Model} model @returns {Work} */
function workIn({ work }) {
  assert(work !== null);
  return work;
}

test("a rejection alone is to be saved, and the save says everything that was decided", () => {
  let model = edit(trackInput(openAt()), 10, reject);
  assert.equal(statusOf(workIn(model).saving), "unsaved");
  model = edit(trackInput(model), 12, accept);
  const body = packEntry(makeEntry(model, workIn(model)), null, "key", 2, 2);
  assert.deepEqual([body.rejected, body.suggestions_shown, body.inputs], [[7], 3, 2]);
  assert.deepEqual(
    body.objects.map(({ key, suggestion_id }) => [key, suggestion_id]),
    [["suggestion-8", 8]],
  );
  assert(!("confidence" in body.objects[0]));
  assert.equal(makeEntry(model, workIn(model)).inputs, 2);
});

test("an undone rejection is saved again, once the server has it", () => {
  const model = edit(openAt(), 10, reject);
  const work = workIn(model);
  const flight = { saveKey: "k", body: {}, objects: objectsIn(work.editor), finish: false, activeSecs: 1 };
  const saved = { ...model, work: { ...work, saving: landed(launch(work.saving, flight), 32) } };
  assert.equal(statusOf(saved.work.saving), "saved");
  assert.equal(statusOf(workIn(edit(saved, 12, undoLast)).saving), "unsaved");
});

test("the seconds of an accepted suggestion run from when it was selected", () => {
  let model = trackLife(openAt(), 100);
  model = edit(trackLife(model, 104), 105, accept);
  model = edit(model, 107, reject);
  model = edit(model, 110, accept);
  const { stints } = workIn(model);
  assert.deepEqual([secsOn(stints, "suggestion-7"), secsOn(stints, "suggestion-9")], [5, 3]);
});

test("an interrupted session keeps what was accepted and rejected", () => {
  const model = edit(edit(trackInput(openAt()), 10, accept), 11, reject);
  const entry = structuredClone(makeEntry(model, workIn(model)));
  const { work, isRestored } = openWork(makeModel(), taskWith(), entry, 50);
  assert(isRestored);
  assert.deepEqual([objectsIn(work.editor)[0].suggestion_id, rejectedIn(work.editor)], [7, [8]]);
  assert.deepEqual([openIds(work.editor), currentId(work.editor), work.clock.inputs], [[9], 9, 1]);
  assert.equal(entry.id, idOfEntry(model, taskWith()));
});

test("a rejection that was not sent is restored though all boxes are there", () => {
  const model = edit(openAt(), 10, reject);
  const entry = structuredClone(makeEntry(model, workIn(model)));
  assert.deepEqual(rejectedIn(openWork(makeModel(), taskWith(), entry, 50).work.editor), [7]);
});

test("a rejection made while a save was on its way is sent after it", () => {
  const model = edit(openAt(), 10, accept);
  const { rejected, objects } = makeEntry(model, workIn(model));
  const flight = { saveKey: "k", body: {}, objects, rejected, finish: false, activeSecs: 1 };
  const later = edit(model, 11, reject);
  const entry = makeEntry(later, { ...workIn(later), saving: launch(workIn(model).saving, flight) });
  const { work } = openWork(makeModel(), taskWith(), structuredClone(entry), 50);
  assert.notEqual(work.saving.changedAt, null);
  const all = makeEntry(model, { ...workIn(model), saving: launch(workIn(model).saving, flight) });
  assert.equal(openWork(makeModel(), taskWith(), structuredClone(all), 50).work.saving.changedAt, null);
});

test("the server's word opens accepted and rejected ones as they were", () => {
  const own = asSent({ ...makeObject("own", [10, 10, 60, 60]), suggestion_id: 8, suggested: "corrected" });
  const task = taskWith([own]);
  if (task.annotation) task.annotation.rejected = [7];
  const objects = openRevision(PARTY, task.annotation);
  assert(!("suggested" in objects[0])); // the server says it anew
  const { editor } = openAt(task, objects).work;
  assert.deepEqual([openIds(editor), rejectedIn(editor)], [[9], [7]]);
});

test("finished work with another rejection is not given back as it was", () => {
  const task = taskWith([asSent(makeObject("own", [10, 10, 60, 60]))]);
  if (task.annotation) task.annotation.finished = true;
  const objects = openRevision(PARTY, task.annotation);
  const { work } = openAt(task, objects);
  assert(isAsServerHas(work));
  assert(!isAsServerHas({ ...work, editor: reject(work.editor) }));
});

test("what two windows decided is joined: accepted in either is not rejected, and nothing stands twice", () => {
  const mine = reject(accept(editorWith())); // accepts 7, rejects 8
  const theirs = accept(accept(editorWith())); // accepts 7 and 8
  const other = reject(reject(reject(editorWith()))); // rejects all
  const joined = joinSheets(mine, { objects: objectsIn(theirs), rejected: [] });
  assert.deepEqual(
    joined.objects.map(({ suggestion_id }) => suggestion_id),
    [7, 8],
  );
  assert.deepEqual(joined.rejected, []);
  assert.deepEqual(joinSheets(mine, { objects: [], rejected: rejectedIn(other) }).rejected, [8, 9]);
});

test("boxes that are copied from another image do not name its suggestions", () => {
  const there = { ...makeObject("there", [10, 10, 60, 60]), suggestion_id: 99 };
  const editor = edits.pasteAll(editorWith(), [there], () => "copy");
  assert.equal(objectsIn(editor)[0].suggestion_id, undefined);
});

test("suggested parts come with their box, as many as the class can have, and none of what is confirmed", () => {
  const head = { part: "head", box: /** @type {const} */ ([30, 20, 60, 50]) };
  const tail = { part: "tail", box: /** @type {const} */ ([30, 60, 60, 80]) };
  const [person, bus] = SENT;
  const sent = [
    { ...person, parts: [head, tail, { ...head, box: /** @type {const} */ ([80, 20, 99, 50]) }] },
    { ...bus, parts: [head] },
  ];
  const made = makeSuggestions(PARTY, SIZE, sent);
  assert.deepEqual(
    made.map(({ parts }) => parts),
    [[head], []],
  );
  const accepted = accept(
    select(openAt({ ...taskWith(), suggestions: sent }).work.editor, { key: made[0].key, part: null }),
  );
  assert.deepEqual(objectsIn(accepted).at(-1)?.parts, [head]);
  const confirmed = openConfirmed(PARTY, SIZE, [{ ...sent[0], is_confirmed: true }]);
  assert.deepEqual(confirmed[0].parts, []);
});

test("a suggested part that is moved or removed makes an object of its suggestion", () => {
  const head = { part: "head", box: /** @type {const} */ ([30, 20, 60, 50]) };
  const sent = [{ ...SENT[0], parts: [head] }];
  const { editor } = openAt({ ...taskWith(), suggestions: sent }).work;
  const chosen = select(editor, { key: "suggestion-7", part: 0 });
  const partsIn = (/** @type {Editor} */ changed) =>
    objectsIn(changed).map(({ suggestion_id, parts }) => [suggestion_id, parts]);
  assert.deepEqual(partsIn(edits.removeSelected(chosen)), [[7, []]]);
  const box = /** @type {const} */ ([31, 20, 61, 50]);
  assert.deepEqual(partsIn(edits.nudge(chosen, 1, 0)), [[7, [{ ...head, box }]]]);
});
