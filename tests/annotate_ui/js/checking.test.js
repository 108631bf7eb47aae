import assert from "node:assert/strict";
import { test } from "node:test";
import * as clock from "#app/state/clock.js";
import {
  countUnjudged,
  changeFinding,
  currentFinding,
  groupHints,
  listShown,
  nextWithFinding,
  standingOf,
  worstOf,
} from "#app/state/findings.js";
import { createStore } from "#app/state/model.js";
import { countDoubts, makeChecklist } from "#app/state/objects.js";
import { filterClasses, groupClasses } from "#app/state/party.js";
import {
  decideVerdict,
  hasWords,
  isSameWork,
  keyOfField,
  nextUnjudged,
  openRevision,
  packJudgements,
  packObjects,
  secsInRevision,
} from "#app/state/revision.js";
import { makeObject, makeRevision, PARTY } from "./fixtures.js";

/** @import {Found} from "#app/types.js" */

const A = makeObject("a", [10, 10, 50, 50]);
const B = makeObject("b", [60, 60, 90, 90], "bus");

const REVISION = makeRevision([
  {
    key: "a",
    class: "person",
    box: [48, 240, 195, 371],
    view: "Left",
    truncated: true,
    occluded: true,
    unsure: false,
    difficult: true,
    actions: ["walking"],
    point: [100, 300],
    parts: [{ part: "head", box: [87, 240, 120, 280] }],
    drawn_secs: 4.2,
  },
]);

test("a revision read and written again is the same, without organisers' judgements", () => {
  const packed = packObjects(openRevision(PARTY, REVISION), clock.startStints(secsInRevision(REVISION)));
  const { difficult, ...sent } = REVISION.objects[0];
  assert.deepEqual(packed, [sent]);
  assert.equal(difficult, true);
});

test("without a revision there are no objects", () => assert.deepEqual(openRevision(PARTY, null), []));

test("work is equal whoever decided a flag, but not if a pixel moved", () => {
  const [opened] = openRevision(PARTY, REVISION);
  assert(isSameWork([opened], [{ ...opened, truncatedBy: "border" }]));
  assert(!isSameWork([opened], [{ ...opened, box: [48, 240, 195, 372] }]));
  assert(!isSameWork([opened], []));
  assert(!isSameWork([A, B], [B, A]));
});

test("the field of an error names the object that it is about", () => {
  const fields = ["objects.1.box", "fixed.objects.0.parts.2.name", "objects.9.box", "comment", null];
  assert.deepEqual(
    fields.map((field) => keyOfField(field, [A, B])),
    ["b", "a", null, null, null],
  );
});

test("the palette has every class once, those without a group first, subgroups together", () => {
  const shown = groupClasses(PARTY).map(({ group, classes }) => [group, ...classes.map((spec) => spec.name)]);
  const vehicles = ["Vehicles", "aeroplane", "bicycle", "motorbike", "bus"];
  assert.deepEqual(shown, [[null, "person"], vehicles, ["Household", "bottle", "diningtable"]]);
});

test("the filter finds classes by any part of what people call them, beginnings first", () => {
  const find = (/** @type {string} */ typed) => filterClasses(PARTY.classes, typed).map((spec) => spec.name);
  assert.deepEqual(find("b"), ["bicycle", "bottle", "bus", "motorbike", "diningtable"]);
  assert.deepEqual(find(" Dining T"), ["diningtable"]);
  assert.deepEqual(find("zebra"), []);
});

test("the checklist names every class and counts what is marked", () => {
  const lines = makeChecklist(PARTY, [A, B, { ...A, key: "c" }]).flatMap((group) => group.lines);
  assert.equal(lines.length, PARTY.classes.length);
  const marked = lines.filter((line) => line.count > 0).map((line) => [line.id, line.count]);
  assert.deepEqual(marked, [
    ["person", 2],
    ["bus", 1],
  ]);
});

test("doubts are missing views, undecided proposals and unsure objects", () => {
  const objects = [
    A,
    { ...B, view: "Left", unsure: true },
    { ...A, key: "c", truncated: true },
    { ...A, key: "d", truncated: true, truncatedBy: /** @type {const} */ ("person"), view: "Rear" },
    makeObject("e", [5, 5, 20, 20], "bottle"),
  ];
  assert.deepEqual(countDoubts(PARTY, objects), { viewless: 2, proposed: 1, unsure: 1 });
});

const reject = { verdict: /** @type {const} */ ("reject"), comment: "too loose" };
const accept = { verdict: /** @type {const} */ ("accept"), comment: "" };

test("an untouched complete image is accepted", () => {
  assert.equal(decideVerdict([A, B], [A, B], new Map(), true), "accept");
  assert.equal(decideVerdict([A, B], [A, B], new Map(), null), "accept");
});

test("a checker's edits make the verdict fixed; undone edits do not", () => {
  assert.equal(decideVerdict([A, B], [A], new Map(), true), "fixed");
  assert.equal(decideVerdict([A, B], [{ ...A }, B], new Map(), true), "accept");
});

test("a rejected or a missing object returns the image", () => {
  const judgements = new Map([["a", reject]]);
  assert.equal(decideVerdict([A, B], [A], judgements, true), "returned");
  assert.equal(decideVerdict([A, B], [A, B], new Map(), false), "returned");
});

test("a returned image needs a comment, on the whole or on an object", () => {
  assert(!hasWords(new Map([["a", accept]]), "  "));
  assert(hasWords(new Map([["a", reject]]), ""));
  assert(hasWords(new Map(), "where is the dog?"));
});

test("the next object to judge is found past the end of the list", () => {
  const judgements = new Map([["a", accept]]);
  assert.equal(nextUnjudged([A, B], judgements, "b"), "b");
  assert.equal(nextUnjudged([A, B], new Map(), "b"), "a");
  assert.equal(nextUnjudged([A], judgements, null), null);
});

test("every object has a verdict, accept unless rejected, and whether it was looked at", () => {
  const none = { verdict: "accept", comment: "" };
  const loose = { verdict: "reject", comment: "too loose" };
  assert.deepEqual(packJudgements([A, B], [A, B], new Map([["b", reject]])), [
    { key: "a", ...none, judged: false },
    { key: "b", ...loose, judged: true },
  ]);
  const changed = packJudgements([A, B], [{ ...A, truncated: !A.truncated }], new Map());
  assert.deepEqual(
    changed.map((verdict) => verdict.judged),
    [true, true],
  );
});

test("a store gives listeners the old and the new value, and stays silent without a change", () => {
  const store = createStore(1);
  /** @type {number[][]} */
  const heard = [];
  const leave = store.subscribe((value, before) => heard.push([value, before]));
  store.update((value) => value + 1);
  store.update((value) => value);
  leave();
  store.update((value) => value + 1);
  assert.deepEqual(heard, [[2, 1]]);
  assert.equal(store.get(), 3);
});

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
  version: "v",
});
const HINT = { check: "a_check", severity: "warning", object_key: "a", message: "One sentence." };
const FOUND = [make(1, "b"), make(2, null), make(3, "b", "warning"), make(4, "c", "error")];
const OBJECTS = [{ key: "a" }, { key: "b" }, { key: "c" }];
const ids = (/** @type {readonly Found[]} */ findings) => findings.map(({ id }) => id);

test("findings of the whole image are listed above those of the selected object", () => {
  assert.deepEqual(ids(listShown(FOUND, "b")), [2, 1, 3]);
  assert.deepEqual(ids(listShown(FOUND, null)), [2]);
});

test("a finding key applies to the selected object first, then to the image", () => {
  assert.equal(currentFinding(FOUND, "b")?.id, 1);
  assert.equal(currentFinding(changeFinding(FOUND, 1, { verdict: "wrong" }), "b")?.id, 3);
  assert.equal(currentFinding(FOUND, "a")?.id, 2);
  assert.equal(currentFinding(changeFinding(FOUND, 2, { verdict: "right" }), "a"), null);
});

test("the next object with a finding is found past the end of the list", () => {
  assert.deepEqual(
    ["b", "c", null].map((key) => nextWithFinding(FOUND, OBJECTS, key)),
    ["c", "b", "b"],
  );
  assert.equal(nextWithFinding([], OBJECTS, "a"), null);
});

test("an object shows its most severe finding that is no false alarm", () => {
  assert.equal(worstOf(FOUND, "b"), "warning");
  assert.equal(worstOf(changeFinding(FOUND, 3, { verdict: "wrong" }), "b"), "hint");
  assert.equal(worstOf(changeFinding(FOUND, 3, { verdict: "right" }), "b"), "warning");
  assert.equal(worstOf(FOUND, "a"), null);
});

test("findings without a verdict are counted", () =>
  assert.equal(countUnjudged(changeFinding(FOUND, 1, { verdict: "right" })), 3));

test("a hint of a save is shown at its object with earlier findings", () => {
  assert.equal(worstOf([HINT, ...FOUND], "a"), "warning");
  assert.deepEqual(standingOf([HINT, ...FOUND], "a"), [HINT]);
  assert.deepEqual(standingOf(changeFinding(FOUND, 1, { verdict: "wrong" }), "b"), [FOUND[2]]);
});

test("hints of one kind and class form one group, with the numbers of their objects", () => {
  const hint = (/** @type {string} */ check, /** @type {string | null} */ object_key) => ({
    check,
    severity: /** @type {const} */ ("hint"),
    object_key,
    message: "",
  });
  const other = makeObject("c", [1, 1, 9, 9]);
  const hints = [hint("x", "a"), hint("x", "b"), hint("x", "c"), hint("x", "a"), hint("y", null)];
  const groups = [...groupHints(hints, [A, B, other]).values()];
  assert.deepEqual(
    groups.map((group) => group.map(({ number }) => number)),
    [[1, 3], [2], [0]],
  );
});
