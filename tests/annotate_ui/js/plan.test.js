import assert from "node:assert/strict";
import { test } from "node:test";
import * as plans from "../../../annotate_ui/static/app/state/plan.js";

/** @typedef {import("../../../annotate_ui/static/app/state/plan.js").Plan} Plan */

/** @type {Plan} */
const PLAN = {
  number: 2,
  first: [{ kind: "returned" }, { kind: "class", class: "sheep" }, { kind: "query", query_id: 7 }],
  wanted_classes: ["sheep"],
};

/** @param {Plan} plan */
const keys = (plan) => plan.first.map(plans.keyOfSet);

test("a set is added once, at the end", () => {
  const more = plans.addSet(PLAN, { kind: "class", class: "cow" });
  assert.deepEqual(keys(more), ["returned:", "class:sheep", "query:7", "class:cow"]);
  assert.equal(plans.addSet(more, { kind: "class", class: "cow" }), more);
});

test("a set goes one place earlier, the first stays", () => {
  assert.deepEqual(keys(plans.raiseSet(PLAN, 2)), ["returned:", "query:7", "class:sheep"]);
  assert.equal(plans.raiseSet(PLAN, 0), PLAN);
});

test("a set that is taken away leaves the others in order", () => {
  assert.deepEqual(keys(plans.removeSet(PLAN, 1)), ["returned:", "query:7"]);
});

test("wanting a class twice wants it once, and not wanting it takes it away", () => {
  const twice = plans.wantClass(plans.wantClass(PLAN, "cow", true), "cow", true);
  assert.deepEqual(twice.wanted_classes, ["sheep", "cow"]);
  assert.deepEqual(plans.wantClass(twice, "sheep", false).wanted_classes, ["cow"]);
});

test("two plans are the same whatever their versions and the order of ticking", () => {
  const other = { ...PLAN, number: 9, wanted_classes: ["cow", "sheep"] };
  assert(!plans.isSamePlan(PLAN, other));
  assert(plans.isSamePlan({ ...PLAN, wanted_classes: ["sheep", "cow"] }, other));
  assert(!plans.isSamePlan(PLAN, plans.raiseSet(PLAN, 1)));
});
