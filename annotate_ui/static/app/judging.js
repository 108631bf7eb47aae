/** The frame of the two judging pages: tiles of which one is in front, keys that judge it, calls that may fail. */

import { explain, Refused } from "./api.js";
import { chordOf } from "./state/chords.js";
import { byId, createSlot, el, setAttribute, syncList } from "./view/dom.js";

/** @template T @typedef {import("./state/types.js").Store<T>} Store */

const IN_CONTROLS = /^(Space|Enter|Arrow\w+)$/;

/**
 * Runs a command for its key, once however long it is held. What moves and presses belongs to the
 * controls above and at the side while these have the focus.
 * @param {Readonly<Record<string, () => void>>} commands by chord
 */
export function listenForKeys(commands) {
  document.addEventListener("keydown", (event) => {
    const chord = chordOf(event);
    const isAside = event.target instanceof Element && event.target.closest(".skip, .top, .side, .facts, form");
    const command = isAside && IN_CONTROLS.test(chord) ? undefined : commands[chord];
    if (!command || event.repeat) return;
    event.preventDefault();
    command();
  });
}

/**
 * Which of the tiles is in front, kept in the store, and the keys that change it.
 * @template {{place: number}} S
 * @param {Store<S>} store
 * @param {{count: (state: S) => number, isGrid?: (state: S) => boolean}} parts
 */
export function createFront(store, { count, isGrid = () => true }) {
  const at = () => {
    const state = store.get();
    return Math.min(Math.max(state.place, 0), Math.max(count(state) - 1, 0));
  };
  const goTo = (/** @type {number} */ place) => store.update((state) => ({ ...state, place }));
  const row = () => (isGrid(store.get()) ? countColumns(byId("tiles")) : 1);
  return {
    at,
    goTo,
    keys: {
      ArrowRight: () => goTo(at() + 1),
      ArrowLeft: () => goTo(at() - 1),
      ArrowDown: () => goTo(at() + row()),
      ArrowUp: () => goTo(at() - row()),
    },
  };
}

/**
 * The tiles and the keys below them, or what an empty page says.
 * @param {readonly Tile[]} tiles
 * @param {{onPick: (at: number) => void, keys: readonly KeyRow[], empty: {title: string, lead: string}}} around
 */
export function showTiles(tiles, { onPick, keys, empty }) {
  const grid = byId("tiles");
  const hasTiles = tiles.length > 0;
  if (hasTiles) fillTiles(grid, tiles, onPick);
  else grid.replaceChildren(makeEmpty(empty));
  fillKeys(hasTiles ? keys : []);
  document.body.dataset.screen = hasTiles ? "work" : "empty";
}

/**
 * The classes to choose from, those with work first; one that another person holds cannot be taken.
 * @param {{title: string, lead: string, heldBy?: (name: string) => string}} words
 * @param {readonly {name: string, display: string, waiting: number, holder?: string | null}[]} classes
 * @param {string | null} taken
 * @param {(name: string) => void} take
 */
export function showClasses({ title, lead, heldBy = String }, classes, taken, take) {
  const hasWork = (/** @type {{name: string, waiting: number}} */ one) => one.waiting > 0 || one.name === taken;
  const rows = classes.toSorted((one, other) => Number(hasWork(other)) - Number(hasWork(one))).map((one) =>
    el(
      "li",
      {},
      el(
        "button",
        {
          test: `class-${one.name}`,
          disabled: Boolean(one.holder) || !hasWork(one),
          aria: one.name === taken ? { current: "true" } : {},
          on: { click: () => take(one.name) },
        },
        el("span", { class: "name", text: one.display }),
        el("span", { class: "number", text: one.holder ? heldBy(one.holder) : String(one.waiting) }),
      ),
    ),
  );
  fillSide({ title, lead }, rows);
}

/**
 * Does what may be refused; then `undo` is run with the refusal, and its sentence is shown unless
 * `undo` gave another.
 * @param {() => Promise<void>} work
 * @param {string} noAnswer
 * @param {(refused: Refused | null) => string | void} [undo]
 */
export async function attempt(work, noAnswer, undo) {
  try {
    await work();
  } catch (error) {
    const message = explain(error, noAnswer);
    tell(undo?.(error instanceof Refused ? error : null) || message);
  }
}

/** @param {string} text */
export function tell(text) {
  byId("said").textContent = text;
}

/** @typedef {{words: string, key: string, run: () => void, kind?: string, test?: string}} KeyRow */
/**
 * @typedef {{key: string, picture: string | null, words: string, kind: string, isCurrent: boolean,
 *   mark: {text: string, kind: string} | null}} Tile
 */

/**
 * Brings the grid to these tiles; those that look as they did are left alone, so that no picture
 * flickers however many there are.
 * @param {HTMLElement} grid
 * @param {readonly Tile[]} tiles
 * @param {(at: number) => void} onPick
 */
function fillTiles(grid, tiles, onPick) {
  syncList(grid, tiles, {
    keyOf: ({ key }) => key,
    make: () => {
      const click = () => onPick([...grid.children].indexOf(button));
      const button = el("button", { test: "tile", on: { click } });
      return button;
    },
    fill: fillTile,
  });
  grid.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** @param {HTMLElement} button @param {Tile} tile */
function fillTile(button, tile) {
  const { picture, words, mark, kind, isCurrent } = tile;
  button.className = `tile ${kind}`;
  setAttribute(button, "aria-current", isCurrent ? "true" : null);
  const image = button.querySelector("img") ?? el("img", { alt: "", loading: "lazy" });
  if (picture) setAttribute(image, "src", picture);
  const slot = createSlot(
    () => [
      ...(picture ? [image] : []),
      ...(mark ? [el("span", { class: `mark ${mark.kind}`, text: mark.text })] : []),
      el("span", { class: "words", text: words }),
    ],
    button,
  );
  slot.show([picture, mark, words]);
}

/** The heading at the side and the rows below it, scrolled as they were. @param {{title: string, lead: string}} words @param {HTMLElement[]} rows */
export function fillSide({ title, lead }, rows) {
  const side = byId("side");
  const top = side.scrollTop;
  side.replaceChildren(el("h1", { text: title }), el("p", { class: "quiet", text: lead }), el("ul", {}, ...rows));
  side.scrollTop = top;
}

/** @param {readonly KeyRow[]} rows */
function fillKeys(rows) {
  const buttons = rows.map(({ words, key, run, kind = "", test }) =>
    el("button", { class: kind, test, on: { click: run } }, el("span", { text: words }), el("kbd", { text: key })),
  );
  byId("keys").replaceChildren(...buttons);
}

/** How far up and down lead in the grid: as many places as tiles stand in a row. @param {HTMLElement} grid */
function countColumns(grid) {
  return getComputedStyle(grid).gridTemplateColumns.split(" ").length;
}

/** @param {{title: string, lead: string}} words */
export function makeEmpty({ title, lead }) {
  return el("div", { class: "empty", test: "empty" }, el("h2", { text: title }), el("p", { text: lead }));
}
