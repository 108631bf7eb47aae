import assert from "node:assert/strict";
import { test } from "node:test";
import {
  armRepeat,
  currentSuggestion,
  isOfMany,
  objectsIn,
  redoLast,
  select,
  selectedKeys,
  stepBack,
  toggleSelected,
  undoLast,
} from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { buildKeymap, chordFor } from "#app/state/keymap.js";
import { countDoubts } from "#app/state/objects.js";
import { isSameWork, packObjects } from "#app/state/revision.js";
import { startStints } from "#app/state/clock.js";
import { makeSuggestions } from "#app/state/suggestions.js";
import { ghostOf, layRow } from "#app/tools/crowd.js";
import { clickByKey, lift, moveCursor, press } from "#app/tools/cursor.js";
import { boxesOn, makeEditor, makeObject, PARTY, SIZE, workspaceWith } from "./fixtures.js";

/** @import {Point, VocBox} from "#app/geometry/types.js" */
/** @import {Editor} from "#app/state/types.js" */
/** @import {PointerState, Workspace} from "#app/tools/types.js" */

/** @type {PointerState} */
const PLAIN = { reachPx: 6, slackPx: 3, drawing: "drag", isPicking: false, isGathering: false };
const WITH_SHIFT = { ...PLAIN, isGathering: true };
const SEATED = {
  ...makeObject("a", [11, 101, 30, 140]),
  view: "Rear",
  occluded: true,
  actions: ["phoning"],
};

/** @type {(workspace: Workspace, from: Point, to: Point, state?: PointerState, key?: string) => Workspace} */
function drag(workspace, from, to, state = PLAIN, key = "new") {
  return lift(moveCursor(press(workspace, from, state), to), to, key);
}

/** @type {(workspace: Workspace, at: Point, state?: PointerState, key?: string) => Workspace} */
const click = (workspace, at, state, key) => drag(workspace, at, at, state, key);

const repeating = workspaceWith(armRepeat(makeEditor([SEATED], "a")));

test("each click repeats the box around the pointer, until Escape", () => {
  const once = click(repeating, [100, 200], PLAIN, "b");
  const twice = click(once, [200, 200], PLAIN, "c");
  const [, second, third] = objectsIn(twice.editor);
  assert.deepEqual(second.box, [91, 181, 110, 220]);
  assert.deepEqual(third.box, [191, 181, 210, 220]);
  for (const { class: name, view, occluded, actions, parts, point } of [second, third])
    assert.deepEqual(
      [name, view, occluded, actions, parts, point],
      ["person", "Rear", true, ["phoning"], [], null],
    );
  assert.deepEqual(boxesOn({ editor: undoLast(twice.editor) }), [SEATED.box, second.box]);
  const ended = stepBack(twice.editor);
  assert.equal(ended.armed, null);
  assert.equal(ended.selection?.key, "c");
  assert.equal(armRepeat(twice.editor).armed, null);
});

test("a repeated box stays inside the image, and is truncated there by proposal alone", () => {
  const { editor } = click(repeating, [499, 2]);
  const added = objectsIn(editor)[1];
  assert.deepEqual(added.box, [481, 1, 500, 40]);
  assert.deepEqual([added.truncated, added.truncatedBy], [true, "border"]);
});

test("without a box there is nothing to repeat, and the last one is repeated where none is selected", () => {
  assert.equal(armRepeat(makeEditor()).refusal, "none_to_repeat");
  const other = makeObject("z", [201, 1, 205, 10], "bus");
  const { editor } = click(workspaceWith(armRepeat(makeEditor([SEATED, other]))), [100, 100]);
  assert.deepEqual([objectsIn(editor)[2].class, objectsIn(editor)[2].box], ["bus", [99, 96, 103, 105]]);
});

test("where the box would come is shown at the pointer, and the keyboard sets it there", () => {
  const over = moveCursor(repeating, [100, 200]);
  assert.deepEqual(ghostOf(over.editor, over.cursor), [91, 181, 110, 220]);
  assert.equal(ghostOf(makeEditor([SEATED], "a"), over.cursor), null);
  assert.deepEqual(boxesOn(clickByKey(over, [0, 0], "b"))[1], [91, 181, 110, 220]);
});

test("a drag lays equal boxes side by side, shows them before, and is undone as one", () => {
  const held = moveCursor(press(repeating, [100, 200], PLAIN), [205, 200]);
  const { box, others = [] } = held.cursor.gesture?.preview ?? { box: null };
  const { editor } = lift(held, [205, 200], "r");
  const laid = boxesOn({ editor }).slice(1);
  assert.deepEqual([...others, box], laid);
  assert.equal(laid.length, 6); // 105 pixels are five widths of 20
  assert.deepEqual(
    [laid[0], laid[5]],
    [
      [91, 181, 110, 220],
      [196, 181, 215, 220],
    ],
  );
  assert.equal(new Set(objectsIn(editor).map(({ key }) => key)).size, 7);
  assert.equal(selectedKeys(editor).length, 6);
  assert.deepEqual(boxesOn({ editor: undoLast(editor) }), [SEATED.box]);
  assert.deepEqual(boxesOn({ editor: redoLast(undoLast(editor)) }), boxesOn({ editor }));
});

test("boxes of a row never cover each other by more than rounding, in any direction, and lie inside", () => {
  for (let degrees = 0; degrees < 360; degrees += 15) {
    const angle = (degrees * Math.PI) / 180;
    /** @type {Point} */
    const end = [250 + 120 * Math.cos(angle), 190 + 120 * Math.sin(angle)];
    const row = layRow([1, 1, 17, 29], [250, 190], end, SIZE);
    assert.equal(row.length >= 4 && row.length <= 9, true, `${degrees}: ${row.length}`);
    row.slice(1).forEach((box, place) => {
      const before = row[place];
      const aside = Math.max(Math.abs(box[0] - before[0]) - 17, Math.abs(box[1] - before[1]) - 29);
      assert.equal(aside >= -1, true, `${degrees}: ${before} ${box}`);
    });
  }
  for (const box of layRow([1, 1, 17, 29], [-50, 5], [900, 5], SIZE)) {
    assert.equal(box[0] >= 1 && box[1] >= 1 && box[2] <= 500, true);
  }
});

test("a row that would be too many is refused whole", () => {
  const few = { ...repeating.editor, party: { ...PARTY, max_objects: 4 } };
  const { editor } = drag(workspaceWith(few), [100, 200], [205, 200]);
  assert.deepEqual([objectsIn(editor).length, editor.refusal], [1, "too_many"]);
});

const car = makeObject("c", [201, 201, 260, 240], "bus");
const bottle = makeObject("d", [300, 201, 320, 240], "bottle");
const three = makeEditor([SEATED, car, bottle], "a");
const all = toggleSelected(toggleSelected(three, "c"), "d");

test("Shift and a click selects one more or one less, a band those inside it", () => {
  const two = click(workspaceWith(three), [230, 220], WITH_SHIFT);
  assert.deepEqual(selectedKeys(two.editor), ["a", "c"]);
  const back = click(two, [230, 220], WITH_SHIFT);
  assert.deepEqual([selectedKeys(back.editor), isOfMany(back.editor)], [["a"], false]);
  const band = drag(workspaceWith(three), [190, 190], [330, 250], WITH_SHIFT);
  assert.deepEqual(selectedKeys(band.editor), ["a", "c", "d"]);
  assert.equal(boxesOn(band).length, 3);
  const none = drag(workspaceWith(three), [210, 190], [330, 230], WITH_SHIFT);
  assert.deepEqual(selectedKeys(none.editor), ["a"]);
  assert.deepEqual(selectedKeys(click(band, [400, 20]).editor), []);
});

/** @type {(editor: Editor, field: "view" | "class" | "occluded" | "truncated" | "actions") => unknown[]} */
const valuesOf = (editor, field) => objectsIn(editor).map((object) => object[field]);

test("attributes of several objects are set in one step, for those whose class has them", () => {
  const seen = edits.chooseView(all, "Left");
  assert.deepEqual(valuesOf(seen, "view"), ["Left", "Left", "Unspecified"]);
  assert.deepEqual(valuesOf(undoLast(seen), "view"), ["Rear", "Unspecified", "Unspecified"]);
  assert.deepEqual(selectedKeys(undoLast(seen)), selectedKeys(all));
  const hidden = edits.toggleFlag(all, "occluded");
  assert.deepEqual(valuesOf(hidden, "occluded"), [true, true, true]); // one had it
  assert.deepEqual(valuesOf(edits.toggleFlag(hidden, "occluded"), "occluded"), [false, false, false]);
  assert.deepEqual(valuesOf(edits.chooseClass(all, "bus"), "class"), ["bus", "bus", "bus"]);
  assert.deepEqual(selectedKeys(edits.chooseClass(all, "bus")), selectedKeys(all));
  assert.deepEqual(valuesOf(edits.toggleAction(all, "running"), "actions"), [["phoning", "running"], [], []]);
  const lacking = toggleSelected(makeEditor([bottle, makeObject("e", [1, 1, 9, 9], "bottle")], "d"), "e");
  assert.equal(edits.chooseView(lacking, "Left").refusal, "class_has_none");
});

test("the arrow keys move all, Delete deletes all, each as one step", () => {
  const moved = edits.nudge(edits.nudge(all, 5, 0), 5, 0, true);
  assert.deepEqual(
    boxesOn({ editor: moved }).map(([xmin]) => xmin),
    [21, 211, 310],
  );
  assert.deepEqual(boxesOn({ editor: undoLast(moved) }), boxesOn({ editor: all }));
  const gone = edits.removeSelected(all);
  assert.deepEqual([objectsIn(gone).length, gone.selection], [0, null]);
  assert.equal(objectsIn(undoLast(gone)).length, 3);
});

test("a new box, a part and Escape leave one object selected, or none", () => {
  assert.deepEqual(selectedKeys(edits.draw(all, [1, 1, 50, 50], "n")), ["n"]);
  assert.deepEqual(selectedKeys(stepBack(all)), []);
  assert.deepEqual(selectedKeys(select(all, { key: "c", part: null })), ["c"]);
});

test("a suggestion is never one of several", () => {
  const suggestions = makeSuggestions(PARTY, SIZE, [
    { id: 7, class: "person", box: [400, 300, 450, 350], confidence: 0.9 },
  ]);
  const editor = select({ ...makeEditor([SEATED, car]), suggestions }, { key: "suggestion-7", part: null });
  assert.notEqual(currentSuggestion(editor), null);
  const clicked = click(workspaceWith(editor), [230, 220], WITH_SHIFT);
  assert.deepEqual(selectedKeys(clicked.editor), ["c"]);
  const band = drag(workspaceWith(editor), [1, 1], [499, 374], WITH_SHIFT);
  assert.deepEqual(selectedKeys(band.editor), ["a", "c"]);
  assert.equal(objectsIn(edits.toggleFlag(band.editor, "unsure")).length, 2);
  const beside = click(workspaceWith(editor), [420, 320], WITH_SHIFT);
  assert.equal(objectsIn(beside.editor).length, 2);
});

test("a group is a flag only of a party that has it, is sent, counts as a change, and can be taken off", () => {
  assert.equal(edits.toggleFlag(three, "group_of").refusal, "flag_unknown");
  const party = { ...PARTY, flags: [...PARTY.flags, "group_of"] };
  const marked = edits.toggleFlag({ ...three, party }, "group_of");
  const [sent] = packObjects(objectsIn(marked), startStints());
  assert.equal(sent.group_of, true);
  assert.equal("difficult" in sent, false);
  assert.equal(isSameWork(objectsIn(three), objectsIn(marked)), false);
  // Also where the party no longer has the flag.
  const taken = edits.toggleFlag({ ...marked, party: PARTY }, "group_of");
  assert.equal(isSameWork(objectsIn(three), objectsIn(taken)), true);
});

test("no view is asked of a group, whose members look to different sides", () => {
  const seated = { ...SEATED, view: "Unspecified" };
  assert.equal(countDoubts(PARTY, [seated]).viewless, 1);
  assert.equal(countDoubts(PARTY, [{ ...seated, group_of: true }]).viewless, 0);
});

test("the key of groups takes no key from parts, views and actions", () => {
  const party = { ...PARTY, flags: [...PARTY.flags, "group_of"] };
  for (const map of /** @type {const} */ (["labelimg", "cvat"])) {
    const without = buildKeymap(PARTY, [], map, "annotate");
    const having = buildKeymap(party, [], map, "annotate");
    for (const { command, chords } of without.rows) {
      assert.deepEqual(having.rows.find((row) => row.command === command)?.chords, chords);
    }
    assert.notEqual(chordFor(having, "flag:group_of"), null);
    assert.equal(chordFor(without, "flag:group_of"), null);
  }
});

/** @type {VocBox} */
const WHOLE = [1, 1, 500, 375];

test("a box as large as the image is repeated where it is", () => {
  assert.deepEqual(layRow(WHOLE, [10, 10], [400, 300], SIZE), [WHOLE]);
});
