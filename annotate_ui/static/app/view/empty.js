/** What a page shows where there is nothing yet: a drawing, a sentence and one way on. */

import { el, svg } from "./dom.js";

/** A photograph with a box on it. */
const PHOTO = "M8 12h80v60H8z M8 60l22-22 18 18 14-12 26 24";
/** What is drawn over the photograph, by the page. @type {Readonly<Record<string, string>>} */
const DRAWINGS = {
  work: "M52 80l10 10 22-24",
  talk: "M50 40h42v26H66L56 76V66h-6z M60 50h22 M60 57h14",
  people: "M72 40a9 9 0 1 0 .1 0z M54 84c0-24 36-24 36 0z",
  star: "M72 46l6 13 14 2-10 10 2 14-12-7-12 7 2-14-10-10 14-2z",
};

/**
 * @param {"work" | "talk" | "people" | "star"} drawing
 * @param {{title: string, lead: string}} says
 * @param {HTMLElement | null} [way] a button or link: the one thing to do from here
 */
export function makeEmpty(drawing, { title, lead }, way = null) {
  const shapes = [svg("path", { d: PHOTO }), svg("path", { d: DRAWINGS[drawing] ?? "", class: "over" })];
  return el(
    "div",
    { class: "nothing", test: "empty" },
    svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, ...shapes),
    el("h2", { text: title }),
    el("p", { text: lead }),
    way && el("p", {}, way),
  );
}

/** A link that looks like a button, to the one thing to do. @param {string} text @param {string} href */
export function wayTo(text, href) {
  return el("a", { class: "button main", href, text, test: "empty-way" });
}
