/** All images of a cluster at once: the kept one, and each that belongs to it. */

import { keyOf, spotOf } from "../state/cluster_review.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../state/cluster_review.js").Review} Review */
/** @typedef {import("../state/cluster_review.js").Spot} Spot */

/**
 * The sheet; what stays on it keeps its pictures, so that a verdict does not make it blink.
 * @param {HTMLElement} place
 * @param {Review} review
 * @param {readonly Spot[]} spots of one cluster
 * @param {(place: number) => void} goTo
 */
export function fillSheet(place, review, spots, goTo) {
  const before = place.querySelector(".sheet");
  const [{ kept, more }] = spots;
  const sheet = el("div", { class: "sheet", test: "sheet", tabindex: -1 });
  sheet.append(
    tile(before, kept, { mark: texts.clusters.kept, kind: "kept" }),
    ...spots.map((spot) => {
      const verdict = review.verdicts[keyOf(spot)];
      return tile(before, spot.pair.image, {
        mark: verdict ? texts.clusters.said[verdict] : texts.clusters.doubt(spot.pair.doubt),
        kind: verdict ?? "",
        isCurrent: spot === spotOf(review),
        onClick: () => goTo(review.spots.indexOf(spot)),
      });
    }),
  );
  if (more) sheet.append(el("p", { class: "more", text: texts.clusters.more(more) }));
  const top = before?.scrollTop ?? 0;
  place.replaceChildren(sheet);
  sheet.scrollTop = top;
  sheet.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/**
 * @param {Element | null} before
 * @param {import("../state/cluster_review.js").ShownImage} image
 * @param {{mark: string, kind: string, isCurrent?: boolean, onClick?: () => void}} looks
 */
function tile(before, image, { mark, kind, isCurrent = false, onClick }) {
  const picture = before?.querySelector(`img[data-image="${image.id}"]`) ?? thumb(image);
  const words = el(
    "span",
    { class: "words" },
    el("b", { text: String(image.id) }),
    el("span", { class: `mark ${kind}`, text: mark }),
  );
  if (!onClick) return el("div", { class: `cell ${kind}` }, picture, words);
  /** @type {Record<string, string>} */
  const aria = isCurrent ? { current: "true" } : {};
  return el("button", { type: "button", class: "cell", aria, on: { click: onClick } }, picture, words);
}

/** @param {import("../state/cluster_review.js").ShownImage} image */
function thumb(image) {
  const picture = el("img", { data: { image: String(image.id) } });
  picture.alt = texts.clusters.image(image.id);
  picture.loading = "lazy";
  picture.src = image.url;
  return picture;
}
