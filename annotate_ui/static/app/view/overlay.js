/** Two revisions of an image laid over one another: what was added, removed, moved and changed. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @import {Change, Picture, SentObject} from "../types.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * The image with both versions of the boxes, and a line for each change.
 * @param {Picture} picture
 * @param {readonly Change[]} changes
 * @param {readonly SentObject[]} same
 * @param {(name: string) => string} display of a class
 */
export function overlay(picture, changes, same, display) {
  const image = el("img", {});
  Object.assign(image, { src: picture.image_url, alt: "", width: picture.width, height: picture.height });
  const boxes = document.createElementNS(SVG, "svg");
  boxes.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
  boxes.setAttribute("class", "boxes");
  for (const object of same) draw(boxes, object, "same", display(object.class));
  for (const { kind, before, after } of changes) {
    const words = texts.overlay.kinds[kind];
    if (before) draw(boxes, before, after ? "was" : "removed", `${display(before.class)}: ${words}`);
    if (after) draw(boxes, after, kind, `${display(after.class)}: ${words}`);
  }
  const figure = el("div", { class: "boxed", test: "overlay" }, image, boxes);
  figure.style.aspectRatio = `${picture.width} / ${picture.height}`;
  return figure;
}

/**
 * One line for each change: "dog: moved", "cat is now dog".
 * @param {readonly Change[]} changes
 * @param {(name: string) => string} display of a class
 */
export function listChanges(changes, display) {
  const lines = changes.map((change) =>
    el("li", { class: change.kind, test: `change:${change.kind}` }, el("span", { class: "mark" }), say(change, display)),
  );
  return lines.length > 0 ? el("ul", { class: "changes" }, ...lines) : el("p", { class: "quiet", text: texts.overlay.none });
}

/** @param {Change} change @param {(name: string) => string} display */
function say({ kind, fields, before, after }, display) {
  const words = texts.overlay;
  const name = display((after ?? before)?.class ?? "");
  if (!before || !after) return `${name}: ${words.kinds[kind]}`;
  const renamed = fields.includes("class") ? words.renamed(display(before.class), name) : name;
  const rest = fields.filter((field) => field !== "class").map((field) => sayField(field, before, after));
  return [renamed, rest.join(", ")].filter(Boolean).join(": ");
}

/** @param {string} field @param {SentObject} before @param {SentObject} after */
function sayField(field, before, after) {
  const words = texts.overlay.fields[field] ?? field;
  if (field === "box") return texts.overlay.kinds.moved;
  const [from, to] = [before, after].map((object) => /** @type {any} */ (object)[field]);
  if (typeof from === "boolean") return to ? words : `not ${words}`;
  if (field === "view") return `${words} ${from} → ${to}`;
  if (field === "actions") return `${words} ${from.join(", ") || "–"} → ${to.join(", ") || "–"}`;
  return words;
}

/**
 * @param {SVGElement} boxes
 * @param {SentObject} object
 * @param {string} kind
 * @param {string} words
 */
function draw(boxes, object, kind, words) {
  for (const { box, isPart } of [{ box: object.box, isPart: false }, ...object.parts.map((part) => ({ box: part.box, isPart: true }))]) {
    const [xmin, ymin, xmax, ymax] = box;
    const place = { x: xmin - 1, y: ymin - 1, width: xmax - xmin + 1, height: ymax - ymin + 1 };
    for (const layer of ["under", "over"]) {
      const rect = document.createElementNS(SVG, "rect");
      for (const [name, value] of Object.entries(place)) rect.setAttribute(name, String(value));
      rect.setAttribute("class", `${layer} ${kind}${isPart ? " part" : ""}`);
      if (layer === "over") rect.append(title(words));
      boxes.append(rect);
    }
  }
}

/** @param {string} words */
function title(words) {
  const element = document.createElementNS(SVG, "title");
  element.textContent = words;
  return element;
}
