/** The images of a cluster: all at once on a sheet, and whose photograph each is. */

import { keyOf, spotOf } from "../state/cluster_review.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @import {Review, ShownImage, Spot} from "../state/cluster_review.js" */

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
 * @param {ShownImage} image
 * @param {{mark: string, kind: string, isCurrent?: boolean, onClick?: () => void}} looks
 */
function tile(before, image, { mark, kind, isCurrent = false, onClick }) {
  const looks = { data: { image: String(image.id) }, alt: texts.clusters.image(image.id), src: image.url };
  const known = before?.querySelector(`img[data-image="${image.id}"]`);
  const picture = known ?? el("img", { loading: "lazy", ...looks });
  const words = el(
    "span",
    { class: "words" },
    el("b", { text: String(image.id) }),
    el("span", { class: `mark ${kind}`, text: mark }),
  );
  if (!onClick) return el("div", { class: `cell ${kind}` }, picture, words);
  /** @type {Record<string, string>} */
  const aria = isCurrent ? { current: "true" } : {};
  return el("button", { class: "cell", aria, on: { click: onClick } }, picture, words);
}

/** @param {ShownImage} image */
export function makeCredits({ id, photo, photos }) {
  const words = texts.clusters.credits;
  if (!photo) return el("p", { class: "line credits", test: `credits-${id}`, text: words.none });
  return el(
    "p",
    { class: "line credits", test: `credits-${id}` },
    el("span", { class: "owner", title: photo.title, text: photo.owner_name || words.noOwner }),
    licence(photo),
    el("span", { text: photo.taken ? words.taken(photo.taken) : words.notTaken }),
    photo.uploaded ? el("span", { text: words.uploaded(photo.uploaded.slice(0, 10)) }) : null,
    photo.page_url ? link(photo.page_url, words.page(photo.source)) : null,
    photos > 1 ? el("span", { text: words.more(photos - 1) }) : null,
  );
}

/** @param {NonNullable<ShownImage["photo"]>} photo */
function licence({ licence_name: name, licence_url: url }) {
  const words = name || texts.clusters.credits.noLicence;
  return url ? link(url, words) : el("span", { text: words });
}

/** @param {string} href @param {string} text */
function link(href, text) {
  return el("a", { href, text, target: "_blank", rel: "noopener noreferrer" });
}
