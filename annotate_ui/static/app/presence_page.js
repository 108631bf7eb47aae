/** The presence pass: thumbnails of one class's queries; first which show the class, then which show another one. */

import { openApi } from "./api.js";
import { attempt, createFront, listenForKeys, showClasses, showTiles, tell } from "./judging.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";

/** @import {Tile} from "./judging.js" */
/** @import {Thumbnail} from "./types.js" */

const api = openApi();
const words = texts.presence;
const { noAnswer } = words;

/**
 * `marked` says what each image was seen to show; `question` is the one that is asked now; `last` are the images of
 * the page before.
 * @typedef {{classes: {name: string, display: string, waiting: number}[], taken: string | null, images: Thumbnail[],
 *   marked: ReadonlyMap<number, "asked" | "other">, question: "asked" | "other", last: number[], place: number}} State
 */
const store = createStore(
  /** @type {State} */ ({ classes: [], taken: null, images: [], marked: new Map(), question: "asked", last: [], place: 0 }),
);
const front = createFront(store, { count: (state) => listAsked(state).length });

listenForKeys({ x: mark, Space: () => void goOn(), Enter: () => void goOn(), u: () => void undo(), ...front.keys });
store.subscribe(show);
await attempt(loadClasses, noAnswer);

async function loadClasses() {
  const { classes } = await api.presenceClasses();
  set({ classes });
}

/** @param {Partial<State>} change */
function set(change) {
  store.update((state) => ({ ...state, ...change }));
}

/** The images of the question: the second one is about what does not show the class. @param {State} state */
function listAsked({ images, marked, question }) {
  return question === "asked" ? images : images.filter(({ image_id: id }) => marked.get(id) !== "asked");
}

/** @param {string} name */
async function take(name) {
  await attempt(
    async () => {
      const { images } = await api.thumbnails(name);
      set({ taken: name, images, marked: new Map(), question: "asked", place: 0 });
      await loadClasses();
    },
    noAnswer,
  );
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** The image in front shows what is asked for, or no longer. */
function mark() {
  const state = store.get();
  const one = listAsked(state)[front.at()];
  if (!one) return;
  const marked = new Map(state.marked);
  if (marked.get(one.image_id) === state.question) marked.delete(one.image_id);
  else marked.set(one.image_id, state.question);
  set({ marked });
}

/** The second question, where an image is left for it; else all answers go up and the next images come. */
async function goOn() {
  const state = store.get();
  const { taken, images, marked, question } = state;
  if (taken === null || images.length === 0) return;
  if (question === "asked" && marked.size < images.length) return set({ question: "other", place: 0 });
  const answers = images.map(({ image_id }) => ({ image_id, shows: marked.get(image_id) ?? "none" }));
  await attempt(
    async () => {
      const { kept } = await api.sayPresence(taken, answers);
      const gone = kept.filter((id) => !marked.has(id)).length;
      set({ last: kept });
      await take(taken);
      tell(words.saved(kept.length, gone));
    },
    noAnswer,
  );
}

async function undo() {
  const { last, taken } = store.get();
  if (last.length === 0) return;
  await attempt(
    async () => {
      const { undone } = await api.undoPresence(last);
      set({ last: [] });
      if (taken !== null) await take(taken);
      tell(words.undone(undone));
    },
    noAnswer,
  );
}

/** @param {State} state */
function show(state) {
  const { classes, taken, question, marked, last } = state;
  showClasses(words, classes, taken, (name) => void take(name));
  const display = classes.find(({ name }) => name === taken)?.display ?? taken ?? "";
  const asked = listAsked(state);
  const title = question === "asked" ? words.asked(display) : words.other;
  byId("facts").replaceChildren(
    ...(asked.length ? [el("h2", { text: title, test: "question" })] : []),
    ...(last.length ? [el("button", { test: "undo", on: { click: () => void undo() } }, `${words.undo} `, el("kbd", { text: "U" }))] : []),
  );
  const isLast = question === "other" || marked.size === state.images.length;
  showTiles(asked.map((one, at) => makeTile(one, at, marked.get(one.image_id))), {
    onPick: (at) => (front.goTo(at), mark()),
    empty: taken !== null ? words.classDone : classes.some(({ waiting }) => waiting > 0) ? words.choose : words.none,
    keys: [
      { words: words.mark, key: "X", run: mark, test: "mark" },
      { words: isLast ? words.save(state.images.length) : words.next, key: "Space", run: () => void goOn(), kind: "ok", test: "next" },
    ],
  });
}

/** @param {Thumbnail} one @param {number} at @param {"asked" | "other" | undefined} shows @returns {Tile} */
function makeTile({ image_id, image_url }, at, shows) {
  const mark = shows && { text: shows === "asked" ? words.isShown : words.isOther, kind: "right" };
  return { key: String(image_id), picture: image_url, words: "", mark: mark ?? null, kind: "", isCurrent: at === front.at() };
}
