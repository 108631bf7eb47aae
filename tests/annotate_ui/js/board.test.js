import assert from "node:assert/strict";
import { test } from "node:test";
import * as plans from "#app/state/board.js";
import {
  addUp,
  agoSecs,
  decades,
  grouped,
  logScale,
  namesOfBins,
  orderPeople,
  percent,
  roundTicks,
  stuckSecs,
  unusualPace,
} from "#app/state/board.js";

/** @import {Plan} from "#app/state/types.js" */

const NOON = "2026-01-31T12:00:00Z";

test("a log scale ends at the largest value, and a single item is a short bar", () => {
  const scale = logScale(1000, 300);
  assert.equal(scale(0), 0);
  assert(Math.abs(scale(1000) - 300) < 1e-9);
  assert(scale(1) > 0 && scale(1) < 15);
  assert(Math.abs(scale(100) - scale(10) - (scale(10) - scale(1))) < 1e-9, "each decade as long");
});

test("a log scale of few items does not fill the plot", () => {
  assert(logScale(2, 300)(2) < 300 * 0.4);
});

test("powers of ten are listed up to a number", () => {
  for (const most of [0, 9, 10, 99]) assert.deepEqual(decades(most), [1, 10], String(most));
  assert.deepEqual(decades(100), [1, 10, 100]);
  assert.deepEqual(decades(23_000), [1, 10, 100, 1000, 10_000]);
});

test("round ticks cover the largest value", () => {
  for (const most of [0, 1]) assert.deepEqual(roundTicks(most), [0, 1], String(most));
  assert.deepEqual(roundTicks(3), [0, 1, 2, 3]);
  assert.deepEqual(roundTicks(10), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(roundTicks(14.5), [0, 5, 10, 15]);
  assert.deepEqual(roundTicks(0.9), [0, 0.2, 0.4, 0.6, 0.8, 1]);
});

test("ticks are few, begin at zero and cover every value", () => {
  for (let most = 1; most < 5000; most += 7) {
    const ticks = roundTicks(most);
    assert.equal(ticks[0], 0);
    assert((ticks.at(-1) ?? 0) >= most, String(most));
    assert(ticks.length <= 7, `${most}: ${ticks.length} ticks`);
    assert(ticks.every(Number.isInteger), String(most));
  }
});

for (const [binSecs, start, zone, name] of /** @type {[number, string, string, string][]} */ ([
  [300, "2026-01-31T14:05", "UTC", "14:05"],
  [300, "2026-01-31T22:05", "Africa/Cairo", "00:05"],
  [3600, "2026-01-31T14:00", "UTC", "01/31 14h"],
  [3600, "2026-01-31T22:00", "Africa/Cairo", "02/01 00h"],
  [86_400, "2026-01-31T00:00", "UTC", "01/31"],
  [86_400, "2026-01-31T05:00", "America/New_York", "01/31"],
  [86_400, "2026-01-31T15:00", "Asia/Tokyo", "02/01"],
  [86_400, "2026-01-31T18:30", "Asia/Kolkata", "02/01"],
])) {
  test(`a bin of ${binSecs} s is named as exactly as it is long, in ${zone}`, () => {
    assert.equal(namesOfBins(binSecs, zone)(`${start}:00Z`).name, name);
  });
}

test("a reader's day begins at the reader's midnight, also when clocks change", () => {
  const dayOf = (/** @type {string} */ hour, /** @type {string} */ zone) =>
    namesOfBins(3600, zone)(`2026-03-29T${hour}:00:00Z`).day;
  assert.deepEqual(
    ["00", "03", "04", "23"].map((hour) => dayOf(hour, "America/New_York")),
    ["03/28", "03/28", "03/29", "03/29"],
  );
  assert.deepEqual(
    ["00", "14", "15", "23"].map((hour) => dayOf(hour, "Asia/Tokyo")),
    ["03/29", "03/29", "03/30", "03/30"],
  );
  assert.deepEqual(
    ["00", "21", "22", "23"].map((hour) => dayOf(hour, "Europe/Zurich")),
    ["03/29", "03/29", "03/30", "03/30"],
  );
});

test("running sums add up the values so far", () => assert.deepEqual(addUp([2, 0, 3]), [2, 2, 5]));

test("an elapsed time is never in the future", () => {
  assert.equal(agoSecs(null, NOON), null);
  assert.equal(agoSecs("2026-01-31T11:59:30Z", NOON), 30);
  assert.equal(agoSecs("2026-01-31T12:00:05Z", NOON), 0, "clocks differ");
});

test("numbers have groups of three digits, and shares are whole percents", () => {
  assert.equal(grouped(0), "0");
  assert.equal(grouped(999.6), "1\u202f000");
  assert.equal(grouped(1234567), "1\u202f234\u202f567");
  assert.equal(percent(null), "–");
  assert.equal(percent({ value: 0.125, low: 0, high: 1, count: 8 }), "13 %");
});

test("people present come first, then by work; those who left come last", () => {
  const seen = (/** @type {number} */ minutes) => new Date(Date.parse(NOON) - minutes * 60_000).toISOString();
  const people = [
    person(1, null, 0),
    person(2, seen(60), 50),
    person(3, seen(1), 5),
    person(4, seen(2), 9),
    { ...person(5, seen(1), 99), is_ended: true },
  ];
  assert.deepEqual(
    orderPeople(people, NOON).map((person) => person.id),
    [4, 3, 2, 1, 5],
  );
  assert.deepEqual(
    people.map((person) => person.id),
    [1, 2, 3, 4, 5],
    "what was given stays in order",
  );
});

/**
 * @param {number} id
 * @param {string | null} seen_at
 * @param {number} images
 */
function person(id, seen_at, images) {
  const nothing = {
    checked: 0,
    active_secs: 0,
    per_hour: null,
    fixed: null,
    is_ended: false,
    slowed_at: null,
  };
  return { id, name: `person ${id}`, role: "annotator", images, seen_at, ...nothing };
}

/** @type {Plan} */
const PLAN = {
  number: 2,
  first: [{ kind: "returned" }, { kind: "class", class: "sheep" }, { kind: "query", query_id: 7 }],
  wanted_classes: ["sheep"],
};

/** @param {Plan} plan */
const keys = (plan) => plan.first.map(plans.keyOfSet);

test("an image set is added to the plan once, at its end", () => {
  const more = plans.addSet(PLAN, { kind: "class", class: "cow" });
  assert.deepEqual(keys(more), ["returned:", "class:sheep", "query:7", "class:cow"]);
  assert.equal(plans.addSet(more, { kind: "class", class: "cow" }), more);
});

test("a set of the plan moves one place up; the first one stays", () => {
  assert.deepEqual(keys(plans.raiseSet(PLAN, 2)), ["returned:", "query:7", "class:sheep"]);
  assert.equal(plans.raiseSet(PLAN, 0), PLAN);
});

test("removing a set of the plan keeps the order of the others", () => {
  assert.deepEqual(keys(plans.removeSet(PLAN, 1)), ["returned:", "query:7"]);
});

test("a class is wanted at most once, and can be removed", () => {
  const twice = plans.wantClass(plans.wantClass(PLAN, "cow", true), "cow", true);
  assert.deepEqual(twice.wanted_classes, ["sheep", "cow"]);
  assert.deepEqual(plans.wantClass(twice, "sheep", false).wanted_classes, ["cow"]);
});

test("two plans are equal whatever their versions and the order of ticking", () => {
  const other = { ...PLAN, number: 9, wanted_classes: ["cow", "sheep"] };
  assert(!plans.isSamePlan(PLAN, other));
  assert(plans.isSamePlan({ ...PLAN, wanted_classes: ["sheep", "cow"] }, other));
  assert(!plans.isSamePlan(PLAN, plans.raiseSet(PLAN, 1)));
});

test("an open image without activity for five minutes is stuck, a reserved one is not", () => {
  const hold = (/** @type {boolean} */ is_opened, /** @type {string} */ clock) =>
    /** @type {import("#app/state/types.js").Hold} */ ({ is_opened, last_sign_at: `2026-01-31T${clock}Z` });
  assert.equal(stuckSecs(hold(true, "11:54:00"), NOON), 360);
  assert.equal(stuckSecs(hold(true, "11:56:00"), NOON), null);
  assert.equal(stuckSecs(hold(false, "11:00:00"), NOON), null);
});

test("a pace is unusual at twice or half the median of the same role", () => {
  const people = [60, 70, 80, 160, 30, null].map(
    (per_hour, id) =>
      /** @type {import("#app/state/types.js").PersonProgress} */ ({
        id,
        role: "annotator",
        per_hour,
        images: 9,
        checked: 0,
      }),
  );
  assert.deepEqual(
    people.map((person) => unusualPace(person, people)),
    [null, null, null, 160 / 70, 30 / 70, null],
  );
  assert.equal(unusualPace({ ...people[3], images: 4 }, people), null, "too few images to tell");
  assert.equal(unusualPace(people[3], people.slice(2, 4)), null, "too few people to tell");
});
