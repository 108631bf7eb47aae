/** What the two judging pages show: tiles with a picture, key buttons, an empty page. */

import { byId, el } from "./dom.js";

/** @typedef {{words: string, key: string, run: () => void, kind?: string, test?: string}} KeyRow */
/**
 * @typedef {{key: string, picture: string | null, words: string, kind: string, isCurrent: boolean,
 *   mark: {text: string, kind: string} | null}} Tile
 */

/** What each tile was filled with last. @type {WeakMap<Element, string>} */
const FILLED = new WeakMap();

/**
 * Brings the grid to these tiles; those that look as they did are left alone, so that no picture
 * flickers however many there are.
 * @param {HTMLElement} grid
 * @param {readonly Tile[]} tiles
 * @param {(at: number) => void} onPick
 */
export function fillTiles(grid, tiles, onPick) {
  const known = new Map([...grid.children].map((child) => [/** @type {HTMLElement} */ (child).dataset.key, child]));
  const rows = tiles.map((tile, at) => {
    const button = /** @type {HTMLButtonElement} */ (known.get(tile.key) ?? el("button", { type: "button", test: "tile" }));
    const looks = JSON.stringify(tile);
    if (FILLED.get(button) !== looks) fillTile(button, tile);
    FILLED.set(button, looks);
    button.onclick = () => onPick(at);
    return button;
  });
  const isSame = rows.length === grid.children.length && rows.every((row, at) => grid.children[at] === row);
  if (!isSame) grid.replaceChildren(...rows);
  grid.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/**
 * @param {HTMLButtonElement} button
 * @param {Tile} tile
 */
function fillTile(button, { key, picture, words, mark, kind, isCurrent }) {
  button.dataset.key = key;
  button.className = `tile ${kind}`;
  if (isCurrent) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
  const known = button.querySelector("img");
  const image = known ?? el("img", {});
  if (picture && image.getAttribute("src") !== picture) Object.assign(image, { alt: "", loading: "lazy", src: picture });
  button.replaceChildren(
    ...(picture ? [image] : []),
    ...(mark ? [el("span", { class: `mark ${mark.kind}`, text: mark.text })] : []),
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
