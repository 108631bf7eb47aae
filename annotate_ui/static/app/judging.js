/** The frame of the judging pages: tiles with a current one, keys that judge it, calls that may fail. */

import { explain, Refused } from "./api.js";
import { chordOf, findCommand } from "./state/chords.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { makeClassSearch } from "./view/class_search.js";
import { byId, el, fillOnce, setAttribute, syncList } from "./view/dom.js";
import { sayChord } from "./view/words.js";

/** @import {KeyRow, WaitingClass} from "./types.js" */

/**
 * A tile of a judging page; `makeFigure` makes what is no plain picture.
 * @typedef {object} Tile
 * @property {string} key
 * @property {string | null} picture
 * @property {() => HTMLElement} [makeFigure]
 * @property {string} words
 * @property {string} kind
 * @property {boolean} isCurrent
 * @property {{text: string, kind: string} | null} mark
 */

/** What a page with a side full of classes shows again when a class is searched, and takes by Enter. */
const classList = { show: () => {}, take: () => {} };
const search = makeClassSearch({ onInput: () => classList.show(), onTake: () => classList.take() });
const IN_CONTROLS = /^(Space|Enter|Arrow\w+)$/;

/**
 * The state of such a page with its current tile. A key runs its command, once however long it is
 * held; Enter does what Space does. What moves and presses belongs to the controls above and at the side while these
 * have the focus.
 * @template {{place: number}} S
 * @param {S} start
 * @param {{count: (state: S) => number, isGrid?: (state: S) => boolean, listKeys: (state: S) => readonly KeyRow[]}} parts
 */
export function openTiles(start, { count, isGrid = () => true, listKeys }) {
  const { get, update, subscribe } = createStore(start);
  const at = () => Math.min(Math.max(get().place, 0), Math.max(count(get()) - 1, 0));
  const goTo = (/** @type {number} */ place) => update((state) => ({ ...state, place }));
  const row = () =>
    isGrid(get()) ? getComputedStyle(byId("tiles")).gridTemplateColumns.split(" ").length : 1;
  /** @type {Readonly<Record<string, () => number>>} */
  const steps = { ArrowRight: () => 1, ArrowLeft: () => -1, ArrowDown: row, ArrowUp: () => -row() };

  const runOf = (/** @type {string} */ chord) =>
    listKeys(get()).find(({ key }) => key.toLowerCase() === chord.toLowerCase())?.run;

  document.addEventListener("keydown", (event) => {
    const chord = chordOf(event);
    const isAside =
      event.target instanceof Element && event.target.closest(".skip, .top, .side, .facts, form");
    if (event.target instanceof HTMLInputElement && event.target.type === "search") return;
    const repeats = listKeys(get()).some(({ key, repeats: may }) => may && key === chord);
    if ((event.repeat && !repeats) || (isAside && IN_CONTROLS.test(chord))) return;
    const command = chord === "Enter" ? runOf("Space") : findCommand(event, runOf);
    const step = steps[chord];
    if (!command && !step) return;
    event.preventDefault();
    if (command) command();
    else if (step) goTo(at() + step());
  });
  return {
    get,
    subscribe,
    /** @param {Partial<S>} change */
    set: (change) => update((state) => ({ ...state, ...change })),
    at,
    goTo,
  };
}

/**
 * The tiles and the keys below them, or what an empty page says. Unchanged tiles stay, so that no picture flickers.
 * @param {readonly Tile[]} tiles
 * @param {{onPick: (at: number) => void, keys: readonly KeyRow[], empty: {title: string, lead: string}}} around
 */
export function showTiles(tiles, { onPick, keys, empty }) {
  const grid = byId("tiles");
  const make = () => {
    const button = el("button", { test: "tile" });
    button.onclick = () => onPick([...grid.children].indexOf(button));
    return button;
  };
  if (tiles.length > 0) syncList(grid, tiles, { keyOf: ({ key }) => key, make, fill: fillTile });
  else grid.replaceChildren(makeEmpty(empty));
  grid.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  showKeys(tiles.length > 0 ? keys : []);
  document.body.dataset.screen = tiles.length > 0 ? "work" : "empty";
}

/** A button for each key that has words. @param {readonly KeyRow[]} keys */
export function showKeys(keys) {
  const named = keys.filter((row) => row.words !== "");
  const buttons = named.map(({ words, key, run, kind = "", test }) =>
    el(
      "button",
      { class: kind, test, on: { click: run } },
      el("span", { text: words }),
      el("kbd", { text: sayChord(key) }),
    ),
  );
  byId("keys").replaceChildren(...buttons);
}

/**
 * The classes to choose from, those with work first; one that another person holds cannot be taken. Gives how the
 * taken one is called, and what the page says without tiles.
 * @typedef {{title: string, lead: string}} Words
 * @param {Words & {choose: Words, classDone: Words, none: Words, heldBy?: (name: string) => string}} words
 * @param {{classes: readonly WaitingClass[], taken: string | null}} state
 * @param {(id: string) => Promise<void>} take
 */
export function showClasses({ heldBy = String, ...words }, { classes, taken }, take) {
  const listRows = () => search.pick(classes.toSorted(byWork)).map(makeRow);
  // Takes the focus from the control, so that keys go to the page.
  const blur = () => document.activeElement instanceof HTMLElement && document.activeElement.blur();
  const hasWork = (/** @type {WaitingClass} */ waiting) => waiting.waiting > 0 || waiting.id === taken;
  const byWork = (/** @type {WaitingClass} */ first, /** @type {WaitingClass} */ second) =>
    Number(hasWork(second)) - Number(hasWork(first));
  const makeRow = (/** @type {WaitingClass} */ waiting) => {
    const props = {
      test: `class-${waiting.id}`,
      disabled: Boolean(waiting.holder) || !hasWork(waiting),
      aria: /** @type {Record<string, string>} */ (waiting.id === taken ? { current: "true" } : {}),
      on: { click: () => void take(waiting.id).then(blur) },
    };
    const number = waiting.holder ? heldBy(waiting.holder) : String(waiting.waiting);
    return el(
      "li",
      {},
      el(
        "button",
        props,
        el("span", { class: "name", text: waiting.display }),
        el("span", { class: "number", text: number }),
      ),
    );
  };
  const showSide = () =>
    fillSide({ title: words.title, lead: `${words.lead} ${texts.countsAge}` }, listRows(), search.element);
  showSide();
  classList.show = showSide;
  classList.take = () =>
    /** @type {HTMLElement | null} */ (byId("side").querySelector("li > button:enabled"))?.click();
  const display = classes.find(({ id }) => id === taken)?.display ?? taken ?? "";
  const untaken = classes.some(({ waiting }) => waiting > 0) ? words.choose : words.none;
  return { display, empty: taken === null ? untaken : words.classDone };
}

/**
 * Runs work that the server may refuse. Then `undo` gets the refusal, and the server's sentence is shown
 * unless `undo` returns another. Resolves to the refusal.
 * @param {() => Promise<void>} work
 * @param {(refused: Refused | null) => string | void} [undo]
 */
export async function attempt(work, undo) {
  try {
    await work();
  } catch (error) {
    const message = explain(error, texts.noAnswer);
    const refused = error instanceof Refused ? error : null;
    tell(undo?.(refused) || message);
    return refused;
  }
  return null;
}

/** @param {string} text */
export function tell(text) {
  byId("said").textContent = text;
}

/**
 * @param {HTMLElement} button
 * @param {Tile} tile
 */
function fillTile(button, tile) {
  const { picture, makeFigure, words, mark, kind, isCurrent } = tile;
  button.className = `tile ${kind}`;
  setAttribute(button, "aria-current", isCurrent ? "true" : null);
  const image = button.querySelector("img") ?? el("img", { alt: "", loading: "lazy" });
  if (picture) setAttribute(image, "src", picture);
  fillOnce(button, [picture, mark, words], () => [
    ...(picture ? [image] : []),
    ...(makeFigure ? [makeFigure()] : []),
    ...(mark ? [el("span", { class: `mark ${mark.kind}`, text: mark.text })] : []),
    el("span", { class: "words", text: words }),
  ]);
}

/**
 * Fills the side with a heading and rows; it keeps the scroll position, and what stands between stays.
 * @param {{title: string, lead: string}} words
 * @param {HTMLElement[]} rows
 * @param {HTMLElement | null} [between]
 */
export function fillSide({ title, lead }, rows, between = null) {
  const side = byId("side");
  const top = side.scrollTop;
  const list = side.querySelector("ul") ?? el("ul");
  const heading = side.querySelector("h1") ?? el("h1");
  const leading = side.querySelector("p") ?? el("p", { class: "quiet" });
  heading.textContent = title;
  leading.textContent = lead;
  list.replaceChildren(...rows);
  if (!list.isConnected) side.replaceChildren(heading, leading, ...(between ? [between] : []), list);
  side.scrollTop = top;
}

/** @param {{title: string, lead: string}} words */
export function makeEmpty({ title, lead }) {
  return el("div", { class: "empty", test: "empty" }, el("h2", { text: title }), el("p", { text: lead }));
}
