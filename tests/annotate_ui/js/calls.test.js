import assert from "node:assert/strict";
import { test } from "node:test";
import { createNewest, createSequence } from "#app/api.js";

/** A promise that another line of the test keeps. */
function makeWaiting() {
  /** @type {(word: string) => void} */
  let end = () => {};
  /** @type {Promise<string>} */
  const waiting = new Promise((resolve) => (end = resolve));
  return { waiting, end };
}

test("a queued call begins when the one before has ended, and gets its own answer", async () => {
  const inTurn = createSequence();
  /** @type {string[]} */
  const ended = [];
  const { waiting, end } = makeWaiting();
  const first = inTurn(() => waiting.then((word) => ended.push(word)));
  const second = inTurn(async () => ended.push("second"));
  await Promise.resolve();
  assert.deepEqual(ended, []);
  end("first");
  assert.deepEqual(await Promise.all([first, second]), [1, 2]);
  assert.deepEqual(ended, ["first", "second"]);
});

test("a failed call is reported to its caller and does not block later ones", async () => {
  const inTurn = createSequence();
  const failing = inTurn(() => Promise.reject(new Error("no server")));
  const next = inTurn(async () => "done");
  assert.equal(await failing.catch(() => "told"), "told");
  assert.equal(await next, "done");
});

test("an answer that arrives after a later call's answer is ignored", async () => {
  const newest = createNewest();
  const { waiting, end } = makeWaiting();
  const first = newest(() => waiting);
  assert.equal(await newest(async () => "newer"), "newer");
  end("older");
  assert.equal(await first, null);
  assert.equal(await newest(async () => "newest"), "newest");
});
