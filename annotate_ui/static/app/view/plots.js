/** The board's plots as SVG: bars on a log scale, lines over time, spreads, a matrix. */

import { addUp, decades, grouped, logScale, namesOfBins, roundTicks } from "../state/board.js";
import { texts } from "../organising_texts.js";
import { decimal } from "../translate.js";
import { imagesAddress, svg } from "./dom.js";

/** @import {Agreement, Cell, ClassProgress, ClassSecs, Progress} from "../state/types.js" */

/** The states that a class's images are counted in. */
const FINISHED = "annotated,checking,checked,released";
const WIDTH_PX = 560;
const NAME_PX = 100;
const ROW_PX = 15;
const TOP_PX = 16;
const MARK_PX = 60;

/**
 * @param {number} height
 * @param {string} label
 * @param {Node[]} children
 */
function plot(height, label, children) {
  const box = { viewBox: `0 0 ${WIDTH_PX} ${height}`, role: "group", "aria-label": label, class: "plot" };
  return svg("svg", box, ...children);
}

/**
 * A line of the grid with its number.
 * @param {"x" | "y"} axis
 * @param {number} at
 * @param {readonly [number, number]} ends
 * @param {string} text
 */
function gridLine(axis, at, [from, to], text) {
  const line = axis === "x" ? { x1: at, x2: at, y1: from, y2: to } : { y1: at, y2: at, x1: from, x2: to };
  const place =
    axis === "x"
      ? { x: at, y: 9, "text-anchor": "middle" }
      : { x: from - 6, y: at + 3.5, "text-anchor": "end" };
  return [svg("line", { class: "grid", ...line }), svg("text", { class: "tick", ...place }, text)];
}

/**
 * A row for each class: its name, its marks, and a value at the right.
 * @param {string} label of the plot
 * @param {readonly {at: number, text: string}[]} ticks
 * @param {readonly {id: string, display: string, title: string, value: string, looks?: string, marks: (y: number) => Element[]}[]} rows
 */
function drawRows(label, ticks, rows) {
  const height = TOP_PX + rows.length * ROW_PX + 2;
  const grid = ticks.flatMap(({ at, text }) => gridLine("x", at, [TOP_PX - 2, height], text));
  const drawn = rows.map(({ id, display, title, value, looks = "row", marks }, place) => {
    const y = TOP_PX + place * ROW_PX;
    const href = imagesAddress({ class: id, state: FINISHED });
    const text = (/** @type {string} */ kind, /** @type {number} */ x, /** @type {string} */ words) =>
      svg("a", { href }, svg("text", { class: kind, x, y: y + 10.5, "text-anchor": "end" }, words));
    const ends = [text("name", NAME_PX - 6, display), text("value", WIDTH_PX - 2, value)];
    return svg("g", { class: looks }, svg("title", {}, title), ...marks(y), ...ends);
  });
  return plot(height, label, [...grid, ...drawn]);
}

/** For the number of images, the target and the forecast of a class: at least so much, and for each letter. */
const CLASS_VALUE_PX = 140;
const LETTER_PX = 5.5;

/**
 * Objects and images of each class on a log scale (the paper, Fig. 4), with the target as a mark.
 * @type {(classes: readonly ClassProgress[], sayForecast: (one: ClassProgress) => string) => SVGElement}
 */
export function drawClasses(classes, sayForecast) {
  const most = Math.max(10, ...classes.flatMap((progress) => [progress.objects, progress.target])) * 1.15;
  const values = classes.map(sayForecast);
  const longest = Math.max(0, ...values.map(({ length }) => length));
  const scale = logScale(most, WIDTH_PX - NAME_PX - Math.max(CLASS_VALUE_PX, LETTER_PX * longest));
  const ticks = decades(most).map((value) => ({ at: NAME_PX + scale(value), text: grouped(value) }));
  const rows = classes.map((progress, place) => ({
    ...progress,
    title: texts.board.classTitle(progress),
    value: values[place],
    looks: progress.images >= progress.target ? "row met" : "row",
    marks: (/** @type {number} */ y) => {
      const target = NAME_PX + scale(progress.target);
      const bar = { x: NAME_PX, rx: 1 };
      return [
        svg("rect", { class: "objects", ...bar, y: y + 2, width: scale(progress.objects), height: 11 }),
        svg("rect", { class: "images", ...bar, y: y + 5, width: scale(progress.images), height: 5 }),
        ...(progress.target > 0
          ? [svg("line", { class: "target", x1: target, x2: target, y1: y + 1, y2: y + 14 })]
          : []),
      ];
    },
  }));
  return drawRows(texts.board.plots.classes, ticks, rows);
}

/**
 * Annotated and checked images, added up bin by bin until now.
 * @param {Progress} progress
 * @param {string} at
 */
export function drawProgress({ bin_secs: binSecs, zone, bins }, at) {
  const width = WIDTH_PX;
  const height = 170;
  const left = 44;
  const right = 70;
  const foot = 20;
  const top = 10;
  const lines = /** @type {const} */ ([
    ["annotated", addUp(bins.map((bin) => bin.annotated))],
    ["checked", addUp(bins.map((bin) => bin.checked))],
  ]);
  const ticks = roundTicks(Math.max(1, ...lines.flatMap(([, sums]) => sums.slice(-1))));
  const most = ticks.at(-1) ?? 1;
  const times = bins.map((bin) => Date.parse(bin.start_at));
  const first = times[0] ?? 0;
  const ends = times.map((time) => Math.min(time + binSecs * 1000, Date.parse(at)));
  const last = Math.max(first + 1, Date.parse(at));
  const x = (/** @type {number} */ time) => left + ((time - first) / (last - first)) * (width - left - right);
  const y = (/** @type {number} */ sum) => height - foot - (sum / most) * (height - foot - top);
  const grid = ticks.flatMap((tick) => gridLine("y", y(tick), [left, width - right], grouped(tick)));
  const nameOf = namesOfBins(binSecs, zone);
  const names = bins.map((bin) => nameOf(bin.start_at));
  const moments = names.flatMap(({ day, name }, place) => {
    const begin = x(times[place] ?? 0);
    const isNew = binSecs < 3600 || day !== names[place - 1]?.day;
    return isNew && begin < width - right - 20
      ? [svg("text", { class: "tick", x: begin, y: height - 5 }, name)]
      : [];
  });
  const paths = lines.map(([name, sums]) => {
    const known = sums.map((sum, place) => `${x(ends[place] ?? last)},${y(sum)}`);
    const points = [`${left},${y(0)}`, ...known, `${x(last)},${y(sums.at(-1) ?? 0)}`];
    return svg("polyline", { class: `line ${name}`, points: points.join(" ") });
  });
  let labelY = -Infinity;
  const labels = [...lines]
    .sort(([, first], [, other]) => (other.at(-1) ?? 0) - (first.at(-1) ?? 0))
    .map(([name, sums]) => {
      labelY = Math.max(y(sums.at(-1) ?? 0) + 4, labelY + 13);
      return svg(
        "text",
        { class: `label ${name}`, x: width - right + 6, y: labelY },
        texts.board.lines[name],
      );
    });
  return plot(height, texts.board.plots.hours, [...grid, ...thin(moments), ...paths, ...labels]);
}

/** Those that do not stand on the one before. @param {Element[]} marks from left to right */
function thin(marks) {
  let free = -Infinity;
  return marks.filter((mark) => {
    const x = Number(mark.getAttribute("x"));
    const isFree = x >= free;
    if (isFree) free = x + MARK_PX;
    return isFree;
  });
}

/** Seconds per object of each class: the middle half and the median. @param {readonly ClassSecs[]} classes */
export function drawSeconds(classes) {
  const ticks = roundTicks(Math.max(1, ...classes.map((row) => row.three_quarter_secs)));
  const x = (/** @type {number} */ secs) =>
    NAME_PX + (secs / (ticks.at(-1) ?? 1)) * (WIDTH_PX - NAME_PX - 56);
  const rows = classes
    .toSorted((first, second) => second.median_secs - first.median_secs)
    .map((row) => ({
      id: row.class,
      display: row.display,
      title: texts.board.secsTitle(row),
      value: `${decimal(row.median_secs, 1)} s`,
      marks: (/** @type {number} */ top) => {
        const y = top + ROW_PX / 2;
        const half = { x1: x(row.quarter_secs), x2: x(row.three_quarter_secs), y1: y, y2: y };
        return [
          svg("line", { class: "spread", ...half }),
          svg("circle", { class: "median", cx: x(row.median_secs), cy: y, r: 4 }),
        ];
      },
    }));
  return drawRows(
    texts.board.plots.seconds,
    ticks.map((tick) => ({ at: x(tick), text: `${tick} s` })),
    rows,
  );
}

/** Who agrees with whom: the darker, the more of what either drew both drew. @param {Agreement} agreement */
export function drawAgreement({ people, cells }) {
  const names = NAME_PX;
  const foot = 22;
  const side = Math.min((WIDTH_PX - names) / Math.max(people.length, 1), 26);
  const place = new Map(people.map((person, index) => [person.id, index]));
  const squares = cells.flatMap((cell) => [
    draw(cell, cell.first_id, cell.second_id),
    draw(cell, cell.second_id, cell.first_id),
  ]);
  const rows = people.map(({ name }, index) => {
    const place = { class: "name", x: names - 6, y: (index + 0.5) * side + 3.5, "text-anchor": "end" };
    const text = svg("text", place, name.length > 15 ? `${name.slice(0, 14)}…` : name);
    return svg("a", { href: imagesAddress({ annotator: name }) }, text);
  });
  const height = people.length * side;
  const grid = svg("rect", { class: "ground", x: names, y: 0, width: people.length * side, height });
  const ends = texts.board.matrixEnds.map((word, end) =>
    svg("text", { class: "tick", x: names + 26 + end * 130, y: height + 16 }, word),
  );
  const keys = [0, 1].map((end) =>
    svg("rect", {
      class: `cell step-${end * 5}`,
      x: names + end * 130,
      y: height + 7,
      width: 20,
      height: 11,
    }),
  );
  return plot(height + foot, texts.board.plots.agreement, [grid, ...squares, ...rows, ...keys, ...ends]);

  /**
   * @param {Cell} cell
   * @param {number} rowId
   * @param {number} columnId
   */
  function draw(cell, rowId, columnId) {
    const row = place.get(rowId) ?? 0;
    const column = place.get(columnId) ?? 0;
    const size = { width: Math.max(side - 1, 1), height: Math.max(side - 1, 1) };
    const step = Math.max(0, Math.min(5, Math.floor((cell.both.value - 0.5) * 12)));
    const square = { class: `cell step-${step}`, x: names + column * side, y: row * side, ...size };
    const address = imagesAddress({ annotator: people[row].name });
    return svg("a", { href: address }, svg("rect", square, svg("title", {}, texts.board.cellTitle(cell))));
  }
}
