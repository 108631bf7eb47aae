import assert from "node:assert/strict";
import { test } from "node:test";
import { objectsIn, selectedObject } from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { displayOf, followWords } from "#app/state/party.js";
import { sayMonday } from "#app/view/words.js";
import { openRevision, openWork } from "#app/state/revision.js";
import { makeEditor, makeEntry, makeModel, makeObject, makeRevision, makeTask, PARTY } from "./fixtures.js";

/** After bus was merged into car, Left into Right, head into foot and running into walking; Top and dancing are retired. */
const CHANGED = {
  ...PARTY,
  moved: {
    class: { bus: "bottle" },
    group: {},
    view: { Left: "Right" },
    part: { head: "foot" },
    action: { running: "walking" },
  },
  retired: {
    class: { cart: "cart (retired)" },
    group: {},
    view: { Top: "Top (retired)" },
    part: {},
    action: { dancing: "dancing (retired)" },
  },
};
const OLD = {
  ...makeObject("a", [10, 10, 90, 90], "bus"),
  view: "Left",
  actions: ["running", "walking", "dancing"],
  parts: [{ part: "head", box: /** @type {[number, number, number, number]} */ ([20, 20, 40, 40]) }],
};

test("objects that are opened have the words that theirs count as today", () => {
  const object = followWords(CHANGED, OLD);
  assert.equal(object.class, "bottle");
  assert.equal(object.view, "Right");
  assert.deepEqual(object.actions, ["walking", "dancing"]);
  assert.deepEqual(object.parts, [{ part: "foot", box: [20, 20, 40, 40] }]);
  const [opened] = openRevision(CHANGED, makeRevision([{ ...OLD, drawn_secs: 1 }]));
  assert.deepEqual([opened.class, opened.view, opened.actions], ["bottle", "Right", ["walking", "dancing"]]);
});

test("what is laid aside of an object comes back with the words that it counts as today", () => {
  const { view, actions, parts } = OLD;
  const bus = makeObject("a", [10, 10, 90, 90], "bus");
  const plain = { ...bus, laidAside: { view, actions, parts, point: null } };
  const { laidAside } = followWords(CHANGED, plain);
  assert.deepEqual(laidAside, {
    view: "Right",
    actions: ["walking", "dancing"],
    parts: [{ part: "foot", box: [20, 20, 40, 40] }],
    point: null,
  });
  assert(!("laidAside" in followWords(CHANGED, OLD)));
  const model = { ...makeModel(), party: CHANGED };
  const entry = makeEntry({ objects: [plain] });
  const { work } = openWork(model, makeTask([{ ...bus, drawn_secs: 1 }]), entry, 0);
  assert.deepEqual(objectsIn(work.editor)[0].laidAside, laidAside);
});

test("a word is called as it is today, and a retired one is told to be retired", () => {
  assert.equal(displayOf(CHANGED, "class", "bus"), "bottle");
  assert.equal(displayOf(CHANGED, "view", "Left"), "right");
  assert.equal(displayOf(CHANGED, "view", "Top"), "Top (retired)");
  assert.equal(displayOf(CHANGED, "action", "dancing"), "dancing (retired)");
  assert.equal(displayOf(CHANGED, "part", "tail"), "tail");
});

test("a retired action can be taken off, not put on, and stays next to new ones", () => {
  const person = { ...makeObject("p", [10, 10, 90, 90]), actions: ["dancing"] };
  const editor = makeEditor([person], "p");
  const actions = (/** @type {import("#app/state/types.js").Editor} */ edited) =>
    selectedObject(edited)?.actions;
  assert.deepEqual(actions(edits.toggleAction(editor, "walking")), ["walking", "dancing"]);
  const without = edits.toggleAction(editor, "dancing");
  assert.deepEqual(actions(without), []);
  assert.deepEqual(actions(edits.toggleAction(without, "dancing")), []);
});

test("a week is called by its Monday", () => {
  const mondays = { "2026-W05": "26", "2026-W01": "29", "2020-W53": "28", "2021-W01": "4", "2024-W09": "26" };
  for (const [week, day] of Object.entries(mondays))
    assert.match(sayMonday(week), new RegExp(`\\b${day}\\b`), week);
});
