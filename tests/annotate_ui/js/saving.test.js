import assert from "node:assert/strict";
import { test } from "node:test";
import * as saving from "#app/state/saving.js";
import { startWork } from "#app/state/model.js";
import { isAsServerHas, openRevision } from "#app/state/revision.js";
import { DONE, makeModel, makeObject, makeTask, PARTY } from "./fixtures.js";

/** @import {Line, Objects, Saving, Work} from "#app/state/types.js" */

/** @type {Objects} */
const NONE = [];
const ONE = [makeObject("a", [10, 10, 50, 50])];
const TWO = [...ONE, makeObject("b", [60, 60, 90, 90])];

/**
 * @param {Saving} state
 * @param {Objects} objects
 * @param {string} [saveKey]
 */
function launch(state, objects, saveKey = "key-1") {
  const finish = state.order?.finish ?? false;
  return saving.launch(state, { saveKey, body: {}, objects, finish, activeSecs: 1.5 });
}

const clean = saving.startSaving(7, NONE);
const dirty = saving.noteChange(clean, ONE, 10);
const flying = launch(dirty, ONE);

const offline = saving.lostTouch(saving.EMPTY_LINE, 20);

test("without a change no save is due", () => {
  assert.equal(saving.dueAt(clean), null);
  assert.equal(saving.statusOf(clean), "saved");
});

test("a draft is due a second after the first edit that it holds", () => {
  assert.equal(saving.dueAt(saving.noteChange(dirty, TWO, 10.9)), 10 + saving.DRAFT_AFTER_SECS);
});

test("an edit that is undone before it was sent leaves nothing to send", () => {
  assert.equal(saving.statusOf(saving.noteChange(dirty, NONE, 10.5)), "saved");
});

test("the next save starts from the revision that the last one became", () => {
  const edited = saving.noteChange(flying, TWO, 12);
  assert.equal(edited.parentId, 7);
  const after = saving.landed(edited, 31);
  assert.deepEqual([after.parentId, saving.dueAt(after)], [31, 13]);
  assert.equal(saving.statusOf(saving.landed(flying, 31)), "saved");
});

test("the queue waits longer after each failure or as the server asks, but not once the person is back", () => {
  assert.deepEqual([offline.trouble, offline.retryAt], ["offline", 21]);
  let line = saving.lostTouch(offline, 21);
  assert.equal(line.retryAt, 23);
  for (let times = 0; times < 9; times += 1) line = saving.lostTouch(line, 100);
  assert.equal(line.retryAt, 115);
  const busy = saving.lostTouch(line, 20, 40);
  assert.deepEqual([busy.retryAt, busy.trouble], [60, "busy"]);
  assert.equal(saving.tryNow(line, 30).retryAt, 30);
});

for (const trouble of /** @type {const} */ (["stale", "lease_lost"])) {
  test(`${trouble}: nothing is sent until the person has decided`, () => {
    const state = saving.turnedDown(flying, trouble, 20, true);
    assert.equal(saving.dueAt(saving.noteChange(state, TWO, 21)), null);
    assert.equal(saving.statusOf(state), trouble);
  });
}

test("after a conflict, keeping one's own saves on top of the newest revision; taking theirs saves nothing", () => {
  const stale = saving.turnedDown(flying, "stale", 20, true);
  const mine = saving.settle(stale, 40, TWO, ONE, 21);
  assert.deepEqual([mine.parentId, saving.dueAt(mine)], [40, 22]);
  assert.equal(saving.statusOf(saving.settle(stale, 40, TWO, TWO, 21)), "saved");
});

test("a refused save is not repeated, but the next edit is sent", () => {
  const state = saving.turnedDown(flying, "refused", 20, false);
  assert.equal(saving.dueAt(state), null);
  assert.notEqual(saving.dueAt(saving.noteChange(state, TWO, 30)), null);
});

test("the checking page sends no drafts, only the verdict", () => {
  const state = saving.noteChange(saving.startSaving(7, NONE, false), ONE, 10);
  assert.equal(saving.dueAt(state), null);
  assert.equal(saving.dueAt(saving.giveOrder(state, DONE)), 0);
});

test("finishing is sent at once, and a refusal reopens the work", () => {
  const landed = saving.landed(saving.giveOrder(flying, DONE), 8);
  assert.equal(saving.dueAt(landed), 0);
  const last = launch(landed, ONE, "key-2");
  assert.equal(saving.statusOf(saving.landed(last, 9)), "saved");
  assert.equal(saving.turnedDown(last, "refused", 20, false).order, null);
});

test("a discard is sent after a draft of the unsent boxes", () => {
  const ordered = saving.giveOrder(dirty, { ...DONE, discardReason: "collage" });
  assert.equal(saving.nextOrder(ordered), null);
  const after = saving.landed(launch(ordered, ONE), 8);
  assert.equal(saving.nextOrder({ ...after, order: ordered.order })?.discardReason, "collage");
  assert.equal(saving.nextOrder(saving.giveOrder(dirty, DONE)), DONE);
});

test("the page is saved when the open image is saved and the queue is empty", () => {
  const model = makeModel();
  const work = startWork(model, makeTask(), [], []);
  const unsaved = { ...work, saving: saving.noteChange(work.saving, ONE, 1) };
  const line = saving.EMPTY_LINE;
  /** @type {[Work | null, Line, string][]} */
  const cases = [
    [null, line, "saved"],
    [work, line, "saved"],
    [work, offline, "saved"],
    [unsaved, line, "unsaved"],
    [work, { ...line, count: 1 }, "saving"],
    [work, { ...offline, count: 2 }, "offline"],
    [unsaved, offline, "offline"],
    [null, { ...line, count: 1, trouble: "signed_out" }, "signed_out"],
  ];
  for (const [work, now, status] of cases) assert.equal(saving.statusOfPage({ work, line: now }), status);
});

test("finished work counts as untouched only while the server has it as it was opened", () => {
  const task = makeTask(ONE.map((object) => ({ ...object, drawn_secs: 1 })));
  if (task.annotation) task.annotation.finished = true;
  const opened = openRevision(PARTY, task.annotation);
  const work = startWork(makeModel(), task, opened, opened);
  const parentId = task.annotation?.id ?? null;
  const asOpened = { ...work, saving: { ...work.saving, parentId, flight: null } };
  assert.equal(isAsServerHas(asOpened), true);
  // A draft of an edit went up, and the edit was undone: the server has the draft.
  assert.equal(isAsServerHas({ ...asOpened, saving: { ...asOpened.saving, parentId: 32 } }), false);
  assert.equal(isAsServerHas({ ...asOpened, saving: { ...asOpened.saving, flight: flying.flight } }), false);
});
