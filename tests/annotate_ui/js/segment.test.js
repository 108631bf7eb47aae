import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { listFindings } from "#app/segment/findings.js";
import { makePicker, proposalFor } from "#app/segment/tools.js";
import { cornersOf, snapCorner } from "#app/segment/corners.js";
import * as outline from "#app/segment/outline.js";
import { addVoid, fillRings, labelPixels, traceMask, VOID } from "#app/segment/rings.js";
import { NoAnswer, Refused } from "#app/api.js";
import { watchOutlineModel } from "#app/segment/outline_model.js";
import { openSegmentation, packSegmentation } from "#app/segment/task.js";
import { PLAIN, toolOfNext } from "#app/state/model.js";
import { objectsIn, select, selectedObject, selectNext, undoLast } from "#app/state/editor.js";
import { lift, moveCursor, press } from "#app/tools/cursor.js";
import { IDLE_CURSOR, makeEditor, makeObject } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {Size} from "#app/geometry/types.js" */
/** @import {Editor} from "#app/state/types.js" */
/** @import {Random} from "./random.js" */

/** @type {{name: string, rings: number[][], width: number, height: number, rows: string[], traced: number[][]}[]} */
const CASES = JSON.parse(readFileSync(new URL("../../vockit/format/rings.json", import.meta.url), "utf-8"));

/**
 * @param {Uint8Array} mask
 * @param {Size} size
 */
function rowsOf(mask, [width, height]) {
  const text = [...mask].map((pixel) => (pixel ? "#" : ".")).join("");
  return Array.from({ length: height }, (_, row) => text.slice(row * width, (row + 1) * width));
}

/** Whichever corner a ring starts with. @param {import("#app/types.js").Rings} rings */
function listRings(rings) {
  const turns = (/** @type {import("#app/types.js").Ring} */ ring) =>
    ring.map((_, at) => [...ring.slice(at), ...ring.slice(0, at)].join()).filter((_, at) => at % 2 === 0);
  return rings.map((ring) => turns(ring).toSorted()[0]).toSorted();
}

test("rings are filled and traced as on the server", () => {
  for (const { name, rings, width, height, rows, traced } of CASES) {
    const mask = fillRings(rings, [width, height]);
    assert.deepEqual(rowsOf(mask, [width, height]), rows, name);
    assert.deepEqual(listRings(traceMask(mask, [width, height])), listRings(traced), name);
  }
});

/**
 * @param {Random} random
 * @param {Size} size
 * @param {number} values
 */
const noise = (random, [width, height], values) =>
  Uint8Array.from({ length: width * height }, () => random.whole(0, values - 1));

testProperty("any mask comes back from its rings", 200, (random) => {
  const size = random.size(1, 12);
  const mask = noise(random, size, 2);
  assert.deepEqual(fillRings(traceMask(mask, size), size), mask);
});

testProperty("void is every pixel near to one of another label", 40, (random) => {
  const size = random.size(1, 20);
  const widthPx = random.whole(1, 7);
  const labels = noise(random, size, 3).map((label) => (label === 2 ? 1 : 0));
  const far = (/** @type {number} */ step) => Math.max(2 * Math.abs(step) - 1, 0) ** 2;
  const expected = labels.map((label, place) => {
    const isVoid = labels.some((other, otherPlace) => {
      const dx = (place % size[0]) - (otherPlace % size[0]);
      const dy = Math.floor(place / size[0]) - Math.floor(otherPlace / size[0]);
      return other !== label && far(dx) + far(dy) <= widthPx ** 2;
    });
    return isVoid ? VOID : label;
  });
  assert.deepEqual(
    addVoid(labels, [makeObject("a", [1, 1, 9, 9])], size, { void_width_px: widthPx }),
    expected,
  );
});

test("a difficult object is void, or carries its label where the party has it so", () => {
  const labels = Uint8Array.of(1, 1, 1);
  const objects = [{ ...makeObject("a", [1, 1, 3, 1]), difficult: true }];
  assert.deepEqual([...addVoid(labels, objects, [3, 1])], [VOID, VOID, VOID]);
  assert.deepEqual([...addVoid(labels, objects, [3, 1], { is_difficult_void: false })], [1, 1, 1]);
});

const BACK = { ...makeObject("back", [11, 11, 60, 60]), rings: [], depth: 0, open: null };
const FRONT = { ...makeObject("front", [31, 31, 90, 90]), rings: [], depth: 1, open: null };

/**
 * @param {Editor} editor
 * @param {number[]} corners
 */
const draw = (editor, corners) => outline.closeOutline(outline.addCorners(editor, cornersOf([corners])));
const SQUARE = [20, 20, 50, 20, 50, 50, 20, 50];
const open = () => makeEditor([BACK, FRONT], "back");
const ringsIn = (/** @type {Editor} */ editor, at = 0) => objectsIn(editor)[at].rings;
const areaOf = (/** @type {Editor} */ editor) =>
  fillRings(ringsIn(editor) ?? [], editor.size).reduce((sum, pixel) => sum + pixel, 0);

test("clicks and freehand lines make one outline, and undo takes each of them back", () => {
  const clicked = outline.addCorners(outline.addCorners(open(), [[20, 20]]), [[50, 20]]);
  const traced = outline.addCorners(clicked, [
    [50.2, 30],
    [50, 40.1],
    [49.8, 50],
  ]);
  const closed = outline.closeOutline(outline.addCorners(traced, [[20, 50]]));
  assert.deepEqual(ringsIn(closed), [[20, 20, 50, 20, 50, 30, 50, 50, 20, 50]]);
  const [before] = objectsIn(undoLast(undoLast(undoLast(closed))));
  assert.deepEqual(before.open?.points, [20, 20, 50, 20]);
  assert.equal(outline.closeOutline(clicked).refusal, "few_corners");
});

test("corners near a side of the checked box snap to it", () => {
  assert.deepEqual(snapCorner([12.4, 57.6], BACK, [500, 375]), [10, 60]);
  assert.deepEqual(snapCorner([14.4, 56], BACK, [500, 375]), [14, 56]);
  assert.deepEqual(snapCorner([12, 200], BACK, [500, 375]), [12, 200]);
  assert.deepEqual(snapCorner([-4, 400], BACK, [500, 375]), [0, 375]);
});

test("a piece apart adds a ring, a piece across joins, a hole inside or across takes away", () => {
  const hole = outline.addCorners({ ...draw(open(), SQUARE), armed: { kind: "hole" } }, [[30, 30]]);
  const cut = outline.closeOutline(
    outline.addCorners(hole, [
      [40, 30],
      [40, 40],
      [30, 40],
    ]),
  );
  assert.deepEqual([ringsIn(cut)?.length, areaOf(cut)], [2, 800]);
  const apart = draw({ ...cut, armed: { kind: "piece" } }, [52, 20, 56, 20, 56, 30, 52, 30]);
  assert.deepEqual([ringsIn(apart)?.length, areaOf(apart)], [3, 840]);
  const across = draw({ ...apart, armed: { kind: "piece" } }, [35, 20, 45, 20, 45, 55, 35, 55]);
  assert.equal(areaOf(across), 840 + 50 + 50);
});

test("corners are moved, added and removed", () => {
  const drawn = draw(open(), SQUARE);
  assert.deepEqual(ringsIn(outline.editCorner(drawn, 1, [45, 25])), [[20, 20, 45, 25, 50, 50, 20, 50]]);
  const added = outline.editCorner(drawn, 1, [54, 35], { isNew: true });
  assert.deepEqual(ringsIn(added), [[20, 20, 50, 20, 54, 35, 50, 50, 20, 50]]);
  assert.deepEqual(ringsIn(outline.removeSome(added)), [SQUARE]);
  const none = [0, 0, 0].reduce((editor) => outline.editCorner(editor, 0, null), drawn);
  assert.deepEqual(ringsIn(none), []);
});

test("the eraser removes what the brush added, pixel for pixel", () => {
  const dot = outline.brush(open(), [[30, 30]], 4, false);
  assert.equal(areaOf(dot), 12);
  const line = outline.brush(
    dot,
    [
      [30, 30],
      [40, 30],
    ],
    4,
    false,
  );
  assert.equal(areaOf(line), 52);
  assert.equal(
    areaOf(
      outline.brush(
        line,
        [
          [30, 30],
          [40, 30],
        ],
        4,
        true,
      ),
    ),
    0,
  );
});

test("a proposal that is hardly more than the box, or hardly anything, is uncertain", () => {
  const ringOf = (/** @type {number} */ right) => [10, 10, right, 10, right, 60, 10, 60];
  const judge = (/** @type {number[][]} */ rings) => outline.isUncertain(rings, [11, 11, 60, 60], [500, 375]);
  assert.deepEqual(
    [60, 56, 54, 24, 21].map((right) => judge([ringOf(right)])),
    [true, true, false, false, true],
  );
  assert.equal(judge([ringOf(90)]), true);
  assert.equal(judge([]), true);
});

test("nothing is proposed on what a person has drawn", () => {
  const proposal = { key: "back", rings: [SQUARE], add: [], remove: [], isRemoving: false };
  const tool = /** @type {const} */ ({ ...PLAIN.segmentTool, proposal });
  const seen = (/** @type {Editor} */ editor) => proposalFor(tool, selectedObject(editor));
  assert.equal(seen(open()), proposal);
  assert.equal(seen(outline.addCorners(open(), [[20, 20]])), null);
  assert.equal(seen(draw(open(), SQUARE)), null);
});

test("the front object covers, difficult objects and void regions are void, and depth can be changed", () => {
  const both = draw(
    select(draw(open(), SQUARE), { key: "front", part: null }),
    [40, 40, 80, 40, 80, 80, 40, 80],
  );
  const at = (/** @type {Editor} */ editor, isWithVoid = false) => {
    const labels = labelPixels(objectsIn(editor), editor.size);
    return (isWithVoid ? addVoid(labels, objectsIn(editor), editor.size) : labels)[45 * editor.size[0] + 45];
  };
  assert.equal(at(both), 2);
  const forward = outline.moveInDepth(select(both, { key: "back", part: null }), 1);
  assert.equal(at(forward), 1);
  assert.equal(outline.moveInDepth(forward, 1).refusal, "in_front");
  const region = draw(outline.addVoidRegion(forward, "v"), [30, 30, 60, 30, 60, 60, 30, 60]);
  assert.equal(at(region, true), VOID);
  assert.equal(outline.nextUndrawn(objectsIn(region), "v"), null);
});

const BOXES = [makeObject("big", [1, 1, 90, 90]), makeObject("small", [20, 20, 40, 40])].map(
  ({ truncatedBy, ...object }) => ({ ...object, drawn_secs: 3 }),
);

/**
 * @param {number} depth
 * @param {string | null} key
 */
const segment = (depth, key) => ({ object_key: key, depth, rings: [SQUARE] });

/**
 * @param {ReturnType<typeof segment>[]} segments
 * @param {string[]} [changed]
 */
const openObjects = (segments, changed = []) =>
  openSegmentation(
    { id: 7, is_finished: false, person: { id: 1, name: "ann", role: "annotator" }, segments },
    BOXES,
    changed,
  ).objects;
const summarise = (/** @type {any[]} */ objects) =>
  objects.map(({ key, depth, rings }) => [key, depth, rings.length]);

test("objects open with their drawings, the smallest in front by default", () => {
  assert.deepEqual(summarise(openSegmentation(null, BOXES, []).objects), [
    ["big", 0, 0],
    ["small", 1, 0],
  ]);
  const both = [segment(5, "big"), segment(3, "small"), segment(9, null)];
  assert.deepEqual(summarise(openObjects(both)), [
    ["big", 1, 1],
    ["small", 0, 1],
    ["void-0", 2, 1],
  ]);
  assert.deepEqual(summarise(openObjects(both, ["big"])).slice(0, 2), [
    ["big", 0, 0],
    ["small", 1, 1],
  ]);
});

test("an outline that crosses itself, leaves its box or is empty is reported", () => {
  const drawn = draw(open(), [20, 20, 50, 50, 50, 20, 20, 50]);
  const reasons = listFindings(objectsIn(drawn), drawn.size).map(({ key, reason }) => `${key}: ${reason}`);
  assert.deepEqual(reasons, [
    "back: Differs from its box by 20 % of a side.",
    "back: The outline crosses itself. Check what is filled.",
    "front: No visible pixels.",
  ]);
  const far = listFindings(objectsIn(draw(open(), [11, 11, 70, 11, 70, 60, 11, 60])), drawn.size);
  assert.equal(far[0].reason, "Extends 10 pixels beyond its box.");
});

/** @type {import("#app/segment/tools.js").Wire} */
const NO_WIRE = { fix: (editor) => editor, close: (editor) => editor };

/**
 * @param {Editor} editor
 * @param {[number, number][]} path pressed, moved along and let go
 */
function drag(editor, path) {
  const pick = makePicker(
    () => PLAIN.segmentTool,
    () => {},
    NO_WIRE,
    () => {},
  );
  const how = /** @type {const} */ ({ reachPx: 4, slackPx: 2, drawing: "drag", isPicking: false });
  const start = press({ editor, cursor: IDLE_CURSOR }, path[0], how, pick);
  const moved = path.slice(1).reduce(moveCursor, start);
  return lift(moved, path[path.length - 1], "new").editor;
}

for (const kind of /** @type {const} */ (["outline", "brush", "eraser"])) {
  test(`a stroke of the ${kind} changes the object on which it began`, () => {
    const drawn = outline.setRings(open(), [SQUARE]);
    const begun = selectedObject(drawn)?.key ?? "";
    const path = /** @type {[number, number][]} */ ([
      [50, 50],
      [53, 53],
      [55, 55],
    ]);
    const how = /** @type {const} */ ({ reachPx: 4, slackPx: 2, drawing: "drag", isPicking: false });
    const pick = makePicker(
      () => ({ ...PLAIN.segmentTool, kind, widthPx: 8 }),
      () => {},
      NO_WIRE,
      () => {},
    );
    const moved = path
      .slice(1)
      .reduce(moveCursor, press({ editor: drawn, cursor: IDLE_CURSOR }, path[0], how, pick));
    const other = { ...moved, editor: selectNext(moved.editor, 1) };
    assert.notEqual(selectedObject(other.editor)?.key, begun);
    const undisturbed = lift(moved, path[2], "new").editor;
    assert.notEqual(objectsIn(undisturbed), objectsIn(drawn));
    assert.deepEqual(objectsIn(lift(other, path[2], "new").editor), objectsIn(undisturbed));
  });
}

test("presses set corners until one closes the outline, then move, add and select corners", () => {
  /** @type {[number, number][]} */
  const corners = [
    [20, 20],
    [50, 20],
    [50, 50],
    [20, 50],
  ];
  const [a, b, c, d] = corners;
  const closed = [[a], [b], [c], [d], [[21, 21]]].reduce(
    (editor, path) => drag(editor, /** @type {[number, number][]} */ (path)),
    open(),
  );
  assert.deepEqual(ringsIn(closed), [SQUARE]);
  assert.deepEqual(
    ringsIn(
      drag(closed, [
        [51, 51],
        [53, 53],
        [55, 55],
      ]),
    ),
    [[20, 20, 50, 20, 55, 55, 20, 50]],
  );
  assert.deepEqual(
    ringsIn(
      drag(closed, [
        [35, 21],
        [35, 15],
      ]),
    ),
    [[20, 20, 35, 15, 50, 20, 50, 50, 20, 50]],
  );
  assert.equal(drag(closed, [b]).selection?.part, 1);
  assert.equal(drag(closed, [[85, 85]]).selection?.key, "front");
  const traced = drag(open(), [
    [20, 20],
    [30, 20],
    [40, 21],
    [50, 20],
  ]);
  assert.deepEqual(objectsIn(traced)[0].open?.points, [20, 20, 40, 21, 50, 20]);
});

/**
 * What a press that goes along a path tells the model, and the strokes on what is proposed.
 * @param {Editor} editor
 * @param {readonly (readonly [number, number])[]} path
 * @param {{isGathering?: boolean, isProposed?: boolean}} [how]
 */
function clickFor(editor, path, { isGathering = false, isProposed = false } = {}) {
  const key = selectedObject(editor)?.key ?? "";
  const proposal = isProposed ? { key, rings: [SQUARE], add: [], remove: [], isRemoving: false } : null;
  const clicks = /** @type {unknown[]} */ ([]);
  let strokes = 0;
  const pick = makePicker(
    () => ({ ...PLAIN.segmentTool, kind: "click", proposal }),
    () => (strokes += 1),
    NO_WIRE,
    (at, isRemoving) => clicks.push([at, isRemoving]),
  );
  const pointer = /** @type {const} */ ({ reachPx: 4, slackPx: 2, drawing: "drag", isPicking: false });
  const start = press({ editor, cursor: IDLE_CURSOR }, path[0], { ...pointer, isGathering }, pick);
  const moved = path.slice(1).reduce(moveCursor, start);
  const after = lift(moved, path[path.length - 1], "new").editor;
  return { clicks, strokes, isChanged: after !== editor };
}

test("a click asks the model, with Shift for what does not belong, and draws nothing", () => {
  const asked = { clicks: [[[30, 30], false]], strokes: 0, isChanged: false };
  assert.deepEqual(clickFor(open(), [[30, 30]]), asked);
  assert.deepEqual(clickFor(open(), [[30, 30]], { isGathering: true }).clicks, [[[30, 30], true]]);
});

test("a click on what is proposed asks again, a drag is a stroke", () => {
  const path = /** @type {[number, number][]} */ ([
    [30, 30],
    [50, 30],
  ]);
  assert.equal(clickFor(open(), [[30, 30]], { isProposed: true }).clicks.length, 1);
  assert.deepEqual(clickFor(open(), path, { isProposed: true }), {
    clicks: [],
    strokes: 1,
    isChanged: false,
  });
});

test("where something is drawn, or a void region is selected, no click asks the model", () => {
  assert.deepEqual(clickFor(outline.setRings(open(), [SQUARE]), [[30, 30]]).clicks, []);
  assert.deepEqual(clickFor(outline.addVoidRegion(open(), "void"), [[30, 30]]).clicks, []);
});

test("an outline keeps the set that it came from until nothing of it is left", () => {
  const setOf = (/** @type {Editor} */ editor) => selectedObject(editor)?.suggestion_set_id;
  const accepted = outline.setRings(open(), [SQUARE], 7);
  const corrected = outline.brush(outline.editCorner(accepted, 0, [12, 12]), [[50, 50]], 6, false);
  assert.equal(setOf(corrected), 7);
  assert.equal(setOf(undoLast(corrected)), 7);
  const emptied = outline.removeSome(
    select(corrected, { key: selectedObject(corrected)?.key ?? "", part: null }),
  );
  const drawn = outline.brush(emptied, [[50, 50]], 6, false);
  assert.equal(setOf(drawn) ?? null, null);
  assert.deepEqual(
    packed(corrected).map((segment) => segment.suggestion_set_id),
    [7],
  );
});

/** @param {Editor} editor */
function packed(editor) {
  const entry = /** @type {any} */ ({ objects: objectsIn(editor), saving: {}, boxesId: 1 });
  return packSegmentation(entry, null, "key", 0, 0).segments;
}

test("a drawing says whether an outline is as the model gave it", () => {
  const wordsOf = (/** @type {Editor} */ editor) => packed(editor).map(({ suggested }) => suggested);
  const accepted = outline.setRings(open(), [SQUARE], 7);
  assert.deepEqual(wordsOf(accepted), ["accepted"]);
  const corrected = outline.editCorner(accepted, 0, [12, 12]);
  assert.deepEqual(wordsOf(corrected), ["corrected"]);
  assert.deepEqual(wordsOf(undoLast(corrected)), ["accepted"]);
  assert.deepEqual(wordsOf(outline.setRings(open(), [SQUARE])), [null]);
  for (const suggested of /** @type {const} */ (["accepted", "corrected"])) {
    const [segment] = packed(accepted);
    const person = { id: 1, name: "ann" };
    const saved = { id: 1, is_finished: false, person, segments: [{ ...segment, suggested }] };
    const boxes = objectsIn(accepted).map(({ key, box }) => ({ key, box }));
    const again = openSegmentation(/** @type {any} */ (saved), /** @type {any} */ (boxes), []);
    const entry = /** @type {any} */ ({ objects: again.objects, saving: {}, boxesId: 1 });
    assert.equal(packSegmentation(entry, null, "key", 0, 0).segments[0].suggested, suggested);
  }
});

test("the model is asked after until it is ready, and not for an image that was left", async () => {
  const later = /** @type {(() => void)[]} */ ([]);
  const states = /** @type {any[]} */ ([]);
  const asked = /** @type {number[]} */ ([]);
  let show = /** @type {(model: any) => void} */ (() => {});
  const store = { follow: (/** @type {any} */ follow) => (show = follow) };
  let state = /** @type {"preparing" | "ready"} */ ("preparing");
  const api = {
    outlineModel: async (/** @type {number} */ imageId) => {
      asked.push(imageId);
      return { state, name: "sam 1", reason: "" };
    },
  };
  const keep = (/** @type {any} */ change) => states.push(change(PLAIN.segmentTool).outlineModel);
  const open = (/** @type {number} */ id) => show({ page: "segment", work: { task: { image_id: id } } });
  const settle = () => new Promise((done) => setTimeout(done));
  watchOutlineModel(store, api, keep, (act) => later.push(act));
  open(1);
  for (let turn = 0; turn < 8; turn += 1) {
    await settle();
    later.pop()?.();
  }
  await settle();
  assert.deepEqual([asked.length, states.at(-1).isSlow, states[0].isSlow], [9, true, false]);
  state = "ready";
  later.pop()?.();
  await settle();
  assert.deepEqual([states.at(-1).state, later.length], ["ready", 0]);
  state = "preparing";
  open(2);
  await settle();
  open(3);
  await settle();
  const count = asked.length;
  later.shift()?.();
  await settle();
  assert.equal(asked.length, count);
});

test("the model is asked after again when the server was away and when a click got no outline", async () => {
  const later = /** @type {(() => void)[]} */ ([]);
  const states = /** @type {string[]} */ ([]);
  let show = /** @type {(model: any) => void} */ (() => {});
  const store = { follow: (/** @type {any} */ follow) => (show = follow) };
  const answers = /** @type {(string | Error)[]} */ ([
    new NoAnswer("away"),
    "ready",
    "preparing",
    "ready",
    new Refused(409, { code: "lease_lost", message: "not yours" }, {}, 0),
  ]);
  const api = {
    outlineModel: async () => {
      const answer = answers.shift() ?? "ready";
      if (answer instanceof Error) throw answer;
      return { state: /** @type {"ready"} */ (answer), name: "sam 1", reason: "" };
    },
  };
  const keep = (/** @type {any} */ change) => states.push(change(PLAIN.segmentTool).outlineModel.state);
  const settle = () => new Promise((done) => setTimeout(done));
  const { askAgain } = watchOutlineModel(store, api, keep, (act) => later.push(act));
  show({ page: "segment", work: { task: { image_id: 1 } } });
  await settle();
  assert.deepEqual([states, later.length], [[], 1]);
  later.pop()?.();
  await settle();
  assert.deepEqual([states, later.length], [["ready"], 0]);
  askAgain();
  await settle();
  later.pop()?.();
  await settle();
  assert.deepEqual(states, ["ready", "preparing", "ready"]);
  askAgain();
  await settle();
  assert.deepEqual([states.length, later.length], [3, 0]);
});

test("clicks set corners again where the model gives no outlines", async () => {
  for (const [state, kind] of /** @type {const} */ ([
    ["ready", "click"],
    ["preparing", "click"],
    ["failed", "outline"],
    ["none", "outline"],
  ])) {
    let show = /** @type {(model: any) => void} */ (() => {});
    const store = { follow: (/** @type {any} */ follow) => (show = follow) };
    const api = { outlineModel: async () => ({ state, name: "sam 1", reason: "" }) };
    const tools = /** @type {string[]} */ ([]);
    const keep = (/** @type {any} */ change) =>
      tools.push(change({ ...PLAIN.segmentTool, kind: "click" }).kind);
    watchOutlineModel(store, api, keep, () => null);
    show({ page: "segment", work: { task: { image_id: 1 } } });
    await new Promise((done) => setTimeout(done));
    assert.deepEqual(tools, [kind], state);
  }
});

test("clicks for the model stay from image to image, what it said does not", () => {
  const told = /** @type {const} */ ({ state: "ready", name: "sam", reason: "", isSlow: false });
  const next = toolOfNext({ ...PLAIN.segmentTool, kind: "click", outlineModel: told });
  assert.deepEqual([next.kind, next.outlineModel], ["click", null]);
});
