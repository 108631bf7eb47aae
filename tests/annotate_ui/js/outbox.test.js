import assert from "node:assert/strict";
import { test } from "node:test";
import { NoAnswer, Refused } from "#app/api.js";
import { createOutbox } from "#app/outbox.js";
import { startWork } from "#app/state/model.js";
import * as saving from "#app/state/saving.js";
import { statusOfPage } from "#app/state/saving.js";
import { makeEntry, makeJournal, makeModel, makeTask } from "./fixtures.js";

/** @import {Entry} from "#app/journal.js" */
/** @import {Work} from "#app/state/model.js" */
/** @import {Outbox as State} from "#app/state/saving.js" */

const [A] = makeEntry().objects;
const END = { finish: /** @type {const} */ (true), discardReason: null, comment: "", isComplete: null };

/** @param {number} imageId @param {Partial<Entry>} [rest] */
const makeFinished = (imageId, rest = {}) =>
  makeEntry({
    id: `3:annotate:${imageId}`,
    imageId,
    parentId: null,
    unsureClasses: ["bus"],
    order: END,
    acknowledgedSecs: 10,
    ...rest,
  });

/**
 * An outbox before a server that answers as told, one answer a post.
 * @param {(() => unknown)[]} answers
 */
function makeBench(answers) {
  const journal = makeJournal();
  /** @type {{imageId: number, body: any}[]} */
  const posts = [];
  /** @type {State[]} */
  const states = [];
  /** @type {[number, string][]} */
  const problems = [];
  let [signedOut, keys] = [0, 0];
  const outbox = createOutbox({
    journal,
    makeKey: () => `key-${(keys += 1)}`,
    async send({ imageId }, body) {
      posts.push({ imageId, body });
      const answer = answers.shift();
      assert(answer, "a post too many");
      return answer();
    },
    onState: (state) => void states.push(state),
    onProblem: ({ imageId }, { code }) => void problems.push([imageId, code]),
    onFleeting: () => assert(false),
    onSignedOut: () => void (signedOut += 1),
  });
  return { outbox, kept: journal.kept, posts, states, problems, outs: () => signedOut };
}

const accept = (id = 50) => () => ({ annotation: { id } });
const away = () => {
  throw new NoAnswer("offline");
};
/** @param {number} status @param {string} code */
const refuse = (status, code) => () => {
  throw new Refused(status, { code, message: "No." }, { kept_as: 60 }, 0);
};

test("a finished image goes up whole, and the journal lets go of it", async () => {
  const { outbox, kept, posts, states } = makeBench([accept()]);
  await outbox.leave(makeFinished(12));
  await outbox.settle();
  const [{ body }] = posts;
  assert.equal(body.finish, true);
  assert.deepEqual([body.active_secs, body.unsure_classes], [30, ["bus"]]);
  assert.equal(body.objects[0].drawn_secs, 2.5);
  assert.equal(kept.size, 0);
  assert.deepEqual(states.at(-1), { count: 0, trouble: null });
});

test("a draft that was on its way goes first, and the end stands on it", async () => {
  const flight = { saveKey: "old", body: { save_key: "old" }, objects: [A], finish: false, activeSecs: 5 };
  const { outbox, posts } = makeBench([accept(41), accept(42)]);
  await outbox.leave(makeFinished(12, { flight }));
  await outbox.settle();
  assert.deepEqual(posts.map(({ body }) => [body.save_key, body.parent_id]), [
    ["old", undefined],
    ["key-1", 41],
  ]);
  assert.equal(posts[1].body.active_secs, 25);
});

test("without a network they wait in order, under the keys that they were sent with", async () => {
  const { outbox, kept, posts, states } = makeBench([away, accept(), accept()]);
  outbox.adopt([makeFinished(12), makeFinished(13)]);
  await assert.rejects(outbox.settle(), NoAnswer);
  assert.deepEqual(states.at(-1), { count: 2, trouble: "offline" });
  assert.equal(kept.get("3:annotate:12")?.flight?.saveKey, "key-1");
  await outbox.settle();
  assert.deepEqual(posts.map(({ imageId, body }) => [imageId, body.save_key]), [
    [12, "key-1"],
    [12, "key-1"],
    [13, "key-2"],
  ]);
  assert.equal(kept.size, 0);
});

test("signed out, the person is told once an attempt and nothing is dropped", async () => {
  const { outbox, kept, states, outs } = makeBench([refuse(401, "signed_out"), accept()]);
  outbox.adopt([makeFinished(12)]);
  await assert.rejects(outbox.settle(), NoAnswer);
  assert.equal(outs(), 1);
  assert.equal(kept.size, 1);
  assert.deepEqual(states.at(-1), { count: 1, trouble: "signed_out" });
  await outbox.settle();
  assert.equal(kept.size, 0);
});

test("an end that met another's, or was refused, is the person's to settle; the next goes on", async () => {
  const { outbox, kept, problems } = makeBench([refuse(409, "stale"), refuse(422, "invalid"), accept()]);
  outbox.adopt([makeFinished(12), makeFinished(13), makeFinished(14)]);
  await outbox.settle();
  assert.deepEqual(problems, [[12, "stale"], [13, "invalid"]]);
  assert.deepEqual([...kept.keys()], ["3:annotate:12", "3:annotate:13"]);
});

test("a draft that is kept alongside does not keep the end from going up", async () => {
  const flight = { saveKey: "old", body: {}, objects: [A], finish: false, activeSecs: 5 };
  const { outbox, posts, problems } = makeBench([refuse(409, "stale"), accept()]);
  await outbox.leave(makeFinished(12, { flight, parentId: 31 }));
  await outbox.settle();
  assert.deepEqual(problems, []);
  assert.equal(posts[1].body.parent_id, 31);
});

test("the page is saved when the open image is and nothing waits", () => {
  const model = makeModel();
  const work = startWork(model, makeTask(), [], []);
  const unsaved = { ...work, saving: saving.noteChange(work.saving, [A], 1) };
  /** @type {[Work | null, State, string][]} */
  const cases = [
    [null, { count: 0, trouble: null }, "saved"],
    [work, { count: 0, trouble: null }, "saved"],
    [work, { count: 1, trouble: null }, "saving"],
    [work, { count: 2, trouble: "offline" }, "offline"],
    [null, { count: 1, trouble: "signed_out" }, "signed_out"],
    [unsaved, { count: 1, trouble: "offline" }, "unsaved"],
  ];
  for (const [one, outbox, status] of cases) {
    assert.equal(statusOfPage({ work: one, outbox }), status);
  }
});

test("work that was left is not sent from the page any more", () => {
  const state = saving.leave(saving.noteChange(saving.startSaving(null, []), [A], 1), END);
  assert.deepEqual(saving.planSave(state, 99), { kind: "nothing" });
});
