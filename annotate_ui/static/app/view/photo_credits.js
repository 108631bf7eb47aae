/** Whose photograph an image is, under which licence, from when, and the page it came from. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../state/cluster_review.js").ShownImage} ShownImage */

/**
 * @param {ShownImage} image
 */
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

/**
 * @param {string} address
 * @param {string} words
 */
function link(address, words) {
  const made = el("a", { href: address, text: words });
  made.target = "_blank";
  made.rel = "noopener noreferrer";
  return made;
}
