import assert from "node:assert/strict";
import { test } from "node:test";
import { chordFor } from "#app/state/keymap.js";
import { prefer, startModel, withLastClass } from "#app/state/model.js";
import { makeChecklist } from "#app/state/objects.js";
import { filterClasses, foldClasses } from "#app/state/party.js";
import { changeKey, DEFAULTS } from "#app/state/preferences.js";
import { listByKey, readRecent, useClass } from "#app/state/recent.js";
import { makeClass, makeObject, PARTY } from "./fixtures.js";

/** @import {Recent} from "#app/state/types.js" */

const MANY = {
  ...PARTY,
  classes: Array.from({ length: 60 }, (_, at) => makeClass(`class${at}`, { groups: [`Group ${at % 3}`] })),
};
const PERSON = { id: 1, name: "ann", role: /** @type {const} */ ("annotator") };

/** @param {readonly Recent[]} [recent] */
const open = (recent = []) => startModel("annotate", PERSON, MANY, DEFAULTS, recent);
/** @type {(recent: readonly Recent[], ids: readonly string[]) => readonly Recent[]} */
const useAll = (recent, ids) => ids.reduce(useClass, recent);

test("of many classes only those used last have keys", () => {
  const fresh = open();
  assert.equal(chordFor(fresh.keymap, "class:class0"), null);
  const used = withLastClass(withLastClass(fresh, "class40"), "class7");
  assert.equal(chordFor(used.keymap, "class:class40"), "1");
  assert.equal(chordFor(used.keymap, "class:class7"), "2");
  assert.equal(used.lastClass, "class7");
});

test("with as many classes as fit, all keep their keys whatever is used", () => {
  const model = startModel("annotate", PERSON, PARTY, DEFAULTS);
  const used = withLastClass(model, "bus");
  assert.equal(used.keymap, model.keymap);
  assert.deepEqual(used.recent, []);
});

test("a class keeps its key while others are used, until ten others were", () => {
  const ten = useAll(
    [],
    MANY.classes.slice(0, 10).map(({ id }) => id),
  );
  assert.deepEqual(
    listByKey(ten),
    MANY.classes.slice(0, 10).map(({ id }) => id),
  );
  const again = useClass(ten, "class0");
  assert.deepEqual(listByKey(again), listByKey(ten));
  // class1 was not used for the longest time.
  assert.deepEqual(listByKey(useClass(again, "class30")), [
    "class0",
    "class30",
    ...MANY.classes.slice(2, 10).map(({ id }) => id),
  ]);
});

test("the next visit has the same keys, without classes that are gone or were merged into one", () => {
  const used = useAll([], ["class5", "gone", "class6", "old6"]);
  const party = { ...MANY, moved: { ...MANY.moved, class: { old6: "class6" } } };
  assert.deepEqual(listByKey(readRecent(party, JSON.parse(JSON.stringify(used)))), ["class5", "class6"]);
  for (const damaged of [null, 3, {}, [null], [{ id: 3, key: 0 }], [{ id: "class1", key: "x" }]])
    assert.deepEqual(readRecent(MANY, damaged), []);
  assert.deepEqual(readRecent(PARTY, used), []);
});

test("a key that a person gave a class holds, whether it was used or not", () => {
  const mine = prefer(open(), changeKey(DEFAULTS, "class:class50", "j"));
  assert.equal(chordFor(mine.keymap, "class:class50"), "j");
  const used = withLastClass(withLastClass(mine, "class50"), "class3");
  assert.equal(chordFor(used.keymap, "class:class50"), "j");
  assert.equal(chordFor(used.keymap, "class:class3"), "2");
});

test("classes are found by name, display and synonym, without regard to capitals and accents", () => {
  const classes = [
    makeClass("diningtable", { display: "Esstisch" }),
    makeClass("sofa", { display: "Canapé", synonyms: ["couch", "settee"] }),
    makeClass("seat", { display: "Sitz" }),
  ];
  const find = (/** @type {string} */ typed) => filterClasses(classes, typed).map(({ name }) => name);
  assert.deepEqual(find("dining"), ["diningtable"]);
  assert.deepEqual(find("ESST"), ["diningtable"]);
  assert.deepEqual(find("canape"), ["sofa"]);
  assert.deepEqual(find("couch"), ["sofa"]);
  assert.deepEqual(find("se"), ["sofa", "seat"]);
  assert.deepEqual(find("zebra"), []);
});

test("many classes fold by their whole way down the groups", () => {
  const classes = [
    makeClass("cat", { groups: ["Animals", "Domestic"] }),
    makeClass("lion", { groups: ["Animals"] }),
    makeClass("dog", { groups: ["Animals", "Domestic"] }),
    makeClass("person"),
  ];
  const folds = foldClasses({ ...PARTY, classes }).map(({ path, classes }) => [path, classes.length]);
  assert.deepEqual(folds, [
    ["", 1],
    ["Animals › Domestic", 2],
    ["Animals", 1],
  ]);
  const object = makeObject("a", [1, 1, 9, 9], "class4");
  const marked = makeChecklist(MANY, [object]).map(({ group, lines }) => [
    group,
    lines.reduce((sum, { count }) => sum + count, 0),
  ]);
  assert.deepEqual(marked, [
    ["Group 0", 0],
    ["Group 1", 1],
    ["Group 2", 0],
  ]);
});
