/** The column of clusters, the doubtful ones first, and how often people agreed so far. */

import { countFor, keyOf, RELATIONS, SHOWS } from "../state/cluster_review.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @import {Filter, Review, Spot} from "../state/cluster_review.js" */

/** @typedef {{goTo: (place: number) => void, choose: (filter: Filter) => void}} Actions */

/** @param {HTMLElement} place @param {Review} review @param {Actions} actions */
export function fillQueue(place, review, { goTo, choose }) {
  const list = el("ol", { class: "pairs" });
  for (const [at, spot] of review.spots.entries()) list.append(...entry(review, at, spot, goTo));
  const focused = document.activeElement instanceof HTMLSelectElement ? document.activeElement.name : "";
  const waiting = countFor(review.counts, { show: "waiting", relation: "any" });
  place.replaceChildren(
    el("h1", { text: texts.clusters.title }),
    el("p", { class: "count", test: "waiting", text: texts.clusters.waiting(waiting) }),
    filters(review, choose),
    list,
    precision(review),
  );
  const select = focused && place.querySelector(`select[name=${focused}]`);
  if (select instanceof HTMLElement) select.focus();
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/**
 * What is shown: which decisions, of which relation, with the number of pairs of each.
 * @param {Review} review
 * @param {Actions["choose"]} choose
 */
function filters({ counts, filter }, choose) {
  const words = texts.clusters.filters;
  const shows = SHOWS.map((show) => ({
    value: show,
    text: `${words.show[show]} (${countFor(counts, { ...filter, show })})`,
  }));
  const relations = [/** @type {const} */ ("any"), ...RELATIONS].map((relation) => ({
    value: relation,
    text: `${words.relation[relation]} (${countFor(counts, { ...filter, relation })})`,
  }));
  return el(
    "div",
    { class: "filters" },
    chooser("show", words.showLabel, shows, filter.show, (show) =>
      choose({ ...filter, show: /** @type {Filter["show"]} */ (show) }),
    ),
    chooser("relation", words.relationLabel, relations, filter.relation, (relation) =>
      choose({ ...filter, relation: /** @type {Filter["relation"]} */ (relation) }),
    ),
  );
}

/**
 * @param {string} name
 * @param {string} label
 * @param {readonly {value: string, text: string}[]} options
 * @param {string} chosen
 * @param {(value: string) => void} onChange
 */
function chooser(name, label, options, chosen, onChange) {
  const select = el(
    "select",
    { name, test: `filter-${name}`, aria: { label } },
    ...options.map((option) => el("option", option)),
  );
  select.value = chosen;
  select.addEventListener("change", () => onChange(select.value));
  return select;
}

/**
 * The pair, and after the last of a large cluster how many more it has.
 * @param {Review} review
 * @param {number} at
 * @param {Spot} spot
 * @param {(place: number) => void} goTo
 */
function entry(review, at, spot, goTo) {
  const verdict = review.verdicts[keyOf(spot)];
  const isFirst = review.spots[at - 1]?.cluster !== spot.cluster;
  const picture = el("img", { class: "thumb", loading: "lazy", alt: "", src: spot.pair.image.url });
  const button = el(
    "button",
    {
      aria: at === review.place ? { current: "true" } : {},
      on: { click: () => goTo(at) },
    },
    picture,
    el(
      "span",
      { class: "words" },
      el("b", { text: texts.clusters.pair(spot.kept.id, spot.pair.image.id) }),
      el("span", {
        class: verdict ? `verdict ${verdict}` : "doubt",
        text: verdict ? texts.clusters.said[verdict] : texts.clusters.doubt(spot.pair.doubt),
      }),
    ),
  );
  const isLast = review.spots[at + 1]?.cluster !== spot.cluster;
  const more = isLast && spot.more > 0;
  return [
    el("li", { class: isFirst ? "first" : "" }, button),
    ...(more ? [el("li", { class: "more", text: texts.clusters.more(spot.more) })] : []),
  ];
}

/** @param {Review} review */
function precision(review) {
  const rows = review.precision.map((it) =>
    el("li", { test: `precision-${it.relation}`, text: texts.clusters.precision(it) }),
  );
  const none = el("li", { text: texts.clusters.noPrecision });
  return el(
    "section",
    { class: "precision" },
    el("h2", { text: texts.clusters.precisionTitle }),
    el("ul", {}, ...(rows.length ? rows : [none])),
  );
}
