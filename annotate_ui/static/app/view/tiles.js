/** What the two judging pages share: tiles with a picture, key buttons, an empty page. */

import { byId, el } from "./dom.js";

/** @typedef {{words: string, key: string, run: () => void, kind?: string, test?: string}} KeyRow */

/**
 * @param {{picture: string | null, words: string, mark: {text: string, kind: string} | null,
 *   kind: string, isCurrent: boolean, onClick: () => void}} looks
 */
export function makeTile({ picture, words, mark, kind, isCurrent, onClick }) {
  const image = el("img", {});
  if (picture) image.src = picture;
  image.alt = "";
  image.loading = "lazy";
  return el(
    "button",
    {
      type: "button",
      class: `tile ${kind}`,
      test: "tile",
      aria: isCurrent ? { current: "true" } : {},
      on: { click: onClick },
    },
    picture ? image : null,
    mark ? el("span", { class: `mark ${mark.kind}`, text: mark.text }) : null,
    el("span", { class: "words", text: words }),
  );
}

/** @param {readonly KeyRow[]} rows */
export function fillKeys(rows) {
  const buttons = rows.map(({ words, key, run, kind, test }) =>
    el(
      "button",
      { type: "button", class: kind ?? "", test, on: { click: run } },
      el("span", { text: words }),
      el("kbd", { text: key }),
    ),
  );
  byId("keys").replaceChildren(...buttons);
}

/**
 * How far up and down lead in the grid: as many places as tiles stand in a row.
 * @param {HTMLElement} grid
 */
export function countColumns(grid) {
  return getComputedStyle(grid).gridTemplateColumns.split(" ").length;
}

/** @param {{title: string, lead: string}} words */
export function makeEmpty({ title, lead }) {
  return el(
    "div",
    { class: "empty", test: "empty" },
    el("h2", { text: title }),
    el("p", { text: lead }),
  );
}
