import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chordOf, formatChord, isForNobody, isHeldChoice } from "#app/state/chords.js";
import { buildKeymap, chordFor, MAP_NAMES, mayRepeat } from "#app/state/keymap.js";
import { texts } from "#app/texts.js";
import { makeClass, PARTY } from "./fixtures.js";

/** @import {KeyPress, MapName} from "#app/state/types.js" */

const TWENTY = Array.from({ length: 20 }, (_, index) => makeClass(`class${index}`));
const PARTIES = [
  PARTY,
  { ...PARTY, classes: TWENTY },
  { ...PARTY, classes: [...TWENTY, makeClass("one-too-many")] },
  { ...PARTY, views: [...PARTY.views, { id: "Top", display: "top" }] },
  { ...PARTY, parts: ["head", "hand", "foot", "tail"].map((id) => ({ id, display: id, most: 2 })) },
];
const PAGES = /** @type {const} */ (["annotate", "check", "segment", "check-segment"]);
const MAPS = PARTIES.flatMap((party) =>
  MAP_NAMES.flatMap((name) =>
    PAGES.map((page) => ({
      what: `${name}, ${page}, ${party.classes.length} classes, ${party.parts.length} parts`,
      keymap: buildKeymap(
        party,
        party.classes.map((spec) => spec.name),
        name,
        page,
      ),
    })),
  ),
);

/**
 * What browsers keep for themselves, or do before a page is asked, on any of the systems. Ctrl+C and
 * Ctrl+V mean here what they mean there, for boxes.
 */
const RESERVED = [
  ..."ABDEFGHIJKLMNOPQRSTUWX".split("").map((letter) => `Ctrl+${letter}`),
  ..."NTWPIJCBDORM".split("").map((letter) => `Ctrl+Shift+${letter}`),
  ..."0123456789".split("").flatMap((digit) => [`Ctrl+${digit}`, `Alt+${digit}`]),
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("").map((letter) => `Alt+${letter}`),
  ..."+-=".split("").map((sign) => `Ctrl+${sign}`),
  "Tab",
  "Shift+Tab",
  "Ctrl+Tab",
  "Ctrl+Shift+Tab",
  "Ctrl+PageUp",
  "Ctrl+PageDown",
  "Alt+Home",
  "Alt+F4",
  "Ctrl+F4",
  "'",
  "/",
  "Shift+Escape",
  "Shift+Delete",
  ...Array.from({ length: 12 }, (_, index) => `F${index + 1}`),
];

for (const { what, keymap } of MAPS) {
  test(`no key has two meanings and no command two rows (${what})`, () => {
    for (const names of [keymap.rows.flatMap((row) => row.chords), keymap.rows.map((row) => row.command)]) {
      assert.deepEqual(names, [...new Set(names)]);
    }
  });

  test(`every key can be pressed on a keyboard, and browsers keep none of them (${what})`, () => {
    for (const chord of keymap.commandOf.keys()) {
      assert(!RESERVED.includes(chord), chord);
      assert.equal(chordOf(pressOf(chord)), chord);
    }
  });

  test(`nothing is deleted by a single letter (${what})`, () => {
    for (const row of keymap.rows.filter(({ command }) => command.endsWith(".remove"))) {
      for (const chord of row.chords) assert(chord.length > 1, chord);
    }
  });

  test(`every view, flag, part and action has a key where boxes are drawn (${what})`, () => {
    const party = keymap.rows.filter(({ command }) => /^(view|flag|part|action):/.test(command));
    if (what.includes("segment")) return assert.deepEqual(party, []);
    assert(party.length >= 5 + 3 + 3 + 11);
    for (const row of party) assert(row.chords.length >= 1, row.command);
  });
}

test("twenty classes have a key each, the twenty-first is left to the filter", () => {
  const names = PARTIES[2].classes.map((spec) => spec.name);
  const keymap = buildKeymap(PARTIES[2], names, "labelimg", "annotate");
  const chords = ["class0", "class9", "class19", "one-too-many"].map((name) =>
    chordFor(keymap, `class:${name}`),
  );
  assert.deepEqual(chords, ["1", "0", "Shift+0", null]);
});

test("actions take letters of their own words", () => {
  const keymap = buildKeymap(PARTY, [], "labelimg", "annotate");
  const letters = PARTY.actions.map(({ id }) => chordFor(keymap, `action:${id}`)?.slice(-1));
  assert.equal(letters.join(""), "JPMRBHUTCWO");
});

test("each keymap has the keys of the program that it is named after", () => {
  const keys = (/** @type {MapName} */ name) =>
    ["box.new", "image.finish", "image.previous", "flag:occluded"].map((command) =>
      chordFor(buildKeymap(PARTY, [], name, "annotate"), command),
    );
  assert.deepEqual(keys("labelimg"), ["w", "d", "a", "o"]);
  assert.deepEqual(keys("cvat"), ["n", "f", "d", "q"]);
});

test("a view that the party does not have gets no key", () => {
  const keymap = buildKeymap({ ...PARTY, views: PARTY.views.slice(0, 2) }, [], "labelimg", "annotate");
  assert.equal(chordFor(keymap, "view:Left"), null);
  assert.equal(chordFor(keymap, "view:Frontal"), "f");
});

/** @type {[string, Partial<KeyPress>, string][]} */
const PRESSES = [
  ["a letter", { key: "q", code: "KeyQ" }, "q"],
  ["a letter under Caps Lock", { key: "Q", code: "KeyQ" }, "q"],
  ["a letter where the layout puts it (AZERTY)", { key: "q", code: "KeyA" }, "q"],
  ["a letter of another script, by its place", { key: "й", code: "KeyQ" }, "q"],
  ["a digit of AZERTY, by its place", { key: "é", code: "Digit2" }, "2"],
  ["a digit with Shift", { key: "!", code: "Digit1", shiftKey: true }, "Shift+1"],
  ["a digit of the number pad", { key: "3", code: "Numpad3" }, "3"],
  ["the number pad without NumLock", { key: "ArrowLeft", code: "Numpad4" }, "ArrowLeft"],
  ["a sign that needs Shift", { key: "?", code: "Slash", shiftKey: true }, "?"],
  ["the Mac's command key", { key: "z", code: "KeyZ", metaKey: true }, "Ctrl+Z"],
  ["redo", { key: "Z", code: "KeyZ", ctrlKey: true, shiftKey: true }, "Ctrl+Shift+Z"],
  ["an edge by ten", { key: "ArrowUp", code: "ArrowUp", altKey: true, shiftKey: true }, "Alt+Shift+ArrowUp"],
  ["a leap", { key: "ArrowUp", code: "ArrowUp", ctrlKey: true, shiftKey: true }, "Ctrl+Shift+ArrowUp"],
  ["the space bar", { key: " ", code: "Space" }, "Space"],
];
for (const [what, press, chord] of PRESSES) {
  test(`${what} is ${chord}`, () => assert.equal(chordOf(fill(press)), chord));
}

test("chords are shown as on the keys", () => {
  const chords = ["q", "Shift+3", "Ctrl+Shift+Z", "Alt+ArrowLeft", "+", "?"];
  assert.deepEqual(
    chords.map((chord) => formatChord(chord)),
    ["Q", "⇧3", "Ctrl ⇧Z", "Alt ←", "+", "?"],
  );
});

test("a held key repeats moves and views, but never decisions", () => {
  const { rows } = buildKeymap(PARTY, [], "labelimg", "annotate");
  const repeating = rows.map((row) => row.command).filter(mayRepeat);
  assert.equal(repeating.length, 5 * 4 + 2 + 2 + 4);
  for (const command of ["flag:truncated", "image.finish", "image.discard", "box.remove"]) {
    assert(!mayRepeat(command), command);
  }
});

/**
 * @param {Partial<KeyPress>} press
 * @returns {KeyPress}
 */
function fill(press) {
  return { key: "", code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...press };
}

/** @param {string} chord as a keyboard of the United States sends it */
function pressOf(chord) {
  const words = chord === "+" ? ["+"] : chord.split(/\+(?=.)/);
  const base = words[words.length - 1];
  const [shiftKey, altKey, ctrlKey] = ["Shift", "Alt", "Ctrl"].map((word) => words.includes(word));
  const code = /^\d$/.test(base) ? `Digit${base}` : /^[a-z]$/i.test(base) ? `Key${base.toUpperCase()}` : base;
  return fill({ key: base === "Space" ? " " : base, code, shiftKey, altKey, ctrlKey });
}

const [KEYS, MANUAL] = ["keys", "annotation-page"].map((page) =>
  readFileSync(new URL(`../../../docs/manual/${page}.md`, import.meta.url), "utf-8"),
);
const FIXED = { ...PARTY, classes: [], parts: [], actions: [] };

for (const [column, name] of MAP_NAMES.entries()) {
  test(`the manual lists every key of the map ${name}, and no other`, () => {
    const rows = [...KEYS.matchAll(/^\| (`[^|]+`) \| (`[^|]+`) \| [^|]+\|$/gm)];
    const written = rows.flatMap((row) => [...row[column + 1].matchAll(/`([^`]+)`/g)]);
    const keymap = buildKeymap(FIXED, [], name, "annotate");
    assert.deepEqual(
      written.map((match) => match[1]).sort(),
      [...keymap.commandOf.keys()].map((chord) => formatChord(chord)).sort(),
    );
  });

  test(`every command of the map ${name} has words for people`, () => {
    for (const page of PAGES) {
      for (const { command, group, label } of buildKeymap(FIXED, [], name, page).rows) {
        const [family] = command.split(".");
        assert(label ?? texts.commands[command] ?? texts.arrows[family], command);
        assert(texts.groups[group], group);
      }
    }
  });
}

test("the manual counts ten inputs for the standard task", () => {
  const table = MANUAL.split("## Ten inputs")[1].split("\n## ")[0];
  const counts = [...table.matchAll(/^\| [^*|]+ \| (\d+) \|$/gm)].map((match) => Number(match[1]));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    10,
  );
});

test("a key that only goes on with composed input, or ends it, is for nobody", () => {
  for (const [isComposing, keyCode, expected] of /** @type {const} */ ([
    [true, 13, true], // Enter takes a word of the input method
    [true, 229, true],
    [false, 229, true], // Chrome on macOS says no more
    [false, 13, false],
    [false, 0, false],
  ])) {
    assert.equal(isForNobody({ isComposing, keyCode }), expected, `${isComposing} ${keyCode}`);
  }
});

test("a held key chooses nothing but moves, and is typed but for Enter", () => {
  const moves = ["ArrowLeft", "ArrowUp", "Tab", "PageDown", "Home", "End"];
  const chooses = ["Enter", " ", "d", "x", "1", "?", "Delete", "Escape"];
  for (const key of moves) assert.equal(isHeldChoice({ key }, false), false, key);
  for (const key of chooses) assert.equal(isHeldChoice({ key }, false), true, key);
  for (const key of [...moves, ...chooses]) assert.equal(isHeldChoice({ key }, true), key === "Enter", key);
});
