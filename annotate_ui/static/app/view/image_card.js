/**
 * What the card of an image shows: its picture with boxes, its objects, earlier rounds of checking.
 */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @import {Boxed} from "../state/organiser.js" */
/** @import {Round} from "../types.js" */

const SVG = "http://www.w3.org/2000/svg";
const HUES = 7;

/**
 * @param {{image_url: string, width: number, height: number, objects: readonly Boxed[]}} item
 * @param {readonly string[]} classNames in the party's order
 * @param {ReadonlySet<string>} [marked] keys of the objects that stand out
 */
export function boxed(item, classNames, marked = new Set()) {
  const image = el("img", {});
  Object.assign(image, { src: item.image_url, alt: "", loading: "lazy", width: item.width, height: item.height });
  const boxes = document.createElementNS(SVG, "svg");
  boxes.setAttribute("viewBox", `0 0 ${item.width} ${item.height}`);
  boxes.setAttribute("class", "boxes");
  for (const object of item.objects) {
    const [xmin, ymin, xmax, ymax] = object.box;
    const place = { x: xmin - 1, y: ymin - 1, width: xmax - xmin + 1, height: ymax - ymin + 1 };
    const hue = Math.max(classNames.indexOf(object.class), 0) % HUES;
    const title = document.createElementNS(SVG, "title");
    title.textContent = object.class;
    for (const layer of ["under", "over"]) {
      const box = document.createElementNS(SVG, "rect");
      for (const [name, value] of Object.entries(place)) box.setAttribute(name, String(value));
      box.setAttribute("class", `${layer} hue-${hue}${marked.has(object.key) ? " marked" : ""}`);
      if (layer === "over") box.append(title);
      boxes.append(box);
    }
  }
  const figure = el("div", { class: "boxed" }, image, boxes);
  figure.style.aspectRatio = `${item.width} / ${item.height}`;
  return figure;
}

/**
 * The classes of the objects, each once with how many there are.
 * @param {readonly Boxed[]} objects
 * @param {(name: string) => string} display
 */
export function nameObjects(objects, display) {
  const counts = new Map();
  for (const object of objects) counts.set(object.class, (counts.get(object.class) ?? 0) + 1);
  return [...counts].map(([name, number]) => (number > 1 ? `${number} × ${display(name)}` : display(name))).join(", ");
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
