import assert from "node:assert/strict";
import { test } from "node:test";
import { NoAnswer, Refused } from "#app/api.js";
import { keepJournal, openWork, sendEarlier } from "#app/keeper.js";
import { objectsIn } from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { changeEditor, createStore } from "#app/state/model.js";
import { planSave } from "#app/state/saving.js";
import { trackChange } from "#app/state/tracking.js";
import { makeEntry, makeJournal, makeModel, makeObject, makeTask } from "./fixtures.js";

/** @import {Entry} from "#app/journal.js" */
/** @import {Model} from "#app/state/model.js" */

const [A] = makeEntry().objects;
const B = makeObject("b", [60, 60, 90, 90]);
const model = makeModel();

/** @param {Entry} entry */
const flightOf = (entry, saveKey = "old-key-1") => ({
  saveKey,
  body: { save_key: saveKey, parent_id: entry.parentId },
  objects: entry.objects,
  finish: false,
  activeSecs: 7.5,
});

test("without a journal the work is what the server has", () => {
  const { work, isRestored } = openWork(model, makeTask([]), null, 0);
  assert(!isRestored);
  assert.equal(work.saving.parentId, 31);
  assert.deepEqual(planSave(work.saving, 99), { kind: "nothing" });
});

test("unsent work is back, with its time, and goes up on the revision that it started from", () => {
  const { work, isRestored } = openWork(model, makeTask([], 44), makeEntry({}), 0);
  assert(isRestored);
  assert.deepEqual(objectsIn(work.editor), [A]);
  assert.equal(work.saving.parentId, 31);
  assert.equal(work.clock.activeSecs, 40);
  assert.equal(work.stints.secs.get("a"), 2.5);
  assert.deepEqual(planSave(work.saving, 99), { kind: "send" });
});

test("a save that was on its way is repeated under its old key before anything else", () => {
  const first = makeEntry({ objects: [A] });
  const entry = makeEntry({ objects: [A, B], flight: flightOf(first) });
  const { work } = openWork(model, makeTask([]), entry, 0);
  assert.deepEqual(objectsIn(work.editor), [A, B]);
  assert.equal(work.saving.flight?.saveKey, "old-key-1");
  assert.deepEqual(planSave(work.saving, 99), { kind: "repeat" });
  assert(work.saving.changedAt !== null);
});

test("a save that was on its way with everything leaves nothing more to send", () => {
  const entry = makeEntry({ flight: flightOf(makeEntry({})) });
  const { work } = openWork(model, makeTask([]), entry, 0);
  assert.equal(work.saving.changedAt, null);
});

test("work that the server has already is not restored, its time is", () => {
  const { truncatedBy, ...sent } = { ...A, drawn_secs: 1 };
  const { work, isRestored } = openWork(model, makeTask([sent]), makeEntry({}), 0);
  assert(!isRestored);
  assert.equal(work.clock.activeSecs, 40);
  assert.equal(truncatedBy, "border");
});

test("a checker's comments are pinned to the objects that came back", () => {
  const task = makeTask([]);
  const objects = [
    { key: "a", verdict: "reject", comment: "too loose" },
    { key: "b", verdict: "accept", comment: "" },
  ];
  const review = { comment: "", checker: "chris", objects };
  const { work } = openWork(model, { ...task, review }, null, 0);
  assert.deepEqual([...work.judgements], [["a", { verdict: "reject", comment: "too loose" }]]);
});

test("every edit is in the journal at once", async () => {
  const journal = makeJournal();
  /** @type {Model} */
  const opened = { ...model, work: openWork(model, makeTask([]), null, 0).work };
  const store = createStore(opened);
  keepJournal(store, journal, () => assert(false));
  store.update((before) =>
    trackChange(before, changeEditor(before, (one) => edits.draw(one, [5, 5, 50, 50], "n")), 1),
  );
  const [entry] = await journal.list(3);
  assert.equal(entry.id, "3:annotate:12");
  assert.deepEqual(entry.objects.map((object) => object.box), [[5, 5, 50, 50]]);
  assert(entry.isUnsent);
});

test("a journal that takes nothing is not passed over in silence", async () => {
  const full = { ...makeJournal(), keep: async () => Promise.reject(new Error("disk full")) };
  /** @type {Model} */
  const opened = { ...model, work: openWork(model, makeTask([]), null, 0).work };
  const store = createStore(opened);
  const trouble = new Promise((resolve) => keepJournal(store, full, () => resolve("told")));
  store.update((before) =>
    trackChange(before, changeEditor(before, (one) => edits.draw(one, [5, 5, 50, 50], "n")), 1),
  );
  assert.equal(await trouble, "told");
});

/** @param {Entry[]} entries @param {(body: any) => unknown} server */
async function sendAll(entries, server) {
  const journal = makeJournal(entries);
  /** @type {any[]} */
  const bodies = [];
  const send = async (/** @type {Entry} */ _entry, /** @type {object} */ body) => {
    bodies.push(body);
    return server(body);
  };
  const sent = await sendEarlier(journal, model, "3:annotate:99", send, () => "new-key-1");
  return { journal, bodies, sent };
}

test("work on earlier images goes up: first what was on its way, then the rest on top of it", async () => {
  const entry = makeEntry({ objects: [A, B], flight: flightOf(makeEntry({})) });
  const { journal, bodies, sent } = await sendAll([entry], () => ({ annotation: { id: 50 } }));
  assert.deepEqual(
    bodies.map((body) => [body.save_key, body.parent_id]),
    [["old-key-1", 31], ["new-key-1", 50]],
  );
  assert.equal(bodies[1].objects.length, 2);
  assert.equal(sent, 1);
  assert.deepEqual([...journal.kept.keys()], []);
});

test("what the server keeps alongside is kept, so the journal lets go of it", async () => {
  const { journal, sent } = await sendAll([makeEntry({})], () => {
    throw new Refused(409, { code: "lease_lost", message: "gone" }, { kept_as: 60 }, 0);
  });
  assert.equal(sent, 1);
  assert.deepEqual([...journal.kept.keys()], []);
});

test("without an answer the journal keeps the work, under the key that it was sent with", async () => {
  const { journal, sent } = await sendAll([makeEntry({})], () => {
    throw new NoAnswer("offline");
  });
  assert.equal(sent, 0);
  assert.equal((await journal.find("3:annotate:12"))?.flight?.saveKey, "new-key-1");
});

test("the open image, other people's work and what was sent are left out", async () => {
  const { journal, bodies } = await sendAll(
    [
      makeEntry({ id: "3:annotate:99", imageId: 99 }),
      makeEntry({ id: "4:annotate:12", personId: 4 }),
      makeEntry({ isUnsent: false }),
    ],
    () => ({ annotation: { id: 50 } }),
  );
  assert.deepEqual(bodies, []);
  assert.deepEqual([...journal.kept.keys()], ["3:annotate:99", "4:annotate:12"]);
});
