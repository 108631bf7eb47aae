/** A picture on which one box is drawn by pointer, next to the boxes that are known. */

import { boxOf, moveTo, setCorner } from "../state/box_by_hand.js";
import { svg } from "./dom.js";
import { drawOn } from "./image_card.js";

/** @import {AskedRow} from "../types.js" */
/** @import {BoxByHand, Xyxy} from "../state/types.js" */

/**
 * The figure, and how it is brought to what is drawn.
 * @param {AskedRow} question
 * @param {{get: () => BoxByHand, set: (drawn: BoxByHand) => void}} hand
 */
export function openBoxDrawing(question, { get, set }) {
  const marks = question.others.map((box) => ({ box, looks: "hue-0", title: "" }));
  const figure = drawOn(question, marks, "drawing");
  const boxes = figure.querySelector("svg");
  const [under, over] = ["under", "over"].map((layer) => svg("rect", { class: `${layer} hue-3 own` }));
  const cross = svg("path", { class: "cross" });
  boxes?.append(under, over, cross);
  figure.style.setProperty("--ratio", String(question.width / question.height));

  /** The pixel under the pointer, from 1. @param {PointerEvent} event @returns {[number, number]} */
  const pixelAt = (event) => {
    const { left, top, width, height } = figure.getBoundingClientRect();
    const share = [(event.clientX - left) / width, (event.clientY - top) / height];
    return [Math.floor(share[0] * question.width) + 1, Math.floor(share[1] * question.height) + 1];
  };
  figure.onpointerdown = (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    figure.setPointerCapture(event.pointerId);
    set(setCorner({ ...moveTo(get(), ...pixelAt(event)), from: null }));
  };
  figure.onpointermove = (event) => {
    if (figure.hasPointerCapture(event.pointerId)) set(moveTo(get(), ...pixelAt(event)));
  };
  figure.onpointerup = (event) => {
    if (!figure.hasPointerCapture(event.pointerId)) return;
    figure.releasePointerCapture(event.pointerId);
    set(setCorner(moveTo(get(), ...pixelAt(event))));
  };

  /** @param {BoxByHand} drawn */
  const update = (drawn) => {
    const box = boxOf(drawn);
    for (const rect of [under, over]) placeRect(rect, box);
    const { width, height, at, isDone } = drawn;
    const x = at[0] - 0.5;
    const y = at[1] - 0.5;
    cross.setAttribute("d", isDone ? "" : `M${x} 0V${height}M0 ${y}H${width}`);
  };
  return { figure, update };
}

/** @param {SVGElement} rect @param {Xyxy | null} box */
function placeRect(rect, box) {
  const [xmin, ymin, xmax, ymax] = box ?? [1, 1, 0, 0];
  const place = { x: xmin - 1, y: ymin - 1, width: xmax - xmin + 1, height: ymax - ymin + 1 };
  for (const [name, value] of Object.entries(place)) rect.setAttribute(name, String(value));
}
