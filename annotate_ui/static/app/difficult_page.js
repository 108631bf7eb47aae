/** The difficult pass: crops of one class, in a grid or one by one, toggled by one key. */

import { openApi } from "./api.js";
import { createTurns } from "./calls.js";
import { attempt, createFront, listenForKeys, showClasses, showTiles, tell } from "./judging.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";

/** @import {Tile} from "./judging.js" */
/** @import {CropRow, WaitingClass} from "./types.js" */

const IN_GRID = 24;
const api = openApi();
const words = texts.difficult;
const { noAnswer } = words;
const inTurn = createTurns();

/**
 * `taken` is the current class, `objects` are those of it that wait.
 * @typedef {{classes: readonly WaitingClass[], taken: string | null, objects: readonly CropRow[],
 *   isOneByOne: boolean, place: number}} State
 */
const store = createStore(
  /** @type {State} */ ({ classes: [], taken: null, objects: [], isOneByOne: false, place: 0 }),
);
const front = createFront(store, {
  count: ({ objects }) => objects.length,
  isGrid: ({ isOneByOne }) => !isOneByOne,
});

listenForKeys({ d: toggle, v: switchView, Space: judgeShown, Enter: judgeShown, ...front.keys });
store.subscribe(show);
await attempt(loadClasses, noAnswer);

async function loadClasses() {
  const { classes } = await api.difficultClasses();
  set({ classes });
}

/** @param {Partial<State>} change */
function set(change) {
  store.update((state) => ({ ...state, ...change }));
}

/** @param {string} name */
async function take(name) {
  const work = async () => {
    const { taken } = store.get();
    if (taken && taken !== name) await api.giveClassBack(taken);
    const { objects } = await api.takeClass(name);
    set({ objects, taken: name, place: 0 });
  };
  await attempt(work, noAnswer, (refused) => (refused?.code === "held" ? leave() : undefined));
  await attempt(loadClasses, noAnswer);
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Another organiser has the class: what is on the page is no longer ours to judge. */
function leave() {
  set({ taken: null, objects: [] });
}

function switchView() {
  set({ isOneByOne: !store.get().isOneByOne });
}

/** The object in front is difficult, or no longer; said at once, so that nothing is lost. */
function toggle() {
  const { objects, taken: name } = store.get();
  const one = objects[front.at()];
  if (!one || name === null) return;
  setDifficult(one, !one.difficult);
  const word = { image_id: one.image_id, key: one.key, difficult: !one.difficult };
  const send = async () => void (await inTurn(() => api.judgeDifficult(name, [word])));
  void attempt(send, noAnswer, (refused) => (refused?.code === "held" ? lose() : setDifficult(one, one.difficult)));
}

/** The sitting ran out and another organiser began one. */
function lose() {
  leave();
  void attempt(loadClasses, noAnswer);
  return words.taken;
}

/** @param {CropRow} one @param {boolean} difficult */
function setDifficult(one, difficult) {
  const isIt = (/** @type {CropRow} */ other) =>
    other.image_id === one.image_id && other.key === one.key;
  set({ objects: store.get().objects.map((other) => (isIt(other) ? { ...other, difficult } : other)) });
}

/** What is on the page stands as it is shown: judged, and the next ones come. */
async function judgeShown() {
  const { taken: name, isOneByOne } = store.get();
  const shown = listShown();
  if (name === null || shown.length === 0) return;
  const work = async () => {
    const said = shown.map(({ image_id, key, difficult }) => ({ image_id, key, difficult }));
    const { late } = await inTurn(() => api.judgeDifficult(name, said));
    const place = isOneByOne ? front.at() : firstShown();
    const keys = new Set(shown.map(keyOf));
    const objects = store.get().objects.filter((one) => !keys.has(keyOf(one)));
    set({ objects, place });
    tell(late.length ? words.late(late.length) : words.saved(shown.length));
    if (objects.length === 0) await loadClasses();
  };
  await attempt(work, noAnswer, (refused) => (refused?.code === "held" ? lose() : undefined));
}

/** @param {CropRow} one */
function keyOf(one) {
  return `${one.image_id}:${one.key}`;
}

function firstShown() {
  return Math.floor(front.at() / IN_GRID) * IN_GRID;
}

function listShown() {
  const at = front.at();
  const { objects, isOneByOne } = store.get();
  return isOneByOne ? objects.slice(at, at + 1) : objects.slice(firstShown(), firstShown() + IN_GRID);
}

/** @param {State} state */
function show({ classes, taken, objects, isOneByOne }) {
  showClasses(words, classes, taken, (name) => void take(name));
  const display = classes.find(({ name }) => name === taken)?.display ?? taken;
  const shown = listShown();
  const first = isOneByOne ? front.at() : firstShown();
  byId("tiles").classList.toggle("one", isOneByOne && shown.length > 0);
  byId("facts").replaceChildren(
    ...(display ? [el("h2", { text: display }), el("span", { class: "quiet", test: "left", text: words.left(objects.length) })] : []),
  );
  showTiles(shown.map((one, at) => makeCrop(one, first + at)), {
    onPick: (at) => front.goTo(first + at),
    empty: taken !== null ? words.classDone : classes.some(({ waiting }) => waiting > 0) ? words.choose : words.none,
    keys: listKeys(shown.length, isOneByOne),
  });
}

/** @param {number} count @param {boolean} isOneByOne */
function listKeys(count, isOneByOne) {
  return [
    { words: words.toggle, key: "D", run: toggle, kind: "bad", test: "toggle" },
    { words: words.judged(count), key: "Space", run: () => void judgeShown(), kind: "ok", test: "judged" },
    { words: isOneByOne ? words.grid : words.oneByOne, key: "V", run: switchView, test: "view" },
  ];
}

/** @param {CropRow} one @param {number} at @returns {Tile} */
function makeCrop(one, at) {
  const marks = [one.difficult ? words.isDifficult : "", one.changed ? words.changed : ""].filter(Boolean);
  return {
    key: keyOf(one),
    picture: one.crop_url,
    words: words.size(one.size),
    mark: marks.length ? { text: marks.join(" · "), kind: one.difficult ? "" : "hint" } : null,
    kind: one.difficult ? "difficult" : "",
    isCurrent: at === front.at(),
  };
}
