/** What organisers set on the board: the shares, what comes first in the queue, which classes are wanted. */

import { addSet, keyOfSet, removeSet, wantClass } from "../state/board.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @import {Board, ClassProgress, FirstSet, Plan, Shares} from "../state/board.js" */

/** @param {(shares: Shares) => void} save */
export function mountShares(save) {
  const words = texts.board.shares;
  let number = -1;
  const twice = field("double_share", words.double, "%", 100);
  const gold = field("gold_share", words.gold, "%", 100);
  const training = field("training_images", words.training, "", 100);
  const element = el(
    "form",
    { class: "shares" },
    twice.label,
    gold.label,
    training.label,
    el("button", { type: "submit", text: words.save, test: "shares-save" }),
  );
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    save({
      number,
      double_share: Number(twice.input.value) / 100,
      gold_share: Number(gold.input.value) / 100,
      training_images: Math.round(Number(training.input.value)),
    });
  });
  return {
    element,
    forget: () => {
      number = -1;
    },
    /**
     * What is being typed stays; another organiser's version comes when the page is not in use.
     * @param {Shares} shares
     */
    show(shares) {
      if (number >= 0 && (shares.number === number || element.contains(document.activeElement))) return;
      number = shares.number;
      twice.input.value = String(Math.round(shares.double_share * 1000) / 10);
      gold.input.value = String(Math.round(shares.gold_share * 1000) / 10);
      training.input.value = String(shares.training_images);
    },
  };
}

/** @param {string} name @param {string} words @param {string} unit @param {number} most */
function field(name, words, unit, most) {
  const input = el("input", { type: "number", name, test: name, min: 0, max: most, step: unit ? 0.1 : 1, required: true });
  return { input, label: el("label", {}, el("span", { text: words }), input, el("span", { text: unit })) };
}

/** @typedef {(plan: Plan) => Plan} Step */
/** @typedef {{text: string, test: string, remove: Step}} Chosen */

/** @param {(step: Step) => void} change */
export function mountSteer(change) {
  const words = texts.board.steer;
  const element = el("dl", { class: "steer" });
  let shown = "";
  return {
    element,
    /** A list that is open stays: nothing is built anew where nothing changed. @param {Board} board */
    show({ first, wanted_classes: wanted, classes }) {
      const now = JSON.stringify([first.map(keyOfSet), wanted]);
      if (now === shown) return;
      shown = now;
      const displays = new Map(classes.map((one) => [one.name, one.display]));
      const display = (/** @type {string} */ name) => displays.get(name) ?? name;
      const rarest = [...classes].sort((one, other) => one.objects - other.objects);
      const sets = first.map((set) => chosenSet(set, display));
      const names = wanted.map((name) => chosenClass(name, display));
      const isFirst = (/** @type {string} */ name) => first.some((set) => set.class === name);
      element.replaceChildren(
        el("dt", { text: words.first }),
        el(
          "dd",
          {},
          ...listChosen(sets, words.nothingFirst),
          picker("add-first", words.addFirst, rarest.filter(({ name }) => !isFirst(name)), (name) =>
            change((plan) => addSet(plan, { kind: "class", class: name })),
          ),
        ),
        el("dt", { text: words.wanted }),
        el(
          "dd",
          { data: { on: String(wanted.length > 0) } },
          ...listChosen(names, words.allWanted),
          picker("add-wanted", words.addWanted, rarest.filter(({ name }) => !wanted.includes(name)), (name) =>
            change((plan) => wantClass(plan, name, true)),
          ),
        ),
      );
    },
  };

  /** @param {Chosen[]} chosen @param {string} nothing */
  function listChosen(chosen, nothing) {
    if (chosen.length === 0) return [el("span", { class: "quiet", text: nothing })];
    return chosen.map(({ text, test, remove }) =>
      el("button", {
        class: "chip",
        text: `${text} ×`,
        test,
        aria: { label: words.remove(text) },
        on: { click: () => change(remove) },
      }),
    );
  }
}

/** @param {FirstSet} set @param {(name: string) => string} display @returns {Chosen} */
function chosenSet(set, display) {
  const words = texts.board.steer;
  const key = keyOfSet(set);
  const names = { returned: words.returned, class: words.ofClass(display(set.class ?? "")), query: words.ofQuery(set.query_id ?? 0) };
  return {
    text: names[set.kind],
    test: `first:${key}`,
    remove: (plan) => removeSet(plan, plan.first.findIndex((one) => keyOfSet(one) === key)),
  };
}

/** @param {string} name @param {(name: string) => string} display @returns {Chosen} */
function chosenClass(name, display) {
  const text = texts.board.steer.wants(display(name));
  return { text, test: `wants:${name}`, remove: (plan) => wantClass(plan, name, false) };
}

/**
 * A list of classes, the rarest first; what is chosen is done at once.
 * @param {string} test
 * @param {string} label
 * @param {readonly ClassProgress[]} classes
 * @param {(name: string) => void} choose
 */
function picker(test, label, classes, choose) {
  const options = classes.map((one) => el("option", { value: one.name, text: one.display }));
  const select = el(
    "select",
    { test, aria: { label }, on: { change: () => choose(select.value) } },
    el("option", { value: "", text: texts.board.steer.pick }),
    ...options,
  );
  return select;
}
