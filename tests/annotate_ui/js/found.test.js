import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countUnjudged,
  findingInHand,
  listShown,
  nextWithFinding,
  setVerdict,
  standingOf,
  worstOf,
} from "../../../annotate_ui/static/app/state/found.js";

/** @typedef {import("../../../annotate_ui/static/app/types.js").Found} Found */

/**
 * @param {number} id
 * @param {string | null} object_key
 * @param {string} [severity]
 * @returns {Found}
 */
const make = (id, object_key, severity = "hint") => ({
  id,
  object_key,
  severity,
  check: "a_check",
  message: "One sentence.",
  verdict: null,
});
const HINT = { check: "a_check", severity: "warning", object_key: "a", message: "One sentence." };
const FOUND = [make(1, "b"), make(2, null), make(3, "b", "warning"), make(4, "c", "error")];
const OBJECTS = [{ key: "a" }, { key: "b" }, { key: "c" }];
const ids = (/** @type {readonly Found[]} */ found) => found.map(({ id }) => id);

test("findings of the whole image stand above those of the selected object", () => {
  assert.deepEqual(ids(listShown(FOUND, "b")), [2, 1, 3]);
  assert.deepEqual(ids(listShown(FOUND, null)), [2]);
});

test("a key speaks of the selected object first, then of the image, then of nothing", () => {
  assert.equal(findingInHand(FOUND, "b")?.id, 1);
  assert.equal(findingInHand(setVerdict(FOUND, 1, "wrong"), "b")?.id, 3);
  assert.equal(findingInHand(FOUND, "a")?.id, 2);
  assert.equal(findingInHand(setVerdict(FOUND, 2, "right"), "a"), null);
});

test("the next object with a finding is found around the end", () => {
  assert.equal(nextWithFinding(FOUND, OBJECTS, "b"), "c");
  assert.equal(nextWithFinding(FOUND, OBJECTS, "c"), "b");
  assert.equal(nextWithFinding(FOUND, OBJECTS, null), "b");
  assert.equal(nextWithFinding([], OBJECTS, "a"), null);
});

test("an object shows the gravest of what was not judged wrong", () => {
  assert.equal(worstOf(FOUND, "b"), "warning");
  assert.equal(worstOf(setVerdict(FOUND, 3, "wrong"), "b"), "hint");
  assert.equal(worstOf(setVerdict(FOUND, 3, "right"), "b"), "warning");
  assert.equal(worstOf(FOUND, "a"), null);
});

test("what waits for a word is counted", () => {
  assert.equal(countUnjudged(setVerdict(FOUND, 1, "right")), 3);
});

test("a hint of a save, which nobody judged, stands at its object beside what was found before", () => {
  assert.equal(worstOf([HINT, ...FOUND], "a"), "warning");
  assert.deepEqual(standingOf([HINT, ...FOUND], "a"), [HINT]);
  assert.deepEqual(standingOf(setVerdict(FOUND, 1, "wrong"), "b"), [FOUND[2]]);
});
