/** What the card of an image shows: its picture with boxes, its objects, earlier rounds of checking. */

import { HUES } from "../state/display.js";
import { countClasses } from "../state/objects.js";
import { texts } from "../texts.js";
import { el, svg } from "./dom.js";

/** @import {Boxed, Picture, Round, SentObject} from "../types.js" */

/**
 * An image with boxes on it, each of them light over dark, so that it shows on every photograph.
 * @param {Picture} picture
 * @param {readonly {box: SentObject["box"], looks: string, title: string}[]} marks
 * @param {string} [test]
 */
export function drawOn({ image_url: src, width, height }, marks, test) {
  const rects = marks.flatMap(({ box: [xmin, ymin, xmax, ymax], looks, title }) => {
    const place = { x: xmin - 1, y: ymin - 1, width: xmax - xmin + 1, height: ymax - ymin + 1 };
    const rect = (/** @type {string} */ layer) => svg("rect", { ...place, class: `${layer} ${looks}` });
    const over = rect("over");
    over.append(svg("title", {}, title));
    return [rect("under"), over];
  });
  const image = el("img", { src, alt: "", loading: "lazy", width, height });
  const boxes = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "boxes" }, ...rects);
  const figure = el("div", { class: "boxed", test }, image, boxes);
  figure.style.aspectRatio = `${width} / ${height}`;
  return figure;
}

/**
 * @param {Picture & {objects: readonly Boxed[]}} item
 * @param {readonly string[]} classNames in the party's order
 * @param {ReadonlySet<string>} [marked] keys of the objects that stand out
 */
export function boxed(item, classNames, marked = new Set()) {
  const marks = item.objects.map(({ key, box, class: name }) => {
    const hue = Math.max(classNames.indexOf(name), 0) % HUES;
    return { box, looks: `hue-${hue}${marked.has(key) ? " marked" : ""}`, title: name };
  });
  return drawOn(item, marks);
}

/**
 * The classes of the objects, each once with how many there are.
 * @type {(objects: readonly Boxed[], display: (name: string) => string) => string}
 */
export function nameObjects(objects, display) {
  return [...countClasses(objects)].map(([name, number]) => (number > 1 ? `${number} × ${display(name)}` : display(name))).join(", ");
}

/**
 * One line for each verdict, with its comments below, each with the class that it speaks of.
 * @param {readonly Round[]} rounds
 * @param {(name: string) => string} display of a class
 */
export function listRounds(rounds, display) {
  const lines = rounds.map((round) => {
    const about = round.objects.map((one) => ({ text: one.comment, of: display(one.class) }));
    return el(
      "li",
      { data: { verdict: round.verdict } },
      el("b", { text: texts.rounds.said(round.checker, round.verdict) }),
      ...(round.comment ? [el("p", { text: round.comment })] : []),
      ...about.map(({ text, of }) => el("p", {}, el("span", { class: "quiet", text: `${of}: ` }), text || "✗")),
    );
  });
  return el("ol", { class: "rounds", test: "rounds" }, ...lines);
}
