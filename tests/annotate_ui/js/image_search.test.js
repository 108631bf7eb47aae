import assert from "node:assert/strict";
import { test } from "node:test";

import { readSearch, splitLast, suggest, writeFilter } from "#app/state/image_search.js";

/** @import {SearchField} from "../../../annotate_ui/static/app/types.js" */

/** @type {(value: string, label?: string) => {value: string, label: string}} */
const value = (value, label = value) => ({ value, label });
/** @type {(name: string, label: string, values?: SearchField["values"]) => SearchField} */
const field = (name, label, values = []) => ({ name, label, hint: "", values });
const FIELDS = [
  field("state", "State", [value("annotated", "to check"), value("pool", "to annotate")]),
  field("class", "Class", [value("bird"), value("diningtable", "dining table")]),
  field("annotator", "Drawn by", [value("cleo"), value("Ann Smith")]),
  field("owner", "Owner"),
  field("since", "Changed since"),
  field("until", "Until"),
  field("text", "Text"),
];
/** @param {string} search */
const read = (search) => readSearch(search, FIELDS);

test("filters are read by name, by label and by the names of other tools", () => {
  assert.deepEqual(read("class:bird state:to-check by:cleo"), {
    class: "bird",
    state: "annotated",
    annotator: "cleo",
  });
  assert.deepEqual(read("drawn-by:cleo Class:BIRD"), { annotator: "cleo", class: "bird" });
});

test("a value with blanks stands in quotes or has hyphens", () => {
  assert.deepEqual(read('by:"Ann Smith" class:dining-table'), {
    annotator: "Ann Smith",
    class: "diningtable",
  });
  assert.deepEqual(read('class:"dining table"'), { class: "diningtable" });
});

test("several states are divided by commas", () => {
  assert.deepEqual(read("state:to-check,pool"), { state: "annotated,pool" });
});

test("words that name no filter are a text to look for", () => {
  assert.deepEqual(read('class:bird old tree http://a.example "by night"'), {
    class: "bird",
    text: "old tree http://a.example by night",
  });
  assert.deepEqual(read(""), {});
  assert.deepEqual(read("class:"), {});
});

test("a word that no value has is left for the server to refuse", () => {
  assert.deepEqual(read("class:unicorn"), { class: "unicorn" });
});

test("dates are days, months, years, and ranges of them", () => {
  /** @type {[string, string | undefined, string | undefined][]} */
  const cases = [
    ["date:2026-01-05", "2026-01-05", "2026-01-05"],
    ["date:2024-02", "2024-02-01", "2024-02-29"],
    ["date:2026", "2026-01-01", "2026-12-31"],
    ["date:2026-01..2026-03", "2026-01-01", "2026-03-31"],
    ["date:2026-01..", "2026-01-01", undefined],
    ["date:..2026-01", undefined, "2026-01-31"],
  ];
  for (const [search, since, until] of cases) {
    const filters = read(search);
    assert.deepEqual([filters.since, filters.until], [since, until], search);
  }
  assert.deepEqual(read("date:soon"), { since: "soon" });
});

test("what is written is read again as it was", () => {
  const filters = { class: "bird", annotator: "Ann Smith", state: "annotated" };
  for (const [name, word] of Object.entries(filters)) {
    assert.deepEqual(read(writeFilter(name, word)), { [name]: word });
  }
});

test("an empty search offers every filter", () => {
  assert.deepEqual(
    suggest("", FIELDS).map(({ field }) => field),
    FIELDS.map(({ name }) => name),
  );
});

test("a word offers values that begin so before filters", () => {
  const offered = suggest("class:bird st", FIELDS).map(({ field, value }) => [field, value]);
  assert.deepEqual(offered, [["state", null]]);
  assert.deepEqual(
    suggest("to", FIELDS).map(({ value }) => value),
    ["annotated", "pool"],
  );
});

test("a filter offers its values, those that begin so first", () => {
  const offered = (/** @type {string} */ search) => suggest(search, FIELDS).map(({ value }) => value);
  assert.deepEqual(offered("class:"), ["bird", "diningtable"]);
  assert.deepEqual(offered("by:smi"), ["Ann Smith"]);
  assert.deepEqual(offered("nothing:x"), []);
});

test("the last word is what is being written", () => {
  const split = (/** @type {string} */ search) => splitLast(search, FIELDS);
  assert.deepEqual(split('class:bird by:"Ann S'), { before: "class:bird ", last: 'by:"Ann S' });
  assert.deepEqual(split("class:bird "), { before: "class:bird ", last: "" });
});

test("a name with blanks is completed as a whole", () => {
  const split = (/** @type {string} */ search) => splitLast(search, FIELDS);
  assert.deepEqual(split("old dining ta"), { before: "old ", last: "dining ta" });
  assert.deepEqual(split("by:Ann S"), { before: "", last: "by:Ann S" });
  assert.deepEqual(split("drawn b"), { before: "", last: "drawn b" });
  assert.deepEqual(split("old tree"), { before: "old ", last: "tree" });
  assert.deepEqual(split("owner:Ann S"), { before: "owner:Ann ", last: "S" });
  const offered = (/** @type {string} */ search) => suggest(search, FIELDS).map(({ value }) => value);
  assert.deepEqual(offered("dining ta"), ["diningtable"]);
  assert.deepEqual(offered("state:to ch"), ["annotated"]);
  assert.deepEqual(offered("class: bi"), ["bird"]);
});

test("a blank may follow the colon, as chips have it", () => {
  assert.deepEqual(read("class: bird tree"), { class: "bird", text: "tree" });
  assert.deepEqual(read('by: "Ann Smith"'), { annotator: "Ann Smith" });
  assert.deepEqual(read("class: state:pool"), { state: "pool" });
  assert.deepEqual(read("date: 2026"), { since: "2026-01-01", until: "2026-12-31" });
  assert.deepEqual(read("date:"), {});
});

test("a name keeps its quotes, colons, commas and letters", () => {
  const names = ['John "Doc" O\'Neil: x', '"', 'a"b', "Smith, John", "a:b", "محمد علي", "王 小明"];
  for (const name of names) assert.deepEqual(read(writeFilter("owner", name)), { owner: name }, name);
  assert.deepEqual(read('by:"Nobody, Ann"'), { annotator: "Nobody, Ann" });
});

test("words beside a text are a part of it", () => {
  assert.deepEqual(read('text:"old tree" leaf'), { text: "old tree leaf" });
});
