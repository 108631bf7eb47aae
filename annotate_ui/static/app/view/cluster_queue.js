/** The column of clusters, the doubtful ones first, and how often people agreed so far. */

import { keyOf } from "../state/cluster_review.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../state/cluster_review.js").Review} Review */

/**
 * @param {HTMLElement} place
 * @param {Review} review
 * @param {(place: number) => void} goTo
 */
export function fillQueue(place, review, goTo) {
  const list = el("ol", { class: "pairs" });
  for (const [at, spot] of review.spots.entries()) list.append(entry(review, at, spot, goTo));
  place.replaceChildren(
    el("h1", { text: texts.clusters.title }),
    el("p", { class: "count", test: "waiting", text: texts.clusters.waiting(review.waiting) }),
    list,
    precision(review),
  );
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/**
 * @param {Review} review
 * @param {number} at
 * @param {import("../state/cluster_review.js").Spot} spot
 * @param {(place: number) => void} goTo
 */
function entry(review, at, spot, goTo) {
  const verdict = review.verdicts[keyOf(spot)];
  const isFirst = review.spots[at - 1]?.cluster !== spot.cluster;
  const picture = el("img", { class: "thumb" });
  picture.src = spot.pair.image.url;
  picture.alt = "";
  picture.loading = "lazy";
  const button = el(
    "button",
    {
      type: "button",
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
  return el("li", { class: isFirst ? "first" : "" }, button);
}

/** @param {Review} review */
function precision(review) {
  const rows = review.precision.map((it) =>
    el("li", {
      test: `precision-${it.relation}`,
      text: texts.clusters.precision(it),
    }),
  );
  const none = el("li", { text: texts.clusters.noPrecision });
  return el(
    "section",
    { class: "precision" },
    el("h2", { text: texts.clusters.precisionTitle }),
    el("ul", {}, ...(rows.length ? rows : [none])),
  );
}
