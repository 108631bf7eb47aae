import assert from "node:assert/strict";
import { test } from "node:test";

import { openWork, packEntry } from "#app/state/revision.js";
import { findLack } from "#app/state/tasters.js";

import { makeEntry, makeModel, makeObject, makeTask } from "./fixtures.js";

/** @import {Task} from "#app/types.js" */
/** @import {Lack} from "#app/state/tasters.js" */

const { party } = makeModel();
const person = {
  ...makeObject("a", [10, 10, 50, 50]),
  class: party.classes.find(({ name }) => name === "person")?.id ?? "",
};
const head = { part: "head", box: /** @type {const} */ ([10, 10, 20, 20]) };
const walker = { ...person, actions: ["walking"], point: /** @type {const} */ ([20, 20]), parts: [] };
const standing = { ...person, actions: [], point: null, parts: [head] };

test("an image for one task has people with what it needs, and nothing else", () => {
  const dog = { ...walker, class: "dog" };
  /** @type {[NonNullable<Task["taster"]>, typeof walker[], Lack | undefined][]} */
  const cases = [
    ["action", [walker], undefined],
    ["action", [], "empty"],
    ["action", [dog], "class"],
    ["action", [{ ...walker, actions: [] }], "actions"],
    ["action", [/** @type {any} */ ({ ...walker, point: null })], "point"],
    ["action", [/** @type {any} */ ({ ...walker, parts: [head] })], "other_task"],
    ["layout", [/** @type {any} */ (standing)], undefined],
    ["layout", [/** @type {any} */ ({ ...standing, parts: [] })], "parts"],
    ["layout", [walker], "other_task"],
  ];
  for (const [taster, objects, lack] of cases) {
    const found = findLack(party, { ...makeTask(), taster }, /** @type {any} */ (objects));
    assert.equal(found?.lack, lack, `${taster} ${JSON.stringify(objects)}`);
  }
  assert.equal(findLack(party, makeTask(), []), null);
});

test("a new box on such an image is a person, whatever was drawn before", () => {
  const model = { ...makeModel(), lastClass: "dog" };
  const { work } = openWork(model, { ...makeTask(), taster: "action" }, null, 0);
  assert.equal(work.editor.lastClass, person.class);
  assert.equal(openWork(model, makeTask(), null, 0).work.editor.lastClass, "dog");
});

test("a save says for which task the image was shown", () => {
  assert.equal(packEntry(makeEntry({ taster: "layout" }), null, "key-0001", 1, 0).taster, "layout");
  assert.equal("taster" in packEntry(makeEntry(), null, "key-0001", 1, 0), false);
});
