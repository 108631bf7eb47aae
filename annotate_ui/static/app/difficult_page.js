/** The difficult pass: crops of one class, in a grid or one by one, toggled by one key. */

import { createApi, NoAnswer, Refused } from "./api.js";
import { chordOf } from "./state/chords.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { countColumns, fillKeys, makeEmpty, makeTile } from "./view/tiles.js";

/** @typedef {import("./types.js").CropRow} CropRow */
/** @typedef {import("./types.js").WaitingClass} WaitingClass */

const IN_GRID = 24;
const meta = document.querySelector("meta[name=csrf-token]");
const api = createApi(meta?.getAttribute("content") ?? "");
const words = texts.difficult;

/** @type {WaitingClass[]} */
let classes = [];
/** The class in hand, and its objects that wait. @type {string | null} */
let taken = null;
/** @type {CropRow[]} */
let objects = [];
let place = 0;
let isOneByOne = false;

/** @type {Readonly<Record<string, () => void>>} */
const KEYS = {
  d: toggle,
  v: () => ((isOneByOne = !isOneByOne), show()),
  Space: () => void judgeShown(),
  Enter: () => void judgeShown(),
  ArrowRight: () => goTo(place + 1),
  ArrowLeft: () => goTo(place - 1),
  ArrowDown: () => goTo(place + (isOneByOne ? 1 : countColumns(byId("tiles")))),
  ArrowUp: () => goTo(place - (isOneByOne ? 1 : countColumns(byId("tiles")))),
};

document.addEventListener("keydown", (event) => {
  const isSide = event.target instanceof Element && event.target.closest(".side, nav, form");
  const command = taken === null || isSide ? undefined : KEYS[chordOf(event)];
  if (!command || event.repeat) return;
  event.preventDefault();
  command();
});
await attempt(async () => {
  await loadClasses();
  show();
});

async function loadClasses() {
  classes = (await api.difficultClasses()).classes;
}

/** @param {string} name */
async function take(name) {
  await attempt(async () => {
    if (taken && taken !== name) await api.giveClassBack(taken);
    objects = (await api.takeClass(name)).objects;
    taken = name;
    place = 0;
    await loadClasses();
  });
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  show();
}

/** The object in front is difficult, or no longer; said at once, so that nothing is lost. */
function toggle() {
  const one = objects[place];
  const name = taken;
  if (!one || name === null) return;
  setDifficult(one, !one.difficult);
  const word = { image_id: one.image_id, key: one.key, difficult: !one.difficult };
  void attempt(
    async () => void (await api.judgeDifficult(name, [word])),
    () => setDifficult(one, one.difficult),
  );
}

/**
 * @param {CropRow} one
 * @param {boolean} difficult
 */
function setDifficult(one, difficult) {
  const isIt = (/** @type {CropRow} */ other) =>
    other.image_id === one.image_id && other.key === one.key;
  objects = objects.map((other) => (isIt(other) ? { ...other, difficult } : other));
  show();
}

/** What is on the page stands as it is shown: judged, and the next ones come. */
async function judgeShown() {
  const name = taken;
  const shown = listShown();
  if (name === null || shown.length === 0) return;
  await attempt(async () => {
    const said = shown.map(({ image_id, key, difficult }) => ({ image_id, key, difficult }));
    const { late } = await api.judgeDifficult(name, said);
    const start = isOneByOne ? place : firstShown();
    objects = objects.filter((one) => !shown.includes(one));
    place = Math.min(start, Math.max(objects.length - 1, 0));
    tell(late.length ? words.late(late.length) : words.saved(shown.length));
    if (objects.length === 0) await loadClasses();
  });
  show();
}

function firstShown() {
  return Math.floor(place / IN_GRID) * IN_GRID;
}

function listShown() {
  return isOneByOne
    ? objects.slice(place, place + 1)
    : objects.slice(firstShown(), firstShown() + IN_GRID);
}

/** @param {number} to */
function goTo(to) {
  place = Math.min(Math.max(to, 0), Math.max(objects.length - 1, 0));
  show();
}

function show() {
  showSide();
  const tiles = byId("tiles");
  const shown = listShown();
  const first = isOneByOne ? place : firstShown();
  tiles.classList.toggle("one", isOneByOne && shown.length > 0);
  const rows = shown.map((one, at) => makeCrop(one, first + at));
  tiles.replaceChildren(...(rows.length ? rows : [makeEmpty(emptyWords())]));
  tiles.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  byId("facts").replaceChildren(
    ...(taken ? [el("h2", { text: displayOf(taken) }), el("span", { class: "quiet", test: "left", text: words.left(objects.length) })] : []),
  );
  fillKeys(rows.length ? listKeys(shown.length) : []);
  document.body.dataset.screen = rows.length ? "work" : "empty";
}

function emptyWords() {
  if (taken !== null) return words.classDone;
  return classes.some(({ waiting }) => waiting > 0) ? words.choose : words.none;
}

/** @param {number} count */
function listKeys(count) {
  return [
    { words: words.toggle, key: "D", run: toggle, kind: "bad", test: "toggle" },
    { words: words.judged(count), key: "Space", run: () => void judgeShown(), kind: "ok", test: "judged" },
    { words: isOneByOne ? words.grid : words.oneByOne, key: "V", run: KEYS.v, test: "view" },
  ];
}

/**
 * @param {CropRow} one
 * @param {number} at
 */
function makeCrop(one, at) {
  const mark = one.difficult
    ? { text: words.isDifficult, kind: "" }
    : one.changed
      ? { text: words.changed, kind: "hint" }
      : null;
  return makeTile({
    picture: one.crop_url,
    words: words.size(one.size),
    mark,
    kind: one.difficult ? "difficult" : "",
    isCurrent: at === place,
    onClick: () => goTo(at),
  });
}

function showSide() {
  const rows = classes.map(({ name, display, waiting, holder }) =>
    el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          test: `class-${name}`,
          disabled: holder !== null || (waiting === 0 && name !== taken),
          aria: name === taken ? { current: "true" } : {},
          on: { click: () => void take(name) },
        },
        el("span", { class: "name", text: display }),
        el("span", { class: "number", text: holder ? words.heldBy(holder) : String(waiting) }),
      ),
    ),
  );
  byId("side").replaceChildren(
    el("h1", { text: words.title }),
    el("p", { class: "quiet", text: words.lead }),
    el("ul", {}, ...rows),
  );
}

/** @param {string} name */
function displayOf(name) {
  return classes.find((one) => one.name === name)?.display ?? name;
}

/**
 * @param {() => Promise<void>} work
 * @param {() => void} [undo]
 */
async function attempt(work, undo) {
  try {
    await work();
  } catch (error) {
    undo?.();
    if (error instanceof Refused) tell(error.message);
    else if (error instanceof NoAnswer) tell(words.noAnswer);
    else throw error;
  }
}

/** @param {string} text */
function tell(text) {
  byId("said").textContent = text;
}
