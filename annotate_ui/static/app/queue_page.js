/** The organiser's page of the queue: loads the plan, shows it, saves it, settles conflicts. */

import { createSequence, explain, openApi, Refused } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { addSet, isSamePlan, keyOfSet, raiseSet, removeSet, wantClass } from "./state/board.js";
import { createStore } from "./state/model.js";
import { displayOfClass } from "./state/party.js";
import { texts } from "./texts.js";
import { makeClassSearch } from "./view/class_search.js";
import { byId, el, syncList } from "./view/dom.js";

/** @import {FirstSet, Plan, Supply} from "./state/types.js" */

const words = texts.plan;
const api = openApi(showStopped);
const inSequence = createSequence();
const [party, answer] = await Promise.all([api.party(), api.queue()]);
const { supply } = answer;
/** @type {Plan} */
const first = { number: answer.number, first: answer.first, wanted_classes: answer.wanted_classes };
/** `newest` is a plan that another person saved meanwhile. @typedef {{plan: Plan, saved: Plan, message: string, newest?: Plan}} State */
const store = createStore(/** @type {State} */ ({ plan: first, saved: first, message: "" }));

const search = makeClassSearch({ onInput: () => showWanted(store.get().plan.wanted_classes) });
byId("wanted").before(search.element);
const sets = listSets();
const place = byId("queue");
place
  .querySelector("select")
  ?.append(...sets.map((set) => el("option", { value: keyOfSet(set), text: nameOf(set) })));
byId("add").onclick = () => {
  const chosen = place.querySelector("select")?.value;
  const set = sets.find((set) => keyOfSet(set) === chosen);
  if (set) change((plan) => addSet(plan, set));
};
byId("save").onclick = () => void inSequence(save); // each save is of the plan that the one before made
store.follow(show);
place.hidden = false;
addEventListener("beforeunload", (event) => {
  const { plan, saved } = store.get();
  if (!isSamePlan(plan, saved)) event.preventDefault();
});

/** @param {(plan: Plan) => Plan} step */
function change(step) {
  store.update(({ plan: before, saved }) => {
    const plan = step(before);
    return { plan, saved, message: isSamePlan(plan, saved) ? "" : words.unsaved };
  });
}

/** Changes made while the answer is on its way stay, unsaved; pressed twice, it is saved once. */
async function save() {
  const { plan: sent, saved: before } = store.get();
  if (isSamePlan(sent, before))
    return store.update(({ plan, saved }) => ({ plan, saved, message: words.saved }));
  try {
    const saved = await api.saveQueue(sent);
    store.update(({ plan }) =>
      isSamePlan(plan, sent)
        ? { plan: saved, saved, message: words.saved }
        : { plan: { ...plan, number: saved.number }, saved, message: words.unsaved },
    );
  } catch (error) {
    const message = explain(error, words.noServer);
    if (!(error instanceof Refused && error.code === "stale"))
      return store.update((state) => ({ ...state, message }));
    /** @type {Plan} */
    const newest = error.body.head;
    // Saved again, it replaces the newest plan, which stays in the versions.
    store.update(({ plan }) => ({
      plan: { ...plan, number: newest.number },
      saved: newest,
      message: words.conflict,
      newest,
    }));
  }
}

/** @param {State} state */
function show({ plan, message, newest }) {
  const { wanted_classes: wanted } = plan;
  byId("sets").replaceChildren(...plan.first.map(makeRow), el("li", { class: "rest", text: words.rest }));
  byId("mode").textContent = words.mode(wanted.length);
  byId("mode").dataset.on = String(wanted.length > 0);
  showWanted(wanted);
  byId("state").textContent = message;
  byId("conflict").hidden = newest === undefined;
  if (newest) byId("conflict").replaceChildren(...describeNewest(newest));
}

/** The fewest objects first: those are the rare classes. Of many, those that are ticked always are in the list. @param {readonly string[]} wanted */
function showWanted(wanted) {
  const rarest = supply.classes.toSorted((first, second) => first.objects - second.objects);
  const specs = new Map(party.classes.map((spec) => [spec.id, spec]));
  const named = rarest.map(({ id }) => ({ display: displayOfClass(party, id), ...specs.get(id), id }));
  const picked = new Set(search.pick(named).map(({ id }) => id));
  const shown = rarest.filter(({ id }) => picked.has(id) || wanted.includes(id));
  syncList(byId("wanted"), shown, { keyOf: ({ id }) => id, make: makeWanted, fill: () => {} });
  for (const box of byId("wanted").querySelectorAll("input")) box.checked = wanted.includes(box.name);
}

/** @returns {FirstSet[]} what can come first */
function listSets() {
  const classes = supply.classes.map(({ id }) => ({ kind: /** @type {const} */ ("class"), class: id }));
  const queries = supply.queries.map(({ id }) => ({ kind: /** @type {const} */ ("query"), query_id: id }));
  return [{ kind: "returned" }, ...classes, ...queries];
}

/**
 * @param {FirstSet} set
 * @param {number} index
 */
function makeRow(set, index) {
  const name = nameOf(set);
  const button = (
    /** @type {string} */ text,
    /** @type {string} */ label,
    /** @type {typeof raiseSet} */ step,
  ) => {
    const click = () => change((plan) => step(plan, index));
    return el("button", { text, aria: { label: `${label}: ${name}` }, on: { click } });
  };
  const row = { test: `set:${keyOfSet(set)}` };
  return el(
    "li",
    row,
    el("span", { text: name }),
    button("↑", words.raise, raiseSet),
    button("×", words.remove, removeSet),
  );
}

/** @param {Supply["classes"][0]} supply of a class */
function makeWanted({ id, objects, waiting }) {
  const tick = () => change((plan) => wantClass(plan, id, box.checked));
  const box = el("input", { type: "checkbox", name: id, test: `wanted:${id}`, on: { change: tick } });
  const display = el("span", { text: displayOfClass(party, id) });
  return el("label", {}, box, display, el("small", { text: words.supply(objects, waiting) }));
}

/** @param {Plan} newest */
function describeNewest({ first, wanted_classes }) {
  const takeNewest = () => store.update(({ saved }) => ({ plan: saved, saved, message: "" }));
  return [
    el("h2", { text: words.newest }),
    el("p", { text: words.newestFirst(first.map(nameOf)) }),
    el("p", { text: words.newestWanted(wanted_classes.map((id) => displayOfClass(party, id))) }),
    el("button", { text: words.take, test: "plan-take", on: { click: takeNewest } }),
  ];
}

/** @param {FirstSet} set */
function nameOf({ kind, class: classId = "", query_id: id }) {
  if (kind === "returned") return words.returned;
  const waiting = supply.classes.find((supplied) => supplied.id === classId)?.waiting ?? 0;
  if (kind === "class") return words.ofClass(displayOfClass(party, classId), waiting);
  const query = supply.queries.find((query) => query.id === id);
  return words.ofQuery(query?.keyword ?? `${id}`, query?.waiting ?? 0);
}
