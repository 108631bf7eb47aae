import assert from "node:assert/strict";
import { test } from "node:test";
import { findObstacle, isChangeable, isReserved } from "#app/state/chords.js";
import { buildKeymap, chordFor, MAP_NAMES } from "#app/state/keymap.js";
import { prefer } from "#app/state/model.js";
import {
  changeKey,
  changesOf,
  DEFAULTS,
  DRAWINGS,
  readPreferences,
  resetKeys,
  switchDrawing,
} from "#app/state/preferences.js";
import { makeModel, PARTY } from "./fixtures.js";
import { testProperty } from "./random.js";

const NAMES = PARTY.classes.map((spec) => spec.name);
const keymap = buildKeymap(PARTY, NAMES, "labelimg", "annotate");

/** @type {[string, unknown][]} */
const STORED = [
  ["nothing", null],
  ["a list", [1, 2]],
  ["words of another version", { map: "vim", keys: { labelimg: 3, cvat: { undo: "u" } }, drawing: 7 }],
  ["half of it", { drawing: "extremes" }],
];
for (const [what, stored] of STORED) {
  test(`from ${what} come preferences that can be used`, () => {
    const preferences = readPreferences(stored);
    assert(MAP_NAMES.includes(preferences.map) && DRAWINGS.includes(preferences.drawing));
    assert.deepEqual(changesOf(preferences), {});
  });
}

test("preferences are read back as stored", () => {
  const kept = changeKey({ ...DEFAULTS, map: "cvat", drawing: "clicks", magnifier: "on" }, "undo", "j");
  assert.deepEqual(changesOf(readPreferences(JSON.parse(JSON.stringify(kept)))), { undo: ["j"] });
  assert.deepEqual({ ...readPreferences(kept), keys: {} }, { ...kept, keys: {} });
});

test("the switch goes through all drawing modes and back to the first", () => {
  let preferences = DEFAULTS;
  const seen = DRAWINGS.map(() => (preferences = switchDrawing(preferences)).drawing);
  assert.deepEqual([...seen].sort(), [...DRAWINGS].sort());
  assert.equal(preferences.drawing, DEFAULTS.drawing);
});

test("a changed key replaces the command's other keys, in its keymap only", () => {
  const changed = changeKey(DEFAULTS, "zoom.actual", "n");
  const mine = buildKeymap(PARTY, NAMES, "labelimg", "annotate", changesOf(changed));
  assert.deepEqual(mine.rows.find(({ command }) => command === "zoom.actual")?.chords, ["n"]);
  assert.equal(mine.commandOf.get("i"), undefined);
  assert.deepEqual(changesOf({ ...changed, map: "cvat" }), {});
  assert.deepEqual(changesOf(resetKeys(changed)), {});
});

testProperty(
  "no changes make two commands of one key, whatever another party gives its words",
  100,
  (random) => {
    const rows = keymap.rows.filter(({ command }) => isChangeable(command));
    let preferences = DEFAULTS;
    for (let times = 0; times < 6; times += 1) {
      const chord = random.pick([..."nhjk1234567890", "Shift+J", "Shift+9", "F"]);
      const changed = changeKey(preferences, random.pick(rows).command, chord);
      const now = buildKeymap(PARTY, NAMES, "labelimg", "annotate", changesOf(preferences));
      const [command] = Object.keys(changesOf(changed)).slice(-1);
      if (!findObstacle(now, command, chord)) preferences = changed;
    }
    const changes = changesOf(preferences);
    for (const party of [PARTY, { ...PARTY, actions: PARTY.actions.slice(3), classes: [] }]) {
      const chords = buildKeymap(party, NAMES, "labelimg", "annotate", changes).rows.flatMap(
        (row) => row.chords,
      );
      assert.deepEqual(chords, [...new Set(chords)]);
    }
  },
);

/** @type {[string, string, string, ReturnType<typeof findObstacle>][]} */
const CHANGES = [
  ["a free letter", "zoom.fit", "Shift+Q", null],
  ["its own key once more", "zoom.fit", "_", null],
  ["a letter that is taken", "zoom.fit", "t", { why: "taken", by: "flag:truncated" }],
  ["a key of the party's words", "zoom.fit", "1", { why: "taken", by: "class:aeroplane" }],
  ["a single letter for deleting", "box.remove", "n", { why: "deletes", by: null }],
  ["a key of the browser", "zoom.fit", "Ctrl+W", { why: "reserved", by: null }],
  ["an arrow key", "zoom.fit", "Ctrl+ArrowLeft", { why: "reserved", by: null }],
];
for (const [what, command, chord, obstacle] of CHANGES) {
  test(`${what} is ${obstacle ? `refused: ${obstacle.why}` : "taken"}`, () => {
    assert.deepEqual(findObstacle(keymap, command, chord), obstacle);
  });
}

test("every key of both keymaps is allowed", () => {
  for (const name of MAP_NAMES) {
    const map = buildKeymap(PARTY, NAMES, name, "annotate");
    for (const { command, chords } of map.rows.filter((row) => isChangeable(row.command))) {
      for (const chord of chords) assert.equal(findObstacle(map, command, chord), null, chord);
    }
  }
});

test("keys of the browser are reserved", () => {
  const kept = ["Ctrl+W", "Ctrl+T", "Ctrl+Shift+N", "Alt+D", "F5", "Ctrl+1", "Tab", "'", "/"];
  assert.deepEqual(kept.filter(isReserved), kept);
});

test("another keymap changes the keys, another drawing mode does not", () => {
  const model = makeModel();
  assert.equal(prefer(model, switchDrawing(model.preferences)).keymap, model.keymap);
  const cvat = prefer(model, { ...model.preferences, map: "cvat" });
  assert.equal(chordFor(cvat.keymap, "box.new"), "n");
});
