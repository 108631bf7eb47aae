/** The page Presence: thumbnails that show something or not, by the party's plan of questions or class by class. */

import { createSequence, openApi } from "./api.js";
import { attempt, openTiles, showTiles, tell } from "./judging.js";
import { askByClass, askByPlan } from "./presence_sources.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { showStopped } from "./view/stopped.js";

/** @import {Tile} from "./judging.js" */
/** @import {KeyRow, PresenceState, Thumbnail} from "./types.js" */

const LONGEST_MS = 600_000; // longer is a break

const api = openApi(showStopped);
const words = texts.presence;
const source = byId("tiles").dataset.asks === "questions" ? askByPlan(api) : askByClass(api);
const inSequence = createSequence();
const undoKey = { words: words.undo, key: "U", run: undo };
/** When the page came in front of the person. */
let since = performance.now();

const tiles = openTiles(
  /** @type {PresenceState} */ ({
    classes: [],
    taken: null,
    images: [],
    marked: new Map(),
    question: "asked",
    sent: [],
    page: null,
    isSaving: false,
    place: 0,
  }),
  {
    count: (state) => listAsked(state).length,
    listKeys: (state) => [...listKeys(state), ...source.keys, undoKey],
  },
);
const { get, set, at, goTo } = tiles;

document.addEventListener("visibilitychange", () => (since = performance.now()));
tiles.subscribe(show);
await attempt(async () => set(await source.open()));

/** The images of the question; the second question leaves out those that show the class. @param {PresenceState} state */
function listAsked({ images, marked, question }) {
  return question === "asked" ? images : images.filter(({ image_id: id }) => marked.get(id) !== "asked");
}

/** @param {string} name */
function take(name) {
  return inSequence(() => takeNow(name));
}

/** @param {string | null} name */
async function takeNow(name) {
  await attempt(async () => {
    set({ ...(await source.take(get(), name)), marked: new Map(), question: "asked", place: 0 });
    since = performance.now();
  });
}

/** The image in front shows what is asked for, or no longer. */
function mark() {
  const { question, isSaving, ...state } = get();
  const image = listAsked(get())[at()];
  if (!image || isSaving) return;
  const marked = new Map(state.marked);
  if (marked.get(image.image_id) === question) marked.delete(image.image_id);
  else marked.set(image.image_id, question);
  set({ marked });
}

/** Asks the second question if an image is left for it; else sends all answers, and the next images come. */
async function goOn() {
  const state = get();
  if (state.images.length === 0 || state.isSaving) return;
  if (!arePicturesThere()) return tell(words.loading);
  if (!isLast(state)) return set({ question: "other", place: 0 });
  const tookMs = Math.round(Math.min(performance.now() - since, LONGEST_MS));
  await alone(async () => {
    const { kept, answerIds, gone } = await source.send(state, tookMs);
    if (answerIds.length > 0) set({ sent: [...get().sent, answerIds] });
    await takeNow(get().taken);
    tell(words.saved(kept.length, gone));
  });
}

/** Whether no question about these images follows. @param {PresenceState} state */
function isLast({ question, marked, images }) {
  return question === source.questions.at(-1) || marked.size === images.length;
}

/** Nothing is answered unseen, as by a key that is pressed once too often. */
function arePicturesThere() {
  return [...byId("tiles").querySelectorAll("img")].every(({ complete }) => complete);
}

/** One change at a time: what is pressed until it is answered does nothing. @param {() => Promise<void>} change */
async function alone(change) {
  set({ isSaving: true });
  await inSequence(() => attempt(change));
  set({ isSaving: false });
}

/** The newest page of this visit is taken back; pressed again, the one before it. */
async function undo() {
  const { sent, isSaving } = get();
  const newest = sent.at(-1);
  if (!newest || isSaving) return;
  await alone(async () => {
    const said = await source.undo([...newest]);
    set({ sent: sent.slice(0, -1) });
    await takeNow(get().taken);
    tell(said);
  });
}

/** @param {PresenceState} state */
function show(state) {
  const { title, empty } = source.showSide(state, take);
  byId("tiles").setAttribute("aria-busy", String(state.isSaving));
  const asked = listAsked(state);
  const question = state.question === "asked" ? title : words.other;
  byId("facts").replaceChildren(
    ...(asked.length ? [el("h2", { text: question, test: "question" })] : []),
    ...(state.sent.length
      ? [el("button", { test: "undo", on: { click: undo } }, `${words.undo} `, el("kbd", { text: "U" }))]
      : []),
  );
  const onPick = (/** @type {number} */ place) => {
    goTo(place);
    mark();
  };
  showTiles(
    asked.map((image, place) => makeTile(image, place, state.marked.get(image.image_id))),
    { onPick, empty, keys: [...listKeys(state), ...source.keys] },
  );
}

/**
 * @param {PresenceState} state
 * @returns {KeyRow[]}
 */
function listKeys(state) {
  return [
    { words: words.mark, key: "X", run: mark, test: "mark" },
    {
      words: isLast(state) ? words.save(state.images.length) : words.next,
      key: "Space",
      run: goOn,
      kind: "ok",
      test: "next",
    },
  ];
}

/**
 * @param {Thumbnail} one
 * @param {number} place
 * @param {"asked" | "other" | undefined} shows
 * @returns {Tile}
 */
function makeTile({ image_id, image_url }, place, shows) {
  const mark = shows && { text: shows === "asked" ? words.isShown : words.isOther, kind: "right" };
  return {
    key: String(image_id),
    picture: image_url,
    words: "",
    mark: mark ?? null,
    kind: "",
    isCurrent: place === at(),
  };
}
