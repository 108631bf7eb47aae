import assert from "node:assert/strict";
import { test } from "node:test";
import { createWishes } from "#app/state/wishes.js";

/** Presses on one value that was null, and how each is answered, in order; what the page shows after each answer. */
const CASES = /** @type {const} */ ([
  { what: "one that fails", presses: ["right"], answers: [undefined], shown: [null] },
  {
    what: "two that fail",
    presses: ["right", "wrong"],
    answers: [undefined, undefined],
    shown: ["wrong", null],
  },
  {
    what: "the second fails",
    presses: ["right", "wrong"],
    answers: ["right", undefined],
    shown: ["wrong", "right"],
  },
  {
    what: "the first fails",
    presses: ["right", "wrong"],
    answers: [undefined, "wrong"],
    shown: ["wrong", "wrong"],
  },
  {
    what: "another person was first",
    presses: ["right", "wrong", "right"],
    answers: [undefined, "fixed", undefined],
    shown: ["right", "right", "fixed"],
  },
]);

for (const { what, presses, answers, shown } of CASES) {
  test(`the page shows what the server has in the end: ${what}`, () => {
    /** @type {ReturnType<typeof createWishes<string, {verdict: string | null}>>} */
    const wishes = createWishes();
    let page = /** @type {{verdict: string | null}} */ ({ verdict: null });
    for (const verdict of presses) {
      wishes.begin("finding", page);
      page = { verdict };
    }
    const seen = answers.map((verdict) => {
      page = wishes.end("finding", verdict && { verdict }) ?? page;
      return page.verdict;
    });
    assert.deepEqual(seen, shown);
  });
}

test("values do not mix", () => {
  /** @type {ReturnType<typeof createWishes<number, boolean>>} */
  const wishes = createWishes();
  wishes.begin(1, false);
  wishes.begin(2, true);
  assert.equal(wishes.end(2), true);
  assert.equal(wishes.end(1), false);
  assert.equal(wishes.end(1), null);
});
