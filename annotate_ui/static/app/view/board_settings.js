/** What organisers set on the board: shares, campaigns, what comes first, which classes are wanted. */

import { addSet, grouped, keyOfSet, removeSet, wantClass } from "../state/board.js";
import { texts } from "../organising_texts.js";
import { askSure } from "./dialog.js";
import { el, fillOnce, imagesLink } from "./dom.js";

/** @import {Board, Campaign, ClassProgress, FirstSet, Plan, Shares, Stuck} from "../state/types.js" */

/** @param {(shares: Shares) => void} save */
export function mountShares(save) {
  const words = texts.board.shares;
  let number = -1;
  const twice = makeNumber("double_share", 0.1);
  const gold = makeNumber("gold_share", 0.1);
  const training = makeNumber("training_images", 1);
  const submit = () =>
    save({
      number,
      double_share: Number(twice.value) / 100,
      gold_share: Number(gold.value) / 100,
      training_images: Math.round(Number(training.value)),
    });
  const element = el(
    "form",
    { class: "shares", on: { submit } },
    el("label", {}, el("span", { text: words.double }), twice, el("span", { text: "%" })),
    el("label", {}, el("span", { text: words.gold }), gold, el("span", { text: "%" })),
    el("label", {}, el("span", { text: words.training }), training, el("span")),
    el("button", { type: "submit", text: words.save, test: "shares-save" }),
  );
  return {
    element,
    forget: () => void (number = -1),
    /** Keeps what is typed; another version comes when the form is not in use. @param {Shares} shares */
    show(shares) {
      if (number >= 0 && (shares.number === number || element.contains(document.activeElement))) return;
      number = shares.number;
      twice.value = sayPercent(shares.double_share);
      gold.value = sayPercent(shares.gold_share);
      training.value = String(shares.training_images);
    },
  };
}

/**
 * @param {string} name
 * @param {number} step
 * @param {string} value
 */
export function makeNumber(name, step, value = "") {
  return el("input", { type: "number", name, test: name, value, min: 0, max: 100, step, required: true });
}

/** With one decimal. @param {number} share */
export function sayPercent(share) {
  return String(Math.round(share * 1000) / 10);
}

/** Stages of a campaign's images, in the order shown. */
const STAGES = ["done", "check", "annotate", "taken_down"];

/** What is annotated again, how far it is, and how to end it. @param {(campaign: Campaign) => void} onEnd */
export function mountCampaigns(onEnd) {
  const words = texts.board.campaigns;
  const list = el("ul", { class: "campaigns" });
  const head = el("header", {}, el("h2", { text: words.title }));
  const element = el(
    "section",
    { class: "card wide", data: { card: "campaigns" }, hidden: true },
    head,
    list,
  );
  return {
    element,
    /** @param {Campaign[]} campaigns */
    show(campaigns) {
      element.hidden = campaigns.length === 0;
      fillOnce(list, campaigns, () => campaigns.map(describe));
    },
  };

  /** @param {Campaign} campaign */
  function describe(campaign) {
    const { name, stages } = campaign;
    const link = (/** @type {string} */ stage) =>
      imagesLink({ campaign: `${name}/${stage}` }, grouped(stages[stage] ?? 0), `campaign:${name}:${stage}`);
    const all = imagesLink({ campaign: name }, grouped(campaign.images), `campaign:${name}:all`);
    const parts = STAGES.filter((stage) => stage === "done" || stages[stage]).map((stage) =>
      el(
        "span",
        {},
        link(stage),
        stage === "done" ? el("span", {}, ` ${words.of} `, all) : null,
        ` ${words.stages[stage]}`,
      ),
    );
    const click = async () => (await askSure(words.sure(name), words.end)) && onEnd(campaign);
    const end = el("button", { text: words.end, test: `end:${name}`, on: { click } });
    const state = el("p", {}, el("b", { text: name }), ...parts.flatMap((part) => [" · ", part]), " ", end);
    const asked = el("p", {
      class: "quiet",
      text: words.asked(campaign.made_by, campaign.at.slice(0, 10), campaign.text),
    });
    return el("li", { test: `campaign:${name}` }, state, asked);
  }
}

/** Images that no queue gives out; hidden without any. @param {(imageId: number, state: string) => void} onSettle */
export function mountStuck(onSettle) {
  const words = texts.board.stuck;
  const list = el("ul", { class: "campaigns" });
  const head = el("header", {}, el("h2", { text: words.title }));
  const note = el("p", { class: "quiet", text: words.note });
  const element = el(
    "section",
    { class: "card wide", data: { card: "stuck" }, hidden: true },
    head,
    list,
    note,
  );
  return {
    element,
    /** @param {Stuck[]} stuck */
    show(stuck) {
      element.hidden = stuck.length === 0;
      fillOnce(list, stuck, () => stuck.map(describe));
    },
  };

  /** @param {Stuck} one */
  function describe({ image_id: id, state, reason }) {
    const text = `${texts.images.states[state] ?? state}: ${reason}`;
    const settle = el("button", {
      text: words.settle(id),
      test: `settle:${id}`,
      on: { click: () => onSettle(id, state) },
    });
    const link = imagesLink({ id: String(id) }, String(id), `stuck:${id}`);
    return el("li", { test: `stuck-image:${id}` }, el("p", {}, link, ` · ${text} `, settle));
  }
}

/** @typedef {(plan: Plan) => Plan} Step */

/** @param {(step: Step) => void} change */
export function mountSteer(change) {
  const words = texts.board.steer;
  const element = el("dl", { class: "steer" });
  return {
    element,
    /** A list that is open stays. @param {Board} board */
    show: (board) => fillOnce(element, [board.first, board.wanted_classes], () => describe(board)),
  };

  /** @param {Board} board */
  function describe({ first, wanted_classes: wanted, classes }) {
    const display = (/** @type {string} */ id) =>
      classes.find((progress) => progress.id === id)?.display ?? id;
    const rarest = classes.toSorted((first, second) => first.objects - second.objects);
    const sets = first.map((set) => chosenSet(set, display));
    const names = wanted.map((id) =>
      chip(words.wants(display(id)), `wants:${id}`, (plan) => wantClass(plan, id, false)),
    );
    const notFirst = rarest.filter(({ id }) => first.every((set) => set.class !== id));
    const notWanted = rarest.filter(({ id }) => !wanted.includes(id));
    const none = (/** @type {string} */ text) => [el("span", { class: "quiet", text })];
    const addFirst = (/** @type {string} */ name) => (/** @type {Plan} */ plan) =>
      addSet(plan, { kind: "class", class: name });
    const addWanted = (/** @type {string} */ name) => (/** @type {Plan} */ plan) =>
      wantClass(plan, name, true);
    const pickFirst = picker("add-first", words.addFirst, notFirst, addFirst);
    const pickWanted = picker("add-wanted", words.addWanted, notWanted, addWanted);
    const data = { on: String(wanted.length > 0) };
    return [
      el("dt", { text: words.first }),
      el("dd", {}, ...(sets.length ? sets : none(words.nothingFirst)), pickFirst),
      el("dt", { text: words.wanted }),
      el("dd", { data }, ...(names.length ? names : none(words.allWanted)), pickWanted),
    ];
  }

  /**
   * @param {string} text
   * @param {string} test
   * @param {Step} remove
   */
  function chip(text, test, remove) {
    const label = words.remove(text);
    return el("button", {
      class: "chip",
      text: `${text} ×`,
      test,
      aria: { label },
      on: { click: () => change(remove) },
    });
  }

  /**
   * @param {FirstSet} set
   * @param {(name: string) => string} display
   */
  function chosenSet(set, display) {
    const key = keyOfSet(set);
    const names = {
      returned: words.returned,
      class: words.ofClass(display(set.class ?? "")),
      query: words.ofQuery(set.query_id ?? 0),
    };
    const place = (/** @type {Plan} */ plan) => plan.first.findIndex((set) => keyOfSet(set) === key);
    return chip(names[set.kind], `first:${key}`, (plan) => removeSet(plan, place(plan)));
  }

  /**
   * A list of classes, the rarest first; what is chosen is done at once.
   * @param {string} test
   * @param {string} label
   * @param {readonly ClassProgress[]} classes
   * @param {(name: string) => Step} stepOf
   */
  function picker(test, label, classes, stepOf) {
    const options = classes.map((progress) => el("option", { value: progress.id, text: progress.display }));
    const looks = { test, aria: { label }, on: { change: () => change(stepOf(select.value)) } };
    const select = el("select", looks, el("option", { value: "", text: words.pick }), ...options);
    return select;
  }
}
