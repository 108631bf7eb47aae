/** The board's plots as SVG: bars on a log scale, lines over time, spreads, a matrix. */

import { addUp, decades, logScale, namesOfBins, roundTicks } from "../geometry/scales.js";
import { grouped } from "../state/board.js";
import { texts } from "../texts.js";
import { imagesAddress, svg } from "./dom.js";

/** @import {Agreement, Cell, ClassProgress, ClassSecs, Progress} from "../state/board.js" */

/** The states that a class's images are counted in. */
const FINISHED = "annotated,checking,checked,released";
const [NAME_PX, ROW_PX, MARK_PX] = [100, 15, 60];

/** @param {number} width @param {number} height @param {string} label @param {Node[]} children */
function plot(width, height, label, children) {
  const box = { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label, class: "plot" };
  return svg("svg", box, ...children);
}

/** @param {string} name @param {string} display @param {number} y */
function nameRow(name, display, y) {
  return linkClass(name, svg("text", { class: "name", x: NAME_PX - 6, y, "text-anchor": "end" }, display));
}

/** Leads to the images that a class is counted in. @param {string} name @param {Element} mark */
function linkClass(name, mark) {
  return svg("a", { href: imagesAddress({ class: name, state: FINISHED }) }, mark);
}

/**
 * Objects and images of each class on a log scale (the paper, Fig. 4), with the target as a mark.
 * @param {readonly ClassProgress[]} classes
 * @param {(one: ClassProgress) => string} sayForecast
 */
export function drawClasses(classes, sayForecast) {
  const [width, right, top] = [560, 92, 16];
  const most = Math.max(10, ...classes.flatMap((one) => [one.objects, one.target])) * 1.15;
  const scale = logScale(most, width - NAME_PX - right);
  const height = top + classes.length * ROW_PX + 2;
  const grid = decades(most).flatMap((value) => [
    svg("line", { class: "grid", x1: NAME_PX + scale(value), x2: NAME_PX + scale(value), y1: top - 2, y2: height }),
    svg("text", { class: "tick", x: NAME_PX + scale(value), y: 9, "text-anchor": "middle" }, grouped(value)),
  ]);
  const rows = classes.map((one, place) => {
    const y = top + place * ROW_PX;
    const target = NAME_PX + scale(one.target);
    return svg(
      "g",
      { class: one.images >= one.target ? "row met" : "row" },
      svg("title", {}, texts.board.classTitle(one)),
      nameRow(one.name, one.display, y + 10.5),
      svg("rect", { class: "objects", x: NAME_PX, y: y + 2, width: scale(one.objects), height: 11, rx: 1.5 }),
      svg("rect", { class: "images", x: NAME_PX, y: y + 5, width: scale(one.images), height: 5, rx: 1 }),
      ...(one.target > 0 ? [svg("line", { class: "target", x1: target, x2: target, y1: y + 1, y2: y + 14 })] : []),
      linkClass(one.name, svg("text", { class: "value", x: width - 2, y: y + 10.5, "text-anchor": "end" }, sayForecast(one))),
    );
  });
  return plot(width, height, texts.board.plots.classes, [...grid, ...rows]);
}

/** Annotated and checked images, added up bin by bin until now. @param {Progress} progress @param {string} at */
export function drawProgress({ bin_secs: binSecs, zone, bins }, at) {
  const [width, height, left, right, foot, top] = [560, 170, 44, 70, 20, 10];
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
  const grid = ticks.flatMap((tick) => [
    svg("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
    svg("text", { class: "tick", x: left - 6, y: y(tick) + 3.5, "text-anchor": "end" }, grouped(tick)),
  ]);
  const nameOf = namesOfBins(binSecs, zone);
  const names = bins.map((bin) => nameOf(bin.start_at));
  const moments = names.flatMap(({ day, name }, place) => {
    const begin = x(times[place] ?? 0);
    const isNew = binSecs < 3600 || day !== names[place - 1]?.day;
    return isNew && begin < width - right - 20 ? [svg("text", { class: "tick", x: begin, y: height - 5 }, name)] : [];
  });
  const paths = lines.map(([name, sums]) => {
    const known = sums.map((sum, place) => `${x(ends[place] ?? last)},${y(sum)}`);
    const points = [`${left},${y(0)}`, ...known, `${x(last)},${y(sums.at(-1) ?? 0)}`];
    return svg("polyline", { class: `line ${name}`, points: points.join(" ") });
  });
  let labelY = -Infinity;
  const labels = [...lines]
    .sort(([, one], [, other]) => (other.at(-1) ?? 0) - (one.at(-1) ?? 0))
    .map(([name, sums]) => {
      labelY = Math.max(y(sums.at(-1) ?? 0) + 4, labelY + 13);
      return svg("text", { class: `label ${name}`, x: width - right + 6, y: labelY }, texts.board.lines[name]);
    });
  return plot(width, height, texts.board.plots.hours, [...grid, ...thin(moments), ...paths, ...labels]);
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
  const [width, right, top] = [560, 56, 16];
  const ticks = roundTicks(Math.max(1, ...classes.map((one) => one.three_quarter_secs)));
  const most = ticks.at(-1) ?? 1;
  const x = (/** @type {number} */ secs) => NAME_PX + (secs / most) * (width - NAME_PX - right);
  const height = top + classes.length * ROW_PX + 2;
  const grid = ticks.flatMap((tick) => [
    svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top - 2, y2: height }),
    svg("text", { class: "tick", x: x(tick), y: 9, "text-anchor": "middle" }, `${tick} s`),
  ]);
  const rows = [...classes]
    .sort((one, other) => other.median_secs - one.median_secs)
    .map((one, place) => {
      const y = top + place * ROW_PX + 7.5;
      return svg(
        "g",
        { class: "row" },
        svg("title", {}, texts.board.secsTitle(one)),
        nameRow(one.class, one.display, y + 3.5),
        svg("line", { class: "spread", x1: x(one.quarter_secs), x2: x(one.three_quarter_secs), y1: y, y2: y }),
        svg("circle", { class: "median", cx: x(one.median_secs), cy: y, r: 4 }),
        svg("text", { class: "value", x: width - 2, y: y + 3.5, "text-anchor": "end" }, `${one.median_secs.toFixed(1)} s`),
      );
    });
  return plot(width, height, texts.board.plots.seconds, [...grid, ...rows]);
}

/** Who agrees with whom: the darker, the more of what either drew both drew. @param {Agreement} agreement */
export function drawAgreement({ people, cells }) {
  const [width, names, foot] = [560, 100, 22];
  const side = Math.min((width - names) / Math.max(people.length, 1), 26);
  const place = new Map(people.map((one, index) => [one.id, index]));
  const squares = cells.flatMap((cell) => [draw(cell, cell.first_id, cell.second_id), draw(cell, cell.second_id, cell.first_id)]);
  const rows = people.map((one, index) =>
    svg(
      "a",
      { href: imagesAddress({ annotator: one.name }) },
      svg("text", { class: "name", x: names - 6, y: (index + 0.5) * side + 3.5, "text-anchor": "end" }, cut(one.name)),
    ),
  );
  const height = people.length * side;
  const grid = svg("rect", { class: "ground", x: names, y: 0, width: people.length * side, height });
  const ends = texts.board.matrixEnds.map((word, end) =>
    svg("text", { class: "tick", x: names + 26 + end * 130, y: height + 16 }, word),
  );
  const keys = [0, 1].map((end) =>
    svg("rect", { class: `cell step-${end * 5}`, x: names + end * 130, y: height + 7, width: 20, height: 11 }),
  );
  return plot(width, height + foot, texts.board.plots.agreement, [grid, ...squares, ...rows, ...keys, ...ends]);

  /** @param {Cell} cell @param {number} rowId @param {number} columnId */
  function draw(cell, rowId, columnId) {
    const [row, column] = [place.get(rowId) ?? 0, place.get(columnId) ?? 0];
    const size = { width: Math.max(side - 1, 1), height: Math.max(side - 1, 1) };
    const step = Math.max(0, Math.min(5, Math.floor((cell.both.value - 0.5) * 12)));
    const square = { class: `cell step-${step}`, x: names + column * side, y: row * side, ...size };
    const address = imagesAddress({ annotator: people[row].name });
    return svg("a", { href: address }, svg("rect", square, svg("title", {}, texts.board.cellTitle(cell))));
  }
}

/** @param {string} name */
function cut(name) {
  return name.length > 15 ? `${name.slice(0, 14)}…` : name;
}
