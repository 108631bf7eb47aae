import assert from "node:assert/strict";
import { test } from "node:test";
import {
  armPart,
  armPoint,
  objectsIn,
  select,
  selectedObject,
  selectNext,
  stepBack,
} from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { startStints } from "#app/state/clock.js";
import { packObjects } from "#app/state/revision.js";
import { sayLaidAside } from "#app/view/words.js";
import { makeEditor, makeObject, PARTY } from "./fixtures.js";

const person = makeObject("p", [50, 50, 150, 250]);
const bus = makeObject("b", [200, 30, 330, 280], "bus");
const onPerson = makeEditor([person, bus], "p");
const onBus = select(onPerson, { key: "b", part: null });

test("a drawn box takes the last class and is selected", () => {
  const editor = edits.draw(edits.chooseClass(makeEditor(), "bus"), [10, 10, 60, 60], "new");
  assert.equal(selectedObject(editor)?.key, "new");
  assert.equal(selectedObject(editor)?.class, "bus");
});

test("a class key relabels the selected object and sets the class of the next box", () => {
  const editor = edits.chooseClass(onPerson, "bus");
  assert.equal(selectedObject(editor)?.class, "bus");
  assert.equal(editor.lastClass, "bus");
  assert.equal(selectedObject(edits.draw(editor, [1, 1, 9, 9], "new"))?.class, "bus");
});

test("a copy stands next to its box, with its class, view, flags and actions, and inside the image", () => {
  const walking = { ...person, view: "Left", occluded: true, actions: ["walking"] };
  const editor = edits.paste(makeEditor([walking]), walking, "copy");
  const copy = selectedObject(editor);
  assert.deepEqual([copy?.view, copy?.occluded, copy?.actions], ["Left", true, ["walking"]]);
  assert.deepEqual(copy?.box, [70, 50, 170, 250]);
  assert.deepEqual(objectsIn(editor)[0], walking);
  const atEdge = makeObject("e", [400, 100, 500, 200]);
  assert.deepEqual(
    selectedObject(edits.paste(makeEditor([atEdge]), atEdge, "copy"))?.box,
    [380, 100, 480, 200],
  );
  const larger = makeObject("l", [1, 1, 4000, 3000]);
  assert.deepEqual(selectedObject(edits.paste(makeEditor(), larger, "copy"))?.box, [1, 1, 500, 375]);
});

test("a box under the smallest size is refused and says why", () => {
  const editor = edits.draw(makeEditor(), [10, 10, 12, 60], "new");
  assert.equal(objectsIn(editor).length, 0);
  assert.equal(editor.refusal, "too_small");
});

test("an image gets no more objects than the party allows", () => {
  const full = { ...makeEditor([person]), party: { ...PARTY, max_objects: 1 } };
  assert.equal(edits.draw(full, [10, 10, 60, 60], "new").refusal, "too_many");
});

test("truncated is proposed at the border and follows the box until a person decides", () => {
  const drawn = edits.draw(makeEditor(), [1, 20, 60, 80], "new");
  assert.equal(selectedObject(drawn)?.truncated, true);
  const away = edits.nudge(drawn, 5, 0);
  assert.equal(selectedObject(away)?.truncated, false);
  const decided = edits.nudge(edits.toggleFlag(away, "truncated"), 5, 0);
  assert.equal(selectedObject(decided)?.truncated, true);
});

test("pressing the key of a proposed truncated confirms it, pressing again removes it", () => {
  const drawn = edits.draw(makeEditor(), [1, 20, 60, 80], "new");
  const confirmed = edits.toggleFlag(drawn, "truncated");
  assert.equal(selectedObject(confirmed)?.truncated, true);
  assert.equal(selectedObject(confirmed)?.truncatedBy, "person");
  const taken = edits.toggleFlag(confirmed, "truncated");
  assert.equal(selectedObject(taken)?.truncated, false);
  assert.equal(selectedObject(edits.toggleFlag(taken, "truncated"))?.truncated, true);
});

test("truncated is not proposed if the party has no such flag", () => {
  const editor = { ...makeEditor(), party: { ...PARTY, flags: ["difficult"] } };
  assert.equal(selectedObject(edits.draw(editor, [1, 20, 60, 80], "new"))?.truncated, false);
  assert.equal(edits.toggleFlag({ ...editor, selection: null }, "occluded").refusal, "flag_unknown");
});

test("a class without views takes no view", () => {
  const bottle = makeEditor([makeObject("o", [5, 5, 30, 30], "bottle")], "o");
  assert.equal(edits.chooseView(bottle, "Left").refusal, "class_has_none");
});

test("an object that changes its class loses what the new class does not have", () => {
  let editor = edits.toggleAction(edits.chooseView(onPerson, "Left"), "walking");
  editor = edits.setPoint(editor, [100, 100]);
  editor = edits.draw(armPart(editor, "head"), [60, 50, 90, 80], "unused");
  const bottle = objectsIn(edits.chooseClass(editor, "bottle"))[0];
  assert.deepEqual([bottle.view, bottle.actions, bottle.point, bottle.parts], ["Unspecified", [], null, []]);
});

for (const others of [["motorbike"], ["bottle"], ["bottle", "motorbike", "bottle"]]) {
  test(`what a person had comes back after ${others.join(", ")} by mistake`, () => {
    let editor = edits.toggleAction(edits.chooseView(onPerson, "Left"), "walking");
    editor = edits.setPoint(editor, [100, 100]);
    editor = edits.draw(armPart(editor, "head"), [60, 50, 90, 80], "unused");
    const wrong = others.reduce((now, name) => edits.chooseClass(now, name), editor);
    assert.deepEqual(packObjects(objectsIn(wrong), startStints())[0].parts, []);
    assert(!("laidAside" in packObjects(objectsIn(wrong), startStints())[0]));
    const { laidAside, ...again } = objectsIn(edits.chooseClass(wrong, "person"))[0];
    assert.equal(laidAside, undefined);
    assert.deepEqual(again, objectsIn(editor)[0]);
  });
}

test("a view chosen under the wrong class stays, and nothing else of it", () => {
  const person = edits.chooseView(edits.toggleAction(onPerson, "walking"), "Left");
  const rear = edits.chooseView(edits.chooseClass(person, "motorbike"), "Rear");
  const again = objectsIn(edits.chooseClass(rear, "person"))[0];
  assert.deepEqual([again.view, again.actions], ["Rear", ["walking"]]);
});

test("the status line says what finishing would drop", () => {
  const withHead = edits.draw(
    armPart(edits.toggleAction(onPerson, "walking"), "head"),
    [60, 50, 90, 80],
    "-",
  );
  const bus = selectedObject(edits.chooseClass(withHead, "bus"));
  assert.equal(
    sayLaidAside(PARTY, bus),
    "Finishing as bus drops: head, walking. The earlier class brings it back.",
  );
  assert.equal(sayLaidAside(PARTY, selectedObject(withHead)), "");
  assert.equal(sayLaidAside(PARTY, selectedObject(edits.chooseClass(onBus, "bottle"))), "");
});

test("parts go to the selected person, up to their maximum, also outside its box", () => {
  const withHead = edits.draw(armPart(onPerson, "head"), [40, 20, 90, 80], "unused");
  assert.deepEqual(selectedObject(withHead)?.parts, [{ part: "head", box: [40, 20, 90, 80] }]);
  assert.deepEqual(withHead.selection, { key: "p", part: 0 });
  assert.equal(armPart(withHead, "head").refusal, "parts_full");
  const oneHand = edits.draw(armPart(withHead, "hand"), [50, 90, 60, 100], "unused");
  const twoHands = edits.draw(armPart(oneHand, "hand"), [90, 90, 99, 100], "unused");
  assert.equal(selectedObject(twoHands)?.parts.length, 3);
  assert.equal(armPart(twoHands, "hand").refusal, "parts_full");
  assert.equal(armPart(twoHands, "foot").armed?.kind, "part");
});

test("a part can be as small as one pixel", () => {
  const editor = edits.draw(armPart(onPerson, "foot"), [60, 60, 60, 61], "unused");
  assert.equal(selectedObject(editor)?.parts.length, 1);
});

test("a bus has neither parts nor actions nor a reference point", () => {
  assert.equal(armPart(onBus, "head").refusal, "class_has_none");
  assert.equal(edits.toggleAction(onBus, "walking").refusal, "class_has_none");
  assert.equal(armPoint(onBus).refusal, "class_has_none");
});

test('several actions can be set, in the party\'s order; "other" excludes them', () => {
  const two = edits.toggleAction(edits.toggleAction(onPerson, "walking"), "phoning");
  assert.deepEqual(selectedObject(two)?.actions, ["phoning", "walking"]);
  const other = edits.toggleAction(two, "other");
  assert.deepEqual(selectedObject(other)?.actions, ["other"]);
  assert.deepEqual(selectedObject(edits.toggleAction(other, "running"))?.actions, ["running"]);
  assert.deepEqual(selectedObject(edits.toggleAction(other, "other"))?.actions, []);
});

test("deleting a part leaves its person, deleting the person takes all", () => {
  const withHead = edits.draw(armPart(onPerson, "head"), [60, 50, 90, 80], "unused");
  const without = edits.removeSelected(withHead);
  assert.deepEqual(without.selection, { key: "p", part: null });
  assert.deepEqual(selectedObject(without)?.parts, []);
  assert.deepEqual(objectsIn(edits.removeSelected(without)), [bus]);
});

test("Alt and an arrow key move the side that was touched last", () => {
  const touched = edits.reshape(onPerson, { key: "p", part: null }, [45, 50, 150, 250], ["xmin"]);
  assert.deepEqual(selectedObject(edits.nudgeSide(touched, 2, 0))?.box, [47, 50, 150, 250]);
  assert.deepEqual(selectedObject(edits.nudgeSide(touched, 0, 3))?.box, [45, 50, 150, 253]);
  const switched = edits.switchSides(touched);
  assert.deepEqual(selectedObject(edits.nudgeSide(switched, 2, 0))?.box, [45, 50, 152, 250]);
  assert.deepEqual(selectedObject(edits.nudgeSide(switched, 0, 3))?.box, [45, 53, 150, 250]);
});

test("Escape goes from a part to its object, and from there to nothing", () => {
  const armed = armPart(onPerson, "head");
  assert.equal(stepBack(armed).armed, null);
  const part = edits.draw(armed, [60, 50, 90, 80], "unused");
  assert.deepEqual(stepBack(part).selection, { key: "p", part: null });
  assert.equal(stepBack(stepBack(part)).selection, null);
});

test("stepping through objects wraps around in both directions", () => {
  const onNothing = select(onPerson, null);
  for (const editor of [onBus, onNothing]) assert.equal(selectNext(editor, 1).selection?.key, "p");
  for (const editor of [onPerson, onNothing]) assert.equal(selectNext(editor, -1).selection?.key, "b");
});

test("boxes of another image are copied in one step and cut to this image", () => {
  const keys = ["one", "two"];
  const far = makeObject("far", [300, 200, 900, 900], "bus");
  const editor = edits.pasteAll(makeEditor(), [{ ...person, view: "Left" }, far], () => keys.shift() ?? "");
  const [width, height] = editor.size;
  assert.deepEqual(
    objectsIn(editor).map(({ key, box, view }) => [key, box, view]),
    [
      ["one", person.box, "Left"],
      ["two", [300, 200, width, height], far.view],
    ],
  );
  assert.equal(editor.history.past.length, 1);
});

test("boxes that are there already are not copied onto themselves", () => {
  const far = makeObject("far", [300, 200, 400, 300], "bus");
  const once = edits.pasteAll(makeEditor(), [person], () => "one");
  assert.equal(edits.pasteAll(once, [person], () => "two").refusal, "all_there");
  const more = edits.pasteAll(once, [person, far], () => "three");
  assert.deepEqual(
    objectsIn(more).map(({ key }) => key),
    ["one", "three"],
  );
});
