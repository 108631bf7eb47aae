import assert from "node:assert/strict";
import { test } from "node:test";
import { NoAnswer, Refused } from "#app/api.js";
import { createSender } from "#app/sender.js";
import { objectsIn } from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { changeEditor, changeWork, createStore, trackChange } from "#app/state/model.js";
import { openWork, packEntry, packReview } from "#app/state/revision.js";
import { dueAt, giveOrder, statusOfPage } from "#app/state/saving.js";
import { DONE as END, makeEntry, makeJournal, makeModel, makeObject, makeTask } from "./fixtures.js";

/** @import {Entry, Model} from "#app/state/types.js" */

const [A] = makeEntry().objects;
const B = makeObject("b", [60, 60, 90, 90]);
const FLIGHT = { saveKey: "old", body: { save_key: "old" }, objects: [A], finish: false, activeSecs: 5 };

/**
 * A sender before a server that answers as told, one answer a post. Image 12 is open.
 * @param {(() => any)[]} answers
 * @param {{entries?: Entry[], isFull?: boolean}} [past] of the journal
 */
function makeBench(answers, { entries = [], isFull = false } = {}) {
  const journal = makeJournal(entries);
  if (isFull) journal.keep = () => Promise.reject(new Error("disk full"));
  const model = makeModel();
  const store = createStore(
    /** @type {Model} */ ({ ...model, work: openWork(model, makeTask([]), null, 0).work }),
  );
  const posts = /** @type {any[]} */ ([]);
  const heard = /** @type {string[]} */ ([]);
  let nowSecs = 100;
  let keys = 0;
  const sender = createSender({
    store,
    journal,
    nowSecs: () => nowSecs,
    makeKey: () => `key-${(keys += 1)}`,
    pack: packEntry,
    async send({ imageId }, { body }) {
      posts.push({ imageId, ...body });
      const answer = answers.shift();
      assert(answer, "a post too many");
      return answer();
    },
    onLanded: (_answer, isEnd) => void heard.push(isEnd ? "end" : "draft"),
    onProblem: ({ imageId }, { code }, isOpen) => void heard.push(`${code} ${isOpen ? "open" : imageId}`),
    onSignedOut: () => void heard.push("signed_out"),
    onFleeting: () => void heard.push("fleeting"),
  });
  const draw = (/** @type {string} */ key) =>
    store.update((before) =>
      trackChange(
        before,
        changeEditor(before, (editor) => edits.draw(editor, [5, 5, 50, 50], key)),
        nowSecs,
      ),
    );
  const pass = async (/** @type {number} */ secs) => {
    nowSecs += secs;
    void sender.pump();
    await turns();
  };
  const save = (/** @type {string} */ key) => {
    draw(key);
    return pass(1);
  };
  const changeSaving = (/** @type {(one: Entry["saving"]) => Entry["saving"]} */ step) =>
    store.update((now) => changeWork(now, (work) => ({ ...work, saving: step(work.saving) })));
  const close = () => store.update((now) => ({ ...now, work: null }));
  const open = (/** @type {Entry | null} */ entry) =>
    store.update((now) => ({ ...now, work: openWork(now, makeTask([]), entry, nowSecs).work }));
  const said = () => posts.map((post) => [post.imageId, post.save_key, post.parent_id, post.finish]);
  const status = () => statusOfPage(store.get());
  return {
    sender,
    kept: journal.kept,
    posts,
    heard,
    draw,
    pass,
    save,
    changeSaving,
    close,
    open,
    said,
    status,
  };
}

const took = (/** @type {number} */ id) => () => ({ annotation: { id } });
const refuse = (/** @type {number} */ status, /** @type {string} */ code) => () => {
  throw new Refused(status, { code, message: "No." }, { kept_as: 60 }, 0);
};
const away = () => {
  throw new NoAnswer("no network");
};
/**
 * An image of an earlier visit.
 * @param {number} imageId
 * @param {Partial<Entry["saving"]>} [saving]
 */
const past = (imageId, saving) =>
  makeEntry({ id: `3:annotate:${imageId}`, imageId }, { parentId: null, ...saving });

async function turns() {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

test("edits within a second are sent as one draft, later ones on top of it", async () => {
  const bench = makeBench([took(40), took(41)]);
  bench.draw("a");
  await bench.save("b");
  await bench.save("c");
  assert.deepEqual(bench.said(), [
    [12, "key-1", 31, false],
    [12, "key-2", 40, false],
  ]);
  assert.equal(bench.status(), "saved");
});

test("flush sends pending edits at once", async () => {
  const bench = makeBench([took(40)]);
  bench.draw("a");
  bench.sender.flush();
  await turns();
  assert.equal(bench.status(), "saved");
});

test("a save without answer is repeated with the same body, also after 'too many'", async () => {
  const bench = makeBench([away, refuse(429, "too_many"), took(40)]);
  await bench.save("a");
  assert.equal(bench.status(), "offline");
  await bench.pass(1);
  await bench.pass(2);
  assert.equal(bench.status(), "saved");
  assert.deepEqual(
    bench.said().map(([, key]) => key),
    ["key-1", "key-1", "key-1"],
  );
});

for (const [status, code] of /** @type {[number, string][]} */ ([
  [409, "stale"],
  [409, "lease_lost"],
  [422, "invalid"],
  [413, "too_large"],
])) {
  test(`of the open image, ${code} is heard once and nothing is sent until the person acts`, async () => {
    const bench = makeBench([refuse(status, code)]);
    await bench.save("a");
    await bench.pass(60);
    assert.deepEqual(bench.heard, [`${code} open`]);
    assert.equal(bench.status(), status === 409 ? code : "refused");
  });
}

test("signed out, nothing is sent or dropped until the person is back", async () => {
  const bench = makeBench([refuse(401, "signed_out"), took(40)]);
  await bench.save("a");
  await bench.pass(60);
  assert.deepEqual([bench.heard, bench.status(), bench.kept.size], [["signed_out"], "signed_out", 1]);
  await bench.sender.tryNow();
  assert.equal(bench.status(), "saved");
});

test("every edit is in the journal at once, and a journal that fails is reported", async () => {
  const bench = makeBench([]);
  bench.draw("n");
  assert.deepEqual(
    bench.kept.get("3:annotate:12")?.objects.map((object) => object.box),
    [[5, 5, 50, 50]],
  );
  const full = makeBench([], { isFull: true });
  full.draw("n");
  await turns();
  assert.deepEqual(full.heard, ["fleeting"]);
  for (const page of [bench, full]) page.changeSaving((saving) => ({ ...saving, changedAt: null })); // ends its timer
});

test("an image that was left is sent while the next is open, and leaves the journal", async () => {
  const bench = makeBench([took(40)]);
  bench.draw("a");
  await bench.sender.leave(END);
  bench.close();
  await bench.sender.settle();
  assert.deepEqual(bench.said(), [[12, "key-1", 31, true]]);
  assert.deepEqual([bench.kept.size, bench.status(), bench.heard], [0, "saved", []]);
});

test("an image left during its draft sends the draft once and the end on top of it", async () => {
  let answer = (/** @type {object} */ _value) => {};
  const slow = () => new Promise((resolve) => (answer = resolve));
  const bench = makeBench([slow, took(41)]);
  await bench.save("a");
  await bench.sender.leave(END);
  bench.close();
  answer({ annotation: { id: 40 } });
  await bench.sender.settle();
  assert.deepEqual(bench.said(), [
    [12, "key-1", 31, false],
    [12, "key-2", 40, true],
  ]);
});

test("a discard follows a draft of the newest boxes and includes them", async () => {
  const bench = makeBench([took(40), took(41)]);
  bench.draw("a");
  await bench.sender.leave({ ...END, discardReason: "collage" });
  await bench.sender.settle();
  const sent = bench.posts.map((post) => [post.parent_id, post.discard_reason, post.objects.length]);
  assert.deepEqual(sent, [
    [31, null, 1],
    [40, "collage", 1],
  ]);
});

test("an image left without finishing is sent as a draft", async () => {
  const bench = makeBench([took(40)]);
  bench.draw("a");
  bench.close();
  await bench.sender.settle();
  assert.deepEqual(bench.said(), [[12, "key-1", 31, false]]);
});

test("finished images of an earlier visit wait in order, under the keys that they were sent with", async () => {
  const entries = [past(13, { order: END, acknowledgedSecs: 10 }), past(14, { order: END })];
  const bench = makeBench([away, took(50), took(51)], { entries });
  await bench.sender.adoptFinished();
  await assert.rejects(bench.sender.settle(), NoAnswer);
  assert.equal(bench.status(), "offline");
  assert.equal(bench.kept.get("3:annotate:13")?.saving.flight?.saveKey, "key-1");
  await bench.sender.settle();
  assert.deepEqual(
    bench.said().map(([image, key]) => [image, key]),
    [
      [13, "key-1"],
      [13, "key-1"],
      [14, "key-2"],
    ],
  );
  assert.deepEqual([bench.posts[1].active_secs, bench.posts[1].objects[0].drawn_secs], [30, 2.5]);
  assert.equal(bench.kept.size, 0);
});

test("a conflicting or refused end waits for the person, and the next image continues", async () => {
  const entries = [past(13, { order: END }), past(14, { order: END }), past(15, { order: END })];
  const bench = makeBench([refuse(409, "stale"), refuse(422, "invalid"), took(50)], { entries });
  await bench.sender.adoptFinished();
  await bench.sender.settle();
  assert.equal(await bench.sender.sendEarlier(), 0);
  assert.deepEqual(bench.heard, ["stale 13", "invalid 14"]);
  assert.deepEqual([...bench.kept.keys()], ["3:annotate:13", "3:annotate:14"]);
});

test("drafts of earlier visits are sent: first the pending save, then the rest on top of it", async () => {
  const entries = [{ ...past(13, { flight: FLIGHT }), objects: [A, B] }];
  const bench = makeBench([took(50), took(51)], { entries });
  assert.equal(await bench.sender.sendEarlier(), 1);
  assert.deepEqual(
    bench.said().map(([, key, parent]) => [key, parent]),
    [
      ["old", undefined],
      ["key-1", 50],
    ],
  );
  assert.equal(bench.posts[1].active_secs, 35);
  assert.equal(bench.kept.size, 0);
});

test("after a conflict a draft is dropped, but an end is still sent", async () => {
  const bench = makeBench([refuse(409, "lease_lost")], { entries: [past(13)] });
  assert.equal(await bench.sender.sendEarlier(), 1);
  assert.equal(bench.kept.size, 0);
  const ended = makeBench([refuse(409, "stale"), took(50)], {
    entries: [past(13, { flight: FLIGHT, parentId: 31, order: END })],
  });
  await ended.sender.adoptFinished();
  await ended.sender.settle();
  assert.deepEqual([ended.heard, ended.posts[1].parent_id], [[], 31]);
});

test("the queue leaves out the open image, other people's work and sent images", async () => {
  const entries = [
    makeEntry(),
    { ...past(13), id: "4:annotate:13", personId: 4 },
    past(14, { changedAt: null }),
  ];
  const bench = makeBench([], { entries });
  assert.equal(await bench.sender.sendEarlier(), 0);
  assert.deepEqual([...bench.kept.keys()], ["3:annotate:12", "4:annotate:13"]);
});

test("a queued image that is opened again is no longer queued", async () => {
  const bench = makeBench([away], { entries: [past(13)] });
  await bench.sender.sendEarlier();
  const entry = await bench.sender.take({ ...makeTask([]), image_id: 13 });
  assert.equal(entry?.saving.flight?.saveKey, "key-1");
  assert.equal(bench.status(), "saved");
});

test("a save without answer of an earlier visit is repeated once its image is open", async () => {
  const bench = makeBench([took(40)], { entries: [makeEntry({}, { flight: FLIGHT })] });
  bench.close();
  bench.open(await bench.sender.take(makeTask([])));
  await turns();
  assert.deepEqual(
    bench.posts.map((post) => post.save_key),
    ["old"],
  );
});

test("a verdict is sent only from the open image", async () => {
  const bench = makeBench([took(40)]);
  bench.changeSaving((state) => giveOrder({ ...state, hasDrafts: false }, END));
  await turns();
  assert.deepEqual(bench.heard, ["end"]);
});

const model = makeModel();

test("without a journal the work is what the server has", () => {
  const { work, isRestored } = openWork(model, makeTask([]), null, 0);
  assert(!isRestored);
  assert.deepEqual([work.saving.parentId, dueAt(work.saving)], [31, null]);
});

test("unsent work is restored with its time, and sent on top of its revision", () => {
  const { work, isRestored } = openWork(model, makeTask([], 44), makeEntry(), 0);
  assert(isRestored);
  assert.deepEqual(objectsIn(work.editor), [A]);
  assert.deepEqual([work.saving.parentId, dueAt(work.saving)], [31, 1]);
  assert.deepEqual([work.clock.activeSecs, work.stints.secs.get("a")], [40, 2.5]);
});

test("a pending save is repeated first, under its old key", () => {
  const { work } = openWork(model, makeTask([]), makeEntry({ objects: [A, B] }, { flight: FLIGHT }), 0);
  assert.deepEqual(objectsIn(work.editor), [A, B]);
  assert.deepEqual([work.saving.flight?.saveKey, dueAt(work.saving), work.saving.changedAt], ["old", 0, 0]);
  const all = openWork(model, makeTask([]), makeEntry({}, { flight: FLIGHT }), 0);
  assert.equal(all.work.saving.changedAt, null);
});

test("work that the server has is not restored, but its time is", () => {
  const { truncatedBy, ...sent } = { ...A, drawn_secs: 1 };
  const { work, isRestored } = openWork(model, makeTask([sent]), makeEntry(), 0);
  assert(!isRestored);
  assert.equal(work.clock.activeSecs, 40);
  assert.equal(truncatedBy, "border");
});

test("a checker's comments are pinned to the objects that came back", () => {
  const loose = { verdict: "reject", comment: "too loose" };
  const objects = [
    { key: "a", ...loose },
    { key: "b", verdict: "accept", comment: "" },
  ];
  const review = { comment: "", checker: "chris", objects };
  const { work } = openWork(model, { ...makeTask([]), review }, null, 0);
  assert.deepEqual([...work.judgements], [["a", loose]]);
});

const checking = { kind: /** @type {const} */ ("check") };
const looked = /** @type {[string, {verdict: "accept", comment: string}]} */ ([
  "a",
  { verdict: "accept", comment: "" },
]);

test("a correction of an older revision waits for the person, and is not sent as one of the newest", () => {
  const { drawn_secs, truncatedBy, ...moved } = {
    ...A,
    drawn_secs: 1,
    box: /** @type {const} */ ([20, 20, 60, 60]),
  };
  const task = { ...makeTask([{ ...moved, drawn_secs: 1 }], 44), ...checking };
  const entry = makeEntry({ ...checking, judgements: [looked] });
  const { work, isRestored, isStale } = openWork(model, task, entry, 0);
  assert(isRestored && isStale);
  assert.deepEqual([work.saving.parentId, work.saving.trouble, dueAt(work.saving)], [31, "stale", null]);
  assert.deepEqual([...work.judgements], []); // nobody looked at the object as it is now
  assert.equal(packReview(work, "key", 0).annotation_id, 31);
});

test("a judgement of an older revision counts where its object looks the same", () => {
  const { truncatedBy, ...sent } = { ...A, drawn_secs: 1 };
  const task = { ...makeTask([sent], 44), ...checking };
  const { work, isStale } = openWork(model, task, makeEntry({ ...checking, judgements: [looked] }), 0);
  assert(!isStale);
  assert.deepEqual([...work.judgements], [looked]);
  assert.equal(packReview(work, "key", 0).annotation_id, 44);
});

test("a verdict on its way is repeated as it was sent", () => {
  const task = { ...makeTask([], 44), ...checking };
  const { work, isStale } = openWork(
    model,
    task,
    makeEntry(checking, { flight: FLIGHT, hasDrafts: false }),
    0,
  );
  assert(!isStale);
  assert.deepEqual([work.saving.flight?.saveKey, work.saving.parentId], ["old", 31]);
});
