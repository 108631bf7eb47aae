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

test("what is given second begins when the first has ended, and answers its own", async () => {
  const inTurn = createSequence();
  /** @type {string[]} */
  const told = [];
  const { waiting, end } = makeWaiting();
  const first = inTurn(() => waiting.then((word) => told.push(word)));
  const second = inTurn(async () => told.push("second"));
  await Promise.resolve();
  assert.deepEqual(told, []);
  end("first");
  assert.deepEqual(await Promise.all([first, second]), [1, 2]);
  assert.deepEqual(told, ["first", "second"]);
});

test("what fails is told to its caller and hinders nothing behind it", async () => {
  const inTurn = createSequence();
  const failing = inTurn(() => Promise.reject(new Error("no server")));
  const next = inTurn(async () => "done");
  assert.equal(await failing.catch(() => "told"), "told");
  assert.equal(await next, "done");
});

test("an answer that comes behind a later one's is left out", async () => {
  const newest = createNewest();
  const { waiting, end } = makeWaiting();
  const first = newest(() => waiting);
  assert.equal(await newest(async () => "newer"), "newer");
  end("older");
  assert.equal(await first, null);
  assert.equal(await newest(async () => "newest"), "newest");
});
