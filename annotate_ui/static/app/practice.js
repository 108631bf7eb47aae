/** The practice image of new people: a guide through five steps; nothing of it reaches the party. */

import { objectsIn } from "./state/editor.js";
import { chordFor } from "./state/keymap.js";
import { displayOf } from "./state/party.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { sayChord } from "./view/words.js";

/** @import {Model} from "./state/types.js" */
/** @import {Api, Task, Workbench} from "./types.js" */

/** The dog of the picture, as far as the wall does not hide it. */
const DOG = [321, 301, 524, 536];
const NEAR_PX = 30;

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
function listSteps({ work, party, keymap }) {
  const objects = work ? objectsIn(work.editor) : [];
  const dog = objects.find(({ box }) => box.every((edge, at) => Math.abs(edge - DOG[at]) <= NEAR_PX));
  const spec = party.classes.find(({ id }) => id === "dog") ?? party.classes[0];
  const key = (/** @type {string} */ command) => sayChord(chordFor(keymap, command) ?? "");
  const words = texts.practice;
  return [
    { isDone: Boolean(dog), text: objects.length > 0 ? words.closer : words.draw },
    { isDone: dog?.class === spec.id, text: words.class(spec.display, key(`class:${spec.id}`)) },
    {
      isDone: dog?.view === "Left" || !spec.has_views,
      text: words.view(displayOf(party, "view", "Left"), key("view:Left")),
    },
    { isDone: dog?.truncated === true, text: words.flag(key("flag:truncated")) },
    { isDone: false, text: words.finish(key("image.finish")) },
  ];
}
