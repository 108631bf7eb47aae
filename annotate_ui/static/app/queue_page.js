/** The organiser's page of the queue: loads the plan, shows it, saves it, settles conflicts. */

import { explain, openApi, Refused } from "./api.js";
import { addSet, isSamePlan, keyOfSet, raiseSet, removeSet, wantClass } from "./state/board.js";
import { createStore } from "./state/model.js";
import { displayOfClass } from "./state/party.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";

/** @import {FirstSet, Plan, Supply} from "./state/board.js" */
/** @import {Party} from "./types.js" */

const api = openApi();
const [party, answer] = await Promise.all([api.party(), api.queue()]);
const { supply } = answer;
/** @type {Plan} */
const first = { number: answer.number, first: answer.first, wanted_classes: answer.wanted_classes };
/**
 * `newest` is the saved plan where it is another person's.
 * @typedef {{plan: Plan, saved: Plan, message: string, newest?: Plan}} State
 */
const store = createStore(/** @type {State} */ ({ plan: first, saved: first, message: "" }));

mountPlan(byId("queue"), { party, supply, change, save: () => void save(), takeNewest });
addEventListener("beforeunload", (event) => {
  const { plan, saved } = store.get();
  if (!isSamePlan(plan, saved)) event.preventDefault();
});

/** @param {(plan: Plan) => Plan} step */
function change(step) {
  store.update(({ plan: before, saved }) => {
    const plan = step(before);
    return { plan, saved, message: isSamePlan(plan, saved) ? "" : texts.plan.unsaved };
  });
}

/** What is changed while the answer is on its way stays, and is not saved yet. */
async function save() {
  const sent = store.get().plan;
  try {
    const saved = await api.saveQueue(sent);
    store.update(({ plan }) =>
      isSamePlan(plan, sent)
        ? { plan: saved, saved, message: texts.plan.saved }
        : { plan: { ...plan, number: saved.number }, saved, message: texts.plan.unsaved },
    );
  } catch (error) {
    const isStale = error instanceof Refused && error.code === "stale";
    const message = explain(error, texts.plan.noServer);
    if (!isStale) return store.update((state) => ({ ...state, message }));
    const newest = /** @type {Plan} */ (/** @type {unknown} */ (error.head));
    // Saved once more, it goes in place of the newest, whose version stays on record.
    store.update(({ plan }) => {
      return { plan: { ...plan, number: newest.number }, saved: newest, message: texts.plan.conflict, newest };
    });
  }
}

function takeNewest() {
  store.update(({ saved }) => ({ plan: saved, saved, message: "" }));
}

/**
 * @typedef {{
 *   party: Party, supply: Supply, change: (step: (plan: Plan) => Plan) => void,
 *   save: () => void, takeNewest: () => void,
 * }} Parts
 */

/** @param {HTMLElement} root @param {Parts} parts */
function mountPlan(root, parts) {
  const order = el("ol", { class: "sets", test: "sets" });
  const classes = el("div", { class: "wanted-list", test: "wanted-list" });
  const state = el("p", { class: "quiet", role: "status", test: "plan-state" });
  const conflict = el("div", { class: "conflict", test: "plan-conflict", hidden: true });
  const mode = el("p", { class: "mode", test: "mode" });
  root.append(
    el("h1", { text: texts.plan.title }),
    el("p", { text: texts.plan.lead }),
    el("section", {}, el("h2", { text: texts.plan.first }), order, adder(parts)),
    el("section", {}, el("h2", { text: texts.plan.wanted }), mode, classes),
    conflict,
    el("div", { class: "foot" }, saveButton(parts.save), state),
  );
  store.follow(({ plan, message, newest }) => {
    order.replaceChildren(
      ...plan.first.map((set, index) => row(parts, set, index)),
      el("li", { class: "rest", text: texts.plan.rest }),
    );
    mode.textContent = texts.plan.mode(plan.wanted_classes.length);
    mode.dataset.on = String(plan.wanted_classes.length > 0);
    keepFocus(classes, () => classes.replaceChildren(...wantedRows(parts, plan)));
    state.textContent = message;
    conflict.hidden = newest === undefined;
    if (newest) conflict.replaceChildren(...describeNewest(parts, newest));
  });
}

/** @param {() => void} save */
function saveButton(save) {
  const text = texts.plan.save;
  return el("button", { class: "main", text, test: "plan-save", on: { click: save } });
}

/** @param {Parts} parts @param {FirstSet} set @param {number} index */
function row({ party, supply, change }, set, index) {
  const name = nameOf(party, supply, set);
  const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ click) =>
    el("button", { text, aria: { label: `${label}: ${name}` }, on: { click } });
  return el(
    "li",
    { test: `set:${keyOfSet(set)}` },
    el("span", { text: name }),
    button("↑", texts.plan.raise, () => change((plan) => raiseSet(plan, index))),
    button("×", texts.plan.remove, () => change((plan) => removeSet(plan, index))),
  );
}

/** @param {Parts} parts */
function adder({ party, supply, change }) {
  const sets = [
    /** @type {FirstSet} */ ({ kind: "returned" }),
    ...supply.classes.map(({ name }) => /** @type {FirstSet} */ ({ kind: "class", class: name })),
    ...supply.queries.map(({ id }) => /** @type {FirstSet} */ ({ kind: "query", query_id: id })),
  ];
  const options = sets.map((set) =>
    el("option", { value: keyOfSet(set), text: nameOf(party, supply, set) }),
  );
  const select = el("select", { test: "set-choice", aria: { label: texts.plan.choose } }, ...options);
  const click = () => {
    const set = sets.find((one) => keyOfSet(one) === select.value);
    if (set) change((plan) => addSet(plan, set));
  };
  const add = el("button", { text: texts.plan.add, test: "set-add", on: { click } });
  return el("p", { class: "adder" }, select, add);
}

/** The classes with the fewest objects first: those are the rare ones. @param {Parts} parts @param {Plan} plan */
function wantedRows({ party, supply, change }, plan) {
  return supply.classes
    .toSorted((one, other) => one.objects - other.objects)
    .map(({ name, objects, waiting }) => {
      const box = el("input", {
        type: "checkbox",
        name,
        checked: plan.wanted_classes.includes(name),
        test: `wanted:${name}`,
        on: { change: () => change((now) => wantClass(now, name, box.checked)) },
      });
      return el(
        "label",
        {},
        box,
        el("span", { text: displayOfClass(party, name) }),
        el("small", { text: texts.plan.supply(objects, waiting) }),
      );
    });
}

/** @param {Parts} parts @param {Plan} newest */
function describeNewest({ party, supply, takeNewest }, newest) {
  const sets = newest.first.map((set) => nameOf(party, supply, set));
  const wanted = newest.wanted_classes.map((name) => displayOfClass(party, name));
  return [
    el("h2", { text: texts.plan.newest }),
    el("p", { text: texts.plan.newestFirst(sets) }),
    el("p", { text: texts.plan.newestWanted(wanted) }),
    el("button", { text: texts.plan.take, test: "plan-take", on: { click: takeNewest } }),
  ];
}

/** @param {Party} party @param {Supply} supply @param {FirstSet} set */
function nameOf(party, supply, set) {
  if (set.kind === "returned") return texts.plan.returned;
  if (set.kind === "class") {
    const waiting = supply.classes.find(({ name }) => name === set.class)?.waiting ?? 0;
    return texts.plan.ofClass(displayOfClass(party, set.class ?? ""), waiting);
  }
  const query = supply.queries.find(({ id }) => id === set.query_id);
  return texts.plan.ofQuery(query?.keyword ?? `${set.query_id}`, query?.waiting ?? 0);
}

/** @param {HTMLElement} list @param {() => void} rebuild */
function keepFocus(list, rebuild) {
  const { activeElement } = document;
  const name = activeElement instanceof HTMLInputElement ? activeElement.name : null;
  rebuild();
  const again = name ? list.querySelector(`input[name="${CSS.escape(name)}"]`) : null;
  if (again instanceof HTMLInputElement) again.focus();
}
