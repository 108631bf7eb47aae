/** Around a pair: the column of clusters, what was measured, and the keys to say what the pair is. */

import {
  canJoinAll,
  choicesFor,
  countFor,
  isAside,
  keyOf,
  MODES,
  openHere,
  RELATIONS,
  SHOWS,
  spotsHere,
} from "../state/cluster_review.js";
import { texts } from "../organising_texts.js";
import { el, refill } from "./dom.js";

/** @import {Filter, Review, Spot} from "../state/types.js" */
/** @import {Props, Run} from "./types.js" */

/** @typedef {{goTo: (place: number) => void, choose: (filter: Filter) => void}} Actions */

/**
 * @param {HTMLElement} place
 * @param {Review} review
 * @param {Actions} actions
 */
export function fillQueue(place, review, { goTo, choose }) {
  const list = el("ol", { class: "pairs" });
  for (const [at, spot] of review.spots.entries()) list.append(...entry(review, at, spot, goTo));
  const waiting = countFor(review.counts, { show: "waiting", relation: "any" });
  refill(
    place,
    el("h1", { text: texts.clusters.title }),
    el("p", { class: "count", test: "waiting", text: texts.clusters.waiting(waiting) }),
    filters(review, choose),
    list,
    precision(review),
  );
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/**
 * What is shown: which decisions, of which relation, with the number of pairs of each.
 * @type {(review: Review, choose: Actions["choose"]) => HTMLDivElement}
 */
function filters({ counts, filter }, choose) {
  const { show, relation, showLabel, relationLabel } = texts.clusters.filters;
  const relations = [/** @type {const} */ ("any"), ...RELATIONS];
  return el(
    "div",
    { class: "filters" },
    chooser("show", showLabel, SHOWS, show),
    chooser("relation", relationLabel, relations, relation),
  );

  /**
   * @param {keyof Filter} name
   * @param {string} label
   * @param {readonly string[]} values
   * @param {Record<string, string>} words
   */
  function chooser(name, label, values, words) {
    const change = () => choose({ ...filter, [name]: select.value });
    const options = values.map((value) =>
      el("option", { value, text: `${words[value]} (${countFor(counts, { ...filter, [name]: value })})` }),
    );
    const select = el(
      "select",
      { name, test: `filter-${name}`, aria: { label }, on: { change } },
      ...options,
    );
    select.value = filter[name];
    return select;
  }
}

/**
 * The pair, and after the last of a large cluster how many more it has.
 * @type {(review: Review, at: number, spot: Spot, goTo: (place: number) => void) => HTMLLIElement[]}
 */
function entry(review, at, spot, goTo) {
  const verdict = review.verdicts[keyOf(spot)];
  const isFirst = review.spots[at - 1]?.cluster !== spot.cluster;
  const picture = el("img", { class: "thumb", loading: "lazy", alt: "", src: spot.pair.image.url });
  const name = el("b", { text: texts.clusters.pair(spot.kept.id, spot.pair.image.id) });
  const said = verdict ? texts.clusters.said[verdict] : texts.clusters.doubt(spot.pair.doubt);
  const mark = el("span", { class: verdict ? `verdict ${verdict}` : "doubt", text: said });
  const words = el("span", { class: "words" }, name, mark);
  const aria = /** @type {Record<string, string>} */ (at === review.place ? { current: "true" } : {});
  const button = el("button", { aria, on: { click: () => goTo(at) } }, picture, words);
  const isLast = review.spots[at + 1]?.cluster !== spot.cluster;
  const more = isLast && spot.more > 0;
  return [
    el("li", { class: isFirst ? "first" : "" }, button),
    ...(more ? [el("li", { class: "more", text: texts.clusters.more(spot.more) })] : []),
  ];
}

/** @param {Review} review */
function precision(review) {
  const rows = review.precision.map((precision) =>
    el("li", { test: `precision-${precision.relation}`, text: texts.clusters.precision(precision) }),
  );
  const list = rows.length ? rows : [el("li", { text: texts.clusters.noPrecision })];
  const title = el("h2", { text: texts.clusters.precisionTitle });
  return el("section", { class: "precision" }, title, el("ul", {}, ...list));
}

/**
 * @param {HTMLElement} place
 * @param {Review} review
 * @param {Spot | null} spot
 * @param {Run} run
 */
export function fillFacts(place, review, spot, run) {
  if (!spot) return place.replaceChildren();
  const { pair } = spot;
  const words = texts.clusters;
  const measures = [
    words.doubt(pair.doubt),
    pair.similarity === null ? "" : words.similarity(pair.similarity),
    pair.drawn ? words.drawn(pair.drawn) : "",
    pair.beyond >= 0.01 ? words.beyond(pair.beyond) : "",
    pair.margin >= 0.01 ? words.margin(pair.margin) : "",
    pair.features ? words.features(pair.features) : "",
    pair.gap_secs === null ? "" : words.gap(pair.gap_secs),
    words.how(pair.decided_by_person),
  ];
  const shown =
    review.mode === "cluster" ? [words.members(spotsHere(review).length + 1, spot.more)] : measures;
  const modes = MODES.map((mode, at) => {
    const looks = { test: `mode-${mode}`, aria: { pressed: String(review.mode === mode) } };
    return keyButton(words.modes[mode], String(at + 1), () => run(`mode:${mode}`), looks);
  });
  place.replaceChildren(
    el("h2", { test: "relation", text: words.relations[pair.relation] }),
    el("ul", { class: "measures" }, ...shown.filter(Boolean).map((text) => el("li", { text }))),
    el("div", { class: "modes", role: "group", aria: { label: words.view } }, ...modes),
  );
}

/**
 * @param {HTMLElement} place
 * @param {Review} review
 * @param {Spot | null} spot
 * @param {Run} run
 */
export function fillVerdicts(place, review, spot, run) {
  if (!spot) return place.replaceChildren();
  const words = texts.clusters;
  const choices = choicesFor(spot);
  const open = openHere(review).length;
  const say = (/** @type {keyof choices} */ choice, /** @type {string} */ key) => {
    const aria = { pressed: String(review.verdicts[keyOf(spot)] === choices[choice]) };
    const looks = { test: `say-${choices[choice]}`, class: choice, aria };
    return keyButton(words.say[choices[choice]], key, () => run(`say:${choice}`), looks);
  };
  const all = [
    say("confirm", "C"),
    say("split", "S"),
    say("other", "E"),
    isAside(spot) ? keyButton(words.keepOther, "X", () => run("keep"), { test: "keep" }) : "",
    open > 1
      ? keyButton(words.confirmAll(open), "⇧C", () => run("confirm.all"), { test: "confirm-all" })
      : "",
    canJoinAll(review, spot)
      ? keyButton(words.joinAll(open), "⇧E", () => run("same.all"), { test: "join-all" })
      : "",
    el(
      "span",
      { class: "moves" },
      keyButton(words.back, "←", () => run("pair.previous"), {}),
      keyButton(words.on, "→", () => run("pair.next"), {}),
      keyButton(words.undo, "Z", () => run("undo"), { test: "undo", disabled: review.said.length === 0 }),
      keyButton("", "?", () => run("help"), { test: "help", title: words.keys, aria: { label: words.keys } }),
    ),
  ];
  place.replaceChildren(...all);
}

/**
 * @param {string} words
 * @param {string} key
 * @param {() => void} click
 * @param {Props} looks
 */
function keyButton(words, key, click, looks) {
  return el(
    "button",
    { ...looks, on: { click } },
    words ? el("span", { text: words }) : null,
    el("kbd", { text: key }),
  );
}
