import assert from "node:assert/strict";
import { PLAIN } from "#app/state/model.js";
import { test } from "node:test";
import { findEdges, MOST_COST } from "#app/segment/edges.js";
import * as outline from "#app/segment/outline.js";
import { fillRings } from "#app/segment/rings.js";
import { makePicker } from "#app/segment/tools.js";
import { closeAlong, createTracer, fixPiece, leadTo } from "#app/segment/wire.js";
import { objectsIn, redoLast, select, stepBack, undoLast } from "#app/state/editor.js";
import { clickByKey, lift, press } from "#app/tools/cursor.js";
import { IDLE_CURSOR, makeEditor, makeObject } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {Point, Size} from "#app/geometry/types.js" */
/** @import {Editor} from "#app/state/types.js" */

const SIZE = /** @type {Size} */ ([120, 100]);
const WHOLE = { left: 0, top: 0, right: SIZE[0], bottom: SIZE[1] };
const MIDDLE = /** @type {const} */ ([60, 50]);
const RADIUS = 30;

/**
 * The edges of a made picture.
 * @param {(x: number, y: number) => number} level of a pixel
 * @param {Size} [size]
 */
function edgesOfPicture(level, [width, height] = SIZE) {
  const rgba = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let at = 0; at < width * height; at += 1)
    rgba.fill(level(at % width, Math.floor(at / width)), 4 * at, 4 * at + 3);
  const slices = findEdges(rgba, [width, height]);
  for (;;) {
    const { value } = slices.next();
    if (value) return value;
  }
}

/** @param {(x: number, y: number) => number} level */
const tracePicture = (level) => createTracer(edgesOfPicture(level), SIZE);
const disc = (/** @type {number} */ x, /** @type {number} */ y) =>
  Math.hypot(x + 0.5 - MIDDLE[0], y + 0.5 - MIDDLE[1]) < RADIUS ? 200 : 60;

/** How far the points lie from the rim of the disc. @param {readonly Point[]} points */
const offRim = (points) =>
  Math.max(...points.map(([x, y]) => Math.abs(Math.hypot(x - MIDDLE[0], y - MIDDLE[1]) - RADIUS)));

test("the line between two clicks on the rim of a disc follows the rim", () => {
  const way = tracePicture(disc)([30, 50], [60, 20], WHOLE);
  assert.deepEqual(
    [way[0], way.at(-1)],
    [
      [30, 50],
      [60, 20],
    ],
  );
  assert(offRim(way) <= 1.5, String(offRim(way)));
  assert(way.every(([x, y]) => x <= 61 && y <= 51));
});

testProperty("the sides of a square are followed through noise, around its corner", 8, (random) => {
  const noise = Array.from({ length: SIZE[0] * SIZE[1] }, () => random.between(-25, 25));
  const square = (/** @type {number} */ x, /** @type {number} */ y) =>
    (x >= 30 && x < 90 && y >= 20 && y < 80 ? 190 : 70) + noise[y * SIZE[0] + x];
  const way = tracePicture(square)([30, 60], [70, 20], WHOLE);
  const offSide = way.map(([x, y]) => Math.min(Math.abs(x - 30), Math.abs(y - 20)));
  assert(Math.max(...offSide) <= 3);
});

testProperty("where there is no edge, the line is straight", 20, (random) => {
  const inside = () => /** @type {Point} */ ([random.whole(40, 80), random.whole(40, 60)]);
  const from = inside();
  const to = inside();
  assert.deepEqual(tracePicture(() => 128)(from, to, WHOLE), [from, to]);
});

testProperty("a second search from the same corner finds what a first one does", 10, (random) => {
  const noise = Array.from({ length: SIZE[0] * SIZE[1] }, () => random.whole(0, 255));
  const level = (/** @type {number} */ x, /** @type {number} */ y) => noise[y * SIZE[0] + x];
  const trace = tracePicture(level);
  const from = random.corner(SIZE);
  for (let move = 0; move < 6; move += 1) {
    const to = random.corner(SIZE);
    assert.deepEqual(trace(from, to, WHOLE), tracePicture(level)(from, to, WHOLE));
  }
});

testProperty("a line has its ends, stays in its frame and goes on from corner to corner", 20, (random) => {
  const noise = Array.from({ length: SIZE[0] * SIZE[1] }, () => random.whole(0, 255));
  const frame = { left: 10, top: 20, right: 70, bottom: 90 };
  const within = () => /** @type {Point} */ ([random.whole(10, 70), random.whole(20, 90)]);
  const from = within();
  const to = within();
  const way = tracePicture((x, y) => noise[y * SIZE[0] + x])(from, to, frame);
  assert.deepEqual([way[0], way.at(-1)], [from, to]);
  assert(way.every(([x, y]) => x >= 10 && x <= 70 && y >= 20 && y <= 90));
  const steps = way
    .slice(1)
    .map(([x, y], at) => Math.max(Math.abs(x - way[at][0]), Math.abs(y - way[at][1])));
  assert(way.length === 2 || steps.every((step) => step <= 1));
});

test("an object that ends at the border of the picture is followed along the border", () => {
  const ground = (/** @type {number} */ _, /** @type {number} */ y) => (y > 70 ? 180 : 60);
  const way = tracePicture(ground)([20, 0], [100, 0], WHOLE);
  assert(way.every(([, y]) => y === 0));
});

test("corners of a larger picture are found on the edges of a smaller copy", () => {
  const size = /** @type {Size} */ ([2 * SIZE[0] - 1, 2 * SIZE[1]]);
  const frame = { left: 0, top: 0, right: size[0], bottom: size[1] };
  const way = createTracer(edgesOfPicture(disc), size)([61, 101], [121, 41], frame);
  assert.deepEqual(
    [way[0], way.at(-1)],
    [
      [61, 101],
      [121, 41],
    ],
  );
  assert(offRim(way.map(([x, y]) => [x / 2, y / 2])) <= 2);
  assert(way.flat().every(Number.isInteger));
});

test("pictures of a few pixels have edges at their border alone", () => {
  for (const size of /** @type {Size[]} */ ([
    [1, 1],
    [2, 3],
    [4, 4],
  ])) {
    const { costs } = edgesOfPicture(() => 9, size);
    assert.equal(costs.length, (size[0] + 1) * (size[1] + 1));
    assert(costs[0] < MOST_COST);
    const trace = createTracer(
      edgesOfPicture(() => 9, size),
      size,
    );
    const frame = { left: 0, top: 0, right: size[0], bottom: size[1] };
    assert.deepEqual(trace([0, 0], size, frame).at(-1), size);
  }
});

const OBJECT = { ...makeObject("a", [31, 21, 90, 80]), rings: [], depth: 0, open: null };
const traceDisc = tracePicture(disc);

/** A press of the wire as on the page, where the picture shows the disc. */
const pick = makePicker(
  () => ({ ...PLAIN.segmentTool, kind: "wire" }),
  () => {},
  { fix: (editor, at) => fixPiece(traceDisc, editor, at), close: (editor) => closeAlong(traceDisc, editor) },
  () => {},
);
const POINTER = /** @type {const} */ ({ reachPx: 4, slackPx: 2, drawing: "drag", isPicking: false });
const start = () => ({ ...makeEditor([OBJECT], "a"), size: SIZE });

/** @type {(editor: Editor, at: Point) => Editor} */
const click = (editor, at) =>
  lift(press({ editor, cursor: IDLE_CURSOR }, at, POINTER, pick), at, "new").editor;
const RIM = /** @type {Point[]} */ ([
  [30, 50],
  [60, 20],
  [90, 50],
  [60, 80],
]);

test("four clicks and one on the first corner outline the disc with few corners", () => {
  const closed = [...RIM, /** @type {Point} */ ([31, 51])].reduce(click, start());
  const [ring] = objectsIn(closed)[0].rings ?? [];
  assert(ring.length / 2 < 40, `${ring.length / 2} corners`);
  assert(ring.every(Number.isInteger));
  const filled = fillRings([ring], SIZE);
  const wrong = filled.filter(
    (pixel, at) => (disc(at % SIZE[0], Math.floor(at / SIZE[0])) === 200) !== (pixel === 1),
  );
  assert(wrong.length < 0.04 * Math.PI * RADIUS ** 2, `${wrong.length} pixels`);
});

test("Escape takes one piece back after the other, and undo and redo go by pieces", () => {
  const lengths = (/** @type {Editor} */ editor) => objectsIn(editor)[0].open?.points.length ?? 0;
  const first = click(start(), RIM[0]);
  const second = click(first, RIM[1]);
  const third = click(second, RIM[2]);
  assert(lengths(second) > 4 && lengths(third) > lengths(second));
  assert.deepEqual(
    [third, outline.dropPiece(third), outline.dropPiece(outline.dropPiece(third))].map(lengths),
    [third, second, first].map(lengths),
  );
  assert.equal(objectsIn([1, 2, 3].reduce(outline.dropPiece, third))[0].open, null);
  assert.equal(lengths(undoLast(third)), lengths(second));
  assert.equal(lengths(redoLast(undoLast(third))), lengths(third));
  const cut = outline.removeSome(third);
  assert.equal(lengths(outline.dropPiece(cut)), lengths(second));
});

test("a hole whose first corner is taken back is begun again, until Escape disarms it", () => {
  const drawn = { ...OBJECT, rings: [[31, 21, 90, 21, 90, 80, 31, 80]] };
  const plain = { ...makeEditor([drawn], "a"), size: SIZE };
  /** @type {((editor: Editor) => Editor)[]} */
  const ways = [outline.dropPiece, outline.dropOutline, outline.removeSome, undoLast];
  for (const kind of /** @type {const} */ (["hole", "piece"])) {
    const begun = click({ ...plain, armed: { kind } }, [50, 40]);
    assert.equal(begun.armed, null);
    for (const takeBack of ways) {
      const back = takeBack(begun);
      assert.deepEqual(back.armed, { kind }, takeBack.name);
      const again = click(back, [52, 40]);
      assert.equal(objectsIn(again)[0].open?.isHole, kind === "hole");
      assert.deepEqual(objectsIn(stepBack(back)), objectsIn(plain));
      assert.equal(stepBack(back).armed, null);
      assert.deepEqual(outline.removeSome(back), stepBack(back)); // pressed once too often, it deletes nothing
    }
  }
  assert.equal(outline.dropPiece(click(start(), RIM[0])).armed, null);
});

test("a second click on the same place adds nothing, and after two clicks the way back is straight", () => {
  const once = click(start(), RIM[0]);
  assert.equal(click(once, RIM[0]).refusal, "few_corners");
  const twice = click(once, RIM[1]);
  assert.equal(objectsIn(click(twice, RIM[1])), objectsIn(twice));
  const [{ open }] = objectsIn(twice);
  assert.deepEqual(objectsIn(click(twice, RIM[0]))[0].rings, [open?.points]);
});

test("once what the third click added is deleted again, the way back is straight", () => {
  let editor = RIM.slice(0, 3).reduce(click, start());
  const twice = RIM.slice(0, 2).reduce(click, start());
  const lengthOf = (/** @type {Editor} */ drawn) => objectsIn(drawn)[0].open?.points.length ?? 0;
  while (lengthOf(editor) > lengthOf(twice)) editor = outline.removeSome(editor);
  const [{ open }] = objectsIn(twice);
  assert.deepEqual(objectsIn(click(editor, RIM[0]))[0].rings, [open?.points]);
});

test("keys set the corners of the line, and it belongs to the object on which it began", () => {
  const workspace = { editor: start(), cursor: { ...IDLE_CURSOR, at: RIM[0] } };
  const begun = clickByKey(workspace, RIM[0], "new", pick);
  const going = clickByKey({ ...begun, cursor: { ...begun.cursor, at: RIM[1] } }, RIM[0], "new", pick);
  assert((objectsIn(going.editor)[0].open?.points.length ?? 0) > 4);
  const held = press({ editor: going.editor, cursor: IDLE_CURSOR }, RIM[2], POINTER, pick);
  const lifted = lift({ ...held, editor: select(held.editor, null) }, RIM[2], "new");
  assert(
    (objectsIn(lifted.editor)[0].open?.points.length ?? 0) >
      (objectsIn(going.editor)[0].open?.points.length ?? 0),
  );
});

test("without edges yet, and away from the box, lines go where the clicks are", () => {
  const begun = fixPiece(null, start(), [30, 50]);
  assert.deepEqual(leadTo(null, begun, [60, 30.4]), [[60, 30]]);
  assert.deepEqual(leadTo(traceDisc, begun, [119, 99]).at(-1), [119, 99]);
  assert.deepEqual(leadTo(traceDisc, select(begun, null), [60, 30]), []);
});
