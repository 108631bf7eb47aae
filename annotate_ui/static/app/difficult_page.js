/** The difficult pass: crops of one class, in a grid or one by one, toggled by one key. */

import { createSequence, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { attempt, openTiles, showClasses, showTiles, tell } from "./judging.js";
import { createWishes } from "./state/wishes.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";

/** @import {Refused} from "./api.js" */
/** @import {Tile} from "./judging.js" */
/** @import {CropRow, DifficultState, KeyRow} from "./types.js" */

const IN_GRID = 24;
const api = openApi(showStopped);
const words = texts.difficult;
const inSequence = createSequence();
/** @type {ReturnType<typeof createWishes<string, boolean>>} */
const wishes = createWishes();
/** Whether the objects on the page are being saved: they are saved once. */
let isSaving = false;

const tiles = openTiles(
  /** @type {DifficultState} */ ({ classes: [], taken: null, objects: [], isOneByOne: false, place: 0 }),
  { count: ({ objects }) => objects.length, isGrid: ({ isOneByOne }) => !isOneByOne, listKeys },
);
const { get, set, at, goTo } = tiles;

tiles.subscribe(show);
await attempt(loadClasses);

async function loadClasses() {
  set(await api.difficultClasses());
}

/** @param {string} name */
function take(name) {
  return inSequence(() => takeNow(name));
}

/** @param {string} name */
async function takeNow(name) {
  const work = async () => {
    const { taken } = get();
    if (taken && taken !== name) await api.giveClassBack(taken);
    const { objects } = await api.takeClass(name);
    set({ objects, taken: name, place: 0 });
  };
  await attempt(work, (refused) => void (refused?.code === "held" && leave()));
  await attempt(loadClasses);
}

/** Another organiser has the class: its objects leave the page. */
function leave() {
  set({ taken: null, objects: [] });
}

/** Marks the object in front as difficult, or not; saved at once, so that nothing is lost. */
function toggle() {
  const { objects, taken: name } = get();
  const crop = objects[at()];
  if (!crop || name === null || isSaving) return;
  const difficult = !crop.difficult;
  wishes.begin(keyOf(crop), crop.difficult);
  setDifficult(crop, difficult);
  const send = async () => {
    const { late } = await inSequence(() => api.judgeDifficult(name, [say({ ...crop, difficult })]));
    end(crop, difficult);
    if (late.length === 0) return;
    set({ objects: get().objects.filter((other) => keyOf(other) !== keyOf(crop)) }); // it is asked again as it is now
    tell(words.late(1));
  };
  void attempt(send, (refused) => {
    end(crop);
    return loseHeld(refused);
  });
}

/**
 * Shows what the server has of the object once nothing later is under way.
 * @param {CropRow} crop
 * @param {boolean} [stored] undefined where the change failed
 */
function end(crop, stored) {
  const shown = wishes.end(keyOf(crop), stored);
  if (shown !== null) setDifficult(crop, shown);
}

/** The reservation ran out and another organiser has the class. @param {Refused | null} refused */
function loseHeld(refused) {
  if (refused?.code !== "held") return;
  leave();
  void attempt(loadClasses);
  return words.taken;
}

/**
 * @param {CropRow} crop
 * @param {boolean} difficult
 */
function setDifficult(crop, difficult) {
  set({
    objects: get().objects.map((other) => (keyOf(other) === keyOf(crop) ? { ...other, difficult } : other)),
  });
}

/** Saves the objects on the page as they are shown; the next ones come. */
async function judgeShown() {
  const { taken: name } = get();
  const shown = listShown(get());
  if (name === null || shown.length === 0 || isSaving) return;
  isSaving = true;
  const work = async () => {
    const { late } = await inSequence(() => api.judgeDifficult(name, shown.map(say)));
    const place = firstShown(get());
    const keys = new Set(shown.map(keyOf));
    const objects = get().objects.filter((crop) => !keys.has(keyOf(crop)));
    set({ objects, place });
    tell(late.length ? words.late(late.length) : words.saved(shown.length));
    if (objects.length > 0) return;
    set({ ...(await api.takeClass(name)), place: 0 }); // there may be more than come at once
    await loadClasses();
  };
  await attempt(work, loseHeld);
  isSaving = false;
}

/** @param {CropRow} one */
function say({ image_id, annotation_id, key, difficult }) {
  return { image_id, annotation_id, key, difficult };
}

/** @param {CropRow} crop */
function keyOf(crop) {
  return `${crop.image_id}:${crop.key}`;
}

/** The place of the first object on the page. @param {DifficultState} state */
function firstShown({ isOneByOne }) {
  return isOneByOne ? at() : Math.floor(at() / IN_GRID) * IN_GRID;
}

/** @param {DifficultState} state */
function listShown(state) {
  const first = firstShown(state);
  return state.objects.slice(first, first + (state.isOneByOne ? 1 : IN_GRID));
}

/** @param {DifficultState} state */
function show(state) {
  const { display, empty } = showClasses(words, state, take);
  const shown = listShown(state);
  const first = firstShown(state);
  byId("tiles").classList.toggle("one", state.isOneByOne && shown.length > 0);
  const left = el("span", { class: "quiet", test: "left", text: words.left(state.objects.length) });
  byId("facts").replaceChildren(...(display ? [el("h2", { text: display }), left] : []));
  const onPick = (/** @type {number} */ place) => goTo(first + place);
  showTiles(
    shown.map((crop, place) => makeCrop(crop, first + place)),
    { onPick, empty, keys: listKeys(state) },
  );
}

/**
 * @param {DifficultState} state
 * @returns {KeyRow[]}
 */
function listKeys(state) {
  const switchView = () => set({ isOneByOne: !state.isOneByOne });
  return [
    { words: words.toggle, key: "D", run: toggle, kind: "bad", test: "toggle" },
    {
      words: words.judged(listShown(state).length),
      key: "Space",
      run: judgeShown,
      kind: "ok",
      test: "judged",
    },
    { words: state.isOneByOne ? words.grid : words.oneByOne, key: "V", run: switchView, test: "view" },
  ];
}

/**
 * @param {CropRow} crop
 * @param {number} place
 * @returns {Tile}
 */
function makeCrop(crop, place) {
  const marks = [crop.difficult ? words.isDifficult : "", crop.changed ? words.changed : ""].filter(Boolean);
  return {
    key: keyOf(crop),
    picture: crop.crop_url,
    words: words.size(crop.size),
    mark: marks.length ? { text: marks.join(" · "), kind: crop.difficult ? "" : "hint" } : null,
    kind: crop.difficult ? "difficult" : "",
    isCurrent: place === at(),
  };
}
