/** The frame of the two judging pages: one tile is in front, keys judge it, calls may fail. */

import { NoAnswer, Refused } from "./api.js";
import { chordOf } from "./state/chords.js";
import { byId } from "./view/dom.js";
import { countColumns, fillKeys, fillTiles, makeEmpty } from "./view/tiles.js";

/** @typedef {import("./view/tiles.js").Tile} Tile */
/** @typedef {import("./view/tiles.js").KeyRow} KeyRow */

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
 * Which of so many tiles is in front, and the keys that change it.
 * @param {{count: () => number, show: () => void, isGrid?: () => boolean}} parts
 */
export function createCursor({ count, show, isGrid = () => true }) {
  let place = 0;
  const rest = () => {
    place = Math.min(Math.max(place, 0), Math.max(count() - 1, 0));
    return place;
  };
  const goTo = (/** @type {number} */ to) => {
    place = to;
    rest();
    show();
  };
  const row = () => (isGrid() ? countColumns(byId("tiles")) : 1);
  return {
    at: rest,
    goTo,
    keys: {
      ArrowRight: () => goTo(place + 1),
      ArrowLeft: () => goTo(place - 1),
      ArrowDown: () => goTo(place + row()),
      ArrowUp: () => goTo(place - row()),
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
 * Does what may be refused; then `undo` is run with the refusal, and its sentence is shown unless
 * `undo` gave another.
 * @param {() => Promise<void>} work
 * @param {{noAnswer: string, undo?: (refused: Refused | null) => string | void}} otherwise
 */
export async function attempt(work, { noAnswer, undo }) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof NoAnswer)) throw error;
    const refused = error instanceof Refused ? error : null;
    tell(undo?.(refused) || (refused?.message ?? noAnswer));
  }
}

/** @param {string} text */
export function tell(text) {
  byId("said").textContent = text;
}
