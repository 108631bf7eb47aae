import assert from "node:assert/strict";
import { test } from "node:test";
import { NoAnswer, Refused } from "#app/api.js";
import { createSaver } from "#app/saver.js";
import * as edits from "#app/state/edits.js";
import { changeEditor, changeWork, createStore, startWork } from "#app/state/model.js";
import { giveOrder, statusOf } from "#app/state/saving.js";
import { trackChange } from "#app/state/tracking.js";
import { makeModel, makeTask } from "./fixtures.js";

/** @import {Model} from "#app/state/model.js" */

/**
 * A saver before a server that answers as told, one answer a post.
 * @param {(() => {annotation: any})[]} answers
 */
function makeBench(answers) {
  const empty = makeModel();
  /** @type {Model} */
  const opened = { ...empty, work: startWork(empty, makeTask(), [], []) };
  const store = createStore(opened);
  /** @type {any[]} */
  const bodies = [];
  /** @type {string[]} */
  const heard = [];
  const hear = (/** @type {string} */ what) => () => void heard.push(what);
  let [nowSecs, keys] = [100, 0];
  const saver = createSaver({
    store,
    nowSecs: () => nowSecs,
    makeKey: () => `key-${(keys += 1)}`,
    pack: (work, saveKey) => ({
      save_key: saveKey,
      parent_id: work.saving.parentId,
      finish: work.saving.order !== null,
    }),
    async send(_imageId, body) {
      bodies.push(body);
      const answer = answers.shift();
      assert(answer, "a post too many");
      return answer();
    },
    onLanded: (_answer, isEnd) => void heard.push(isEnd ? "end" : "draft"),
    onStale: hear("stale"),
    onLeaseLost: hear("lease_lost"),
    onSignedOut: hear("signed_out"),
    onRefused: hear("refused"),
  });
  const draw = (/** @type {string} */ key) =>
    store.update((before) =>
      trackChange(before, changeEditor(before, (one) => edits.draw(one, [5, 5, 50, 50], key)), nowSecs),
    );
  const order = () =>
    store.update((model) =>
      changeWork(model, (work) => {
        const end = { finish: /** @type {const} */ (true), discardReason: null, comment: "", isComplete: null };
        return { ...work, saving: giveOrder(work.saving, end) };
      }),
    );
  const pass = async (/** @type {number} */ secs) => {
    nowSecs += secs;
    saver.pump();
    await settle();
  };
  const status = () => {
    const { work } = store.get();
    assert(work !== null);
    return statusOf(work.saving);
  };
  return { saver, bodies, heard, draw, order, pass, status };
}

const took = (/** @type {number} */ id) => () => ({ annotation: { id } });
const refuse = (/** @type {number} */ status, /** @type {string} */ code) => () => {
  throw new Refused(status, { code, message: code }, {}, 0);
};
const silence = () => {
  throw new NoAnswer("no network");
};

async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

test("edits within a second go up as one draft, the next on top of it", async () => {
  const bench = makeBench([took(40), took(41)]);
  bench.draw("a");
  bench.draw("b");
  await bench.pass(1);
  bench.draw("c");
  await bench.pass(1);
  assert.deepEqual(
    bench.bodies.map((body) => [body.save_key, body.parent_id, body.finish]),
    [["key-1", null, false], ["key-2", 40, false]],
  );
  assert.equal(bench.status(), "saved");
});

test("a lost answer is asked for again with the very same body", async () => {
  const bench = makeBench([silence, silence, took(40)]);
  bench.draw("a");
  await bench.pass(1);
  assert.equal(bench.status(), "offline");
  await bench.pass(1);
  await bench.pass(2);
  assert.equal(bench.status(), "saved");
  assert.equal(bench.bodies[0], bench.bodies[1]);
  assert.equal(bench.bodies[0], bench.bodies[2]);
});

test("the order to end goes up at once and is heard as the end", async () => {
  const bench = makeBench([took(40)]);
  bench.draw("a");
  bench.order();
  await settle();
  assert.deepEqual(bench.bodies.map((body) => body.finish), [true]);
  assert.deepEqual(bench.heard, ["end"]);
});

/** @type {[number, string, string][]} */
const ANSWERS = [
  [409, "stale", "stale"],
  [409, "lease_lost", "lease_lost"],
  [401, "signed_out", "signed_out"],
  [422, "invalid", "refused"],
  [413, "too_large", "refused"],
];
for (const [status, code, heard] of ANSWERS) {
  test(`the answer ${status} ${code} is heard once and nothing is sent until the person acts`, async () => {
    const bench = makeBench([refuse(status, code)]);
    bench.draw("a");
    await bench.pass(1);
    await bench.pass(60);
    assert.deepEqual(bench.heard, [heard]);
    assert.equal(bench.status(), heard);
  });
}

test("signed in again, the save that waited goes up", async () => {
  const bench = makeBench([refuse(401, "signed_out"), took(40)]);
  bench.draw("a");
  await bench.pass(1);
  bench.saver.tryNow();
  await settle();
  assert.equal(bench.status(), "saved");
  assert.equal(bench.bodies[0], bench.bodies[1]);
});

test("a server that says too many is asked again later", async () => {
  const bench = makeBench([refuse(429, "too_many"), took(40)]);
  bench.draw("a");
  await bench.pass(1);
  assert.equal(bench.status(), "offline");
  await bench.pass(1);
  assert.equal(bench.status(), "saved");
});

test("flush sends what waits without waiting", async () => {
  const bench = makeBench([took(40)]);
  bench.draw("a");
  bench.saver.flush();
  await settle();
  assert.equal(bench.status(), "saved");
});
