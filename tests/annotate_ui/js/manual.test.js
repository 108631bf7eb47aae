import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatChord } from "../../../annotate_ui/static/app/state/chords.js";
import { buildKeymap, MAP_NAMES } from "../../../annotate_ui/static/app/state/keymap.js";
import { texts } from "../../../annotate_ui/static/app/texts.js";
import { PARTY } from "./fixtures.js";

const MANUAL = readFileSync(
  new URL("../../../docs/manual/annotation-page.md", import.meta.url),
  "utf-8",
);
const KEYS = MANUAL.split("## Keys")[1].split("\n## ")[0];
const FIXED = { ...PARTY, classes: [], parts: [], actions: [] };

for (const [column, name] of MAP_NAMES.entries()) {
  test(`the manual lists every key of the map ${name}, and no other`, () => {
    const rows = [...KEYS.matchAll(/^\| (`[^|]+`) \| (`[^|]+`) \| [^|]+\|$/gm)];
    const written = rows.flatMap((row) => [...row[column + 1].matchAll(/`([^`]+)`/g)]);
    const keymap = buildKeymap(FIXED, [], name, "annotate");
    assert.deepEqual(
      written.map((match) => match[1]).sort(),
      [...keymap.commandOf.keys()].map(formatChord).sort(),
    );
  });

  test(`every command of the map ${name} has words for people`, () => {
    for (const page of /** @type {const} */ (["annotate", "check"])) {
      for (const { command, group } of buildKeymap(FIXED, [], name, page).rows) {
        const [family] = command.split(".");
        assert(texts.commands[command] ?? texts.arrows[family], command);
        assert(texts.groups[group], group);
      }
    }
  });
}

test("the manual counts ten inputs for the standard task", () => {
  const table = MANUAL.split("## Ten inputs")[1].split("\n## ")[0];
  const counts = [...table.matchAll(/^\| [^*|]+ \| (\d+) \|$/gm)].map((match) => Number(match[1]));
  assert.equal(counts.reduce((sum, count) => sum + count, 0), 10);
});
