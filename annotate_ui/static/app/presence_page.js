/** The presence pass: thumbnails of one class's queries; first which show the class, then which show another one. */

import { createSequence, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { attempt, openTiles, showClasses, showTiles, tell } from "./judging.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";

/** @import {Tile} from "./judging.js" */
/** @import {KeyRow, PresenceState, Thumbnail} from "./types.js" */

const api = openApi(showStopped);
const words = texts.presence;
const inSequence = createSequence();
const undoKey = { words: words.undo, key: "U", run: undo };

const tiles = openTiles(
  /** @type {PresenceState} */ ({
    classes: [],
    taken: null,
    images: [],
    marked: new Map(),
    question: "asked",
    last: [],
    isSaving: false,
    place: 0,
  }),
  { count: (state) => listAsked(state).length, listKeys: (state) => [...listKeys(state), undoKey] },
);
const { get, set, at, goTo } = tiles;

tiles.subscribe(show);
await attempt(loadClasses);

async function loadClasses() {
  set(await api.presenceClasses());
}

/** The images of the question; the second question leaves out those that show the class. @param {PresenceState} state */
function listAsked({ images, marked, question }) {
  return question === "asked" ? images : images.filter(({ image_id: id }) => marked.get(id) !== "asked");
}

/** @param {string} name */
function take(name) {
  return inSequence(() => takeNow(name));
}

/** @param {string} name */
async function takeNow(name) {
  await attempt(async () => {
    const { images } = await api.thumbnails(name);
    set({ taken: name, images, marked: new Map(), question: "asked", place: 0 });
    await loadClasses();
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
  const { taken, images, marked, question, isSaving } = get();
  if (taken === null || images.length === 0 || isSaving) return;
  if (question === "asked" && marked.size < images.length) return set({ question: "other", place: 0 });
  const answers = images.map(({ image_id }) => ({ image_id, shows: marked.get(image_id) ?? "none" }));
  await alone(async () => {
    const { kept, answer_ids } = await api.sayPresence(taken, answers);
    const gone = kept.filter((id) => !marked.has(id)).length;
    if (kept.length > 0) set({ last: answer_ids });
    await takeNow(taken);
    tell(words.saved(kept.length, gone));
  });
}

/** One change at a time: what is pressed until it is answered does nothing. @param {() => Promise<void>} change */
async function alone(change) {
  set({ isSaving: true });
  await inSequence(() => attempt(change));
  set({ isSaving: false });
}

async function undo() {
  const { last, taken, isSaving } = get();
  if (last.length === 0 || isSaving) return;
  await alone(async () => {
    const { undone } = await api.undoPresence(last);
    set({ last: [] });
    if (taken !== null) await takeNow(taken);
    tell(words.undone(undone));
  });
}

/** @param {PresenceState} state */
function show(state) {
  const { display, empty } = showClasses(words, state, take);
  byId("tiles").setAttribute("aria-busy", String(state.isSaving));
  const asked = listAsked(state);
  const title = state.question === "asked" ? words.asked(display) : words.other;
  byId("facts").replaceChildren(
    ...(asked.length ? [el("h2", { text: title, test: "question" })] : []),
    ...(state.last.length
      ? [el("button", { test: "undo", on: { click: undo } }, `${words.undo} `, el("kbd", { text: "U" }))]
      : []),
  );
  const onPick = (/** @type {number} */ place) => {
    goTo(place);
    mark();
  };
  showTiles(
    asked.map((image, place) => makeTile(image, place, state.marked.get(image.image_id))),
    { onPick, empty, keys: listKeys(state) },
  );
}

/**
 * @param {PresenceState} state
 * @returns {KeyRow[]}
 */
function listKeys({ question, marked, images }) {
  const isLast = question === "other" || marked.size === images.length;
  return [
    { words: words.mark, key: "X", run: mark, test: "mark" },
    {
      words: isLast ? words.save(images.length) : words.next,
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
