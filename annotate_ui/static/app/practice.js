/** The practice image of new people: a guide from object to object; nothing of it reaches the party. */

import { objectsIn, selectedKey } from "./state/editor.js";
import { chordFor } from "./state/keymap.js";
import { displayOf } from "./state/party.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { sayChord } from "./view/words.js";

/** @import {Model} from "./state/types.js" */
/** @import {Annotated, Api, Task, Workbench} from "./types.js" */

/**
 * What the picture shows, as far as the wall does not hide it. Nothing is occluded: the wall ends the boxes.
 * @typedef {{id: string, box: readonly number[], view: string, truncated: boolean}} Shown
 * @type {readonly Shown[]}
 */
const SHOWN = [
  { id: "dog", box: [321, 301, 524, 536], view: "Left", truncated: true },
  { id: "person", box: [86, 125, 243, 554], view: "Frontal", truncated: false },
  { id: "car", box: [525, 193, 764, 256], view: "Left", truncated: true },
];
const NEAR_PX = 30;
const SIDES = ["Left", "Right"];
/** Where fingers work, nothing speaks of keys. */
const hasKeys = !globalThis.matchMedia?.("(pointer: coarse)").matches;

/**
 * The calls of the interface, answered by the page itself where the image needs them.
 * @param {Workbench} bench
 * @param {Api} api
 * @returns {Api}
 */
export function practise({ store }, api) {
  const { guidelines_number, classes_number } = store.get().party;
  const live = { wanted_classes: [], guidelines_number, classes_number };
  const task = /** @type {Task} */ ({
    image_id: 0,
    image_url: "/static/practice.svg",
    width: 800,
    height: 600,
    kind: "annotate",
    photo: null,
    lease: { id: 0, expires_at: "" },
    annotation: null,
    review: null,
  });
  let isOver = false;
  const answers = {
    nextTask: () => (isOver ? new Promise(leave) : Promise.resolve({ task, left: 1, live })),
    saveRevision: async (/** @type {number} */ _, /** @type {{finish?: boolean}} */ body) => {
      isOver ||= Boolean(body.finish);
      return { annotation: { id: 1 }, findings: [] };
    },
    heartbeat: async () => ({ live }),
    mine: async () => ({ images: [] }),
    eventBoxes: async () => ({ image_id: null, annotation: null }),
    giveBack: async () => {},
  };
  guide(store);
  return /** @type {Api} */ (/** @type {unknown} */ ({ ...api, ...answers }));
}

function leave() {
  location.assign("/annotate");
}

/** Says the next step as soon as one is done. @param {Workbench["store"]} store */
function guide(store) {
  const words = texts.practice;
  const title = el("b");
  const said = el("p", { role: "status", test: "practice-says" });
  const skip = el("button", {
    class: "button small",
    text: words.skip,
    test: "practice-skip",
    on: { click: leave },
  });
  byId("stage").after(
    el("section", { class: "practice", test: "practice", aria: { label: words.title } }, title, said, skip),
  );
  store.follow((model) => {
    const steps = listSteps(model);
    const at = steps.findIndex(({ isDone }) => !isDone);
    title.textContent = words.step(at + 1, steps.length);
    if (said.textContent !== steps[at].text) said.textContent = steps[at].text;
  });
}

/** @param {Model} model */
function listSteps(model) {
  const { work, party, keymap } = model;
  const words = texts.practice;
  const key = hasKeys ? sayChord(chordFor(keymap, "image.finish") ?? "") : "";
  const objects = SHOWN.filter(({ id }) => party.classes.some((spec) => spec.id === id));
  const steps = objects.map((shown) => {
    const fault = findFault(model, shown);
    return { isDone: fault === null, text: fault ?? "" };
  });
  const extra = work && findExtra(model);
  return [...steps, { isDone: !extra, text: extra ?? "" }, { isDone: false, text: words.finish(key) }];
}

/** What is still missing or wrong on the practice image, or null where it may be finished. @param {Model} model */
export function findMistake(model) {
  return (
    listSteps(model)
      .slice(0, -1)
      .find(({ isDone }) => !isDone)?.text ?? null
  );
}

/**
 * The next thing to do for an object of the picture, or null where it is right.
 * @type {(model: Model, shown: Shown) => string | null}
 */
function findFault({ work, party, keymap }, shown) {
  const words = texts.practice;
  const objects = work ? objectsIn(work.editor) : [];
  const spec = party.classes.find(({ id }) => id === shown.id);
  const key = (/** @type {string} */ command) => (hasKeys ? sayChord(chordFor(keymap, command) ?? "") : "");
  const object = objects.find((drawn) => isNear(drawn, shown));
  const name = spec?.display ?? shown.id;
  if (!object) {
    const hasTried = objects.some(
      (drawn) => drawn.class === shown.id || !SHOWN.some((other) => isNear(drawn, other)),
    );
    return hasTried ? words.closer(name) : words.draw(name, shown.truncated);
  }
  const fault = findWrongWord(object, shown, name);
  // What is said next would change the object that is selected.
  if (fault && work && selectedKey(work.editor) !== object.key) return words.select(name);
  return fault;

  /** @type {(object: Annotated, shown: Shown, name: string) => string | null} */
  function findWrongWord({ class: drawn, view, occluded, truncated }, { id, ...right }, name) {
    if (drawn !== id) return words.class(name, key(`class:${id}`));
    if (spec?.has_views && view !== right.view) {
      const display = displayOf(party, "view", right.view);
      const say = SIDES.includes(right.view) ? words.side : words.view;
      return say(name, display, key(`view:${right.view}`));
    }
    if (occluded)
      return (right.truncated ? words.notOccluded : words.nothingInFront)(name, key("flag:occluded"));
    if (truncated === right.truncated) return null;
    const flag = key("flag:truncated");
    return right.truncated ? words.flag(name, flag) : words.notTruncated(name, flag);
  }
}

/** A box too many, or null. @param {Model} model */
function findExtra({ work }) {
  const objects = work ? objectsIn(work.editor) : [];
  const isRight = (/** @type {Annotated} */ drawn) =>
    SHOWN.some((shown) => objects.find((other) => isNear(other, shown)) === drawn);
  const at = objects.findIndex((drawn) => !isRight(drawn));
  return at < 0 ? null : texts.practice.extra(at + 1);
}

/** @type {(drawn: {box: readonly number[]}, shown: Shown) => boolean} */
function isNear({ box }, shown) {
  return box.every((edge, at) => Math.abs(edge - shown.box[at]) <= NEAR_PX);
}
