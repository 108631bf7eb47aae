/** Two images side by side, alternating, or as their difference; or all images of a cluster on a sheet. */

import { boxesToKept, fitInto, otherToKept } from "../geometry/viewport.js";
import { keyOf, spotOf } from "../state/cluster_review.js";
import { texts } from "../organising_texts.js";
import { el, loadImage } from "./dom.js";

/** @import {Mode, Review, ShownImage, Spot} from "../state/types.js" */

const FLICKER_MS = 500;
/** Differences of JPEG compression alone stay dark. */
const DIFFERENCE_GAIN = 2.5;

/** @param {HTMLElement} place */
export function mountPairStage(place) {
  let shown = /** @type {{spot: Spot, mode: Mode} | null} */ (null);
  let isOther = false;
  let timer = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

  async function redraw() {
    if (!shown || shown.mode === "side") return;
    const { spot, mode } = shown;
    const [kept, other] = await Promise.all(
      [spot.kept, spot.pair.image].map(({ url }) => loadImage(url).catch(() => null)),
    );
    if (shown?.spot !== spot || shown.mode !== mode) return;
    const canvas = place.querySelector("canvas");
    if (!kept || !other) return place.querySelector("figure")?.replaceChildren(missing());
    if (canvas) draw(canvas, spot, mode, { kept, other, isOther });
    const caption = place.querySelector("figcaption");
    if (mode === "flicker") caption?.replaceChildren(facts(...sidesOf(spot)[Number(isOther)]));
  }

  function stop() {
    clearInterval(timer);
    shown = null;
  }

  function flip() {
    if (shown?.mode !== "flicker") return;
    isOther = !isOther;
    place.dataset.shows = isOther ? "other" : "kept";
    void redraw();
  }

  new ResizeObserver(() => void redraw()).observe(place);
  return {
    flip,
    /**
     * @param {Review} review
     * @param {readonly Spot[]} spots
     * @param {(place: number) => void} goTo
     */
    showAll(review, spots, goTo) {
      stop();
      place.dataset.mode = "cluster";
      fillSheet(place, review, spots, goTo);
    },
    /**
     * @param {Spot | null} spot
     * @param {Mode} mode
     */
    show(spot, mode) {
      stop();
      shown = spot && { spot, mode };
      isOther = false;
      place.dataset.mode = spot ? mode : "none";
      place.dataset.shows = "kept";
      if (!spot) return place.replaceChildren();
      if (mode !== "side" && mode !== "flicker" && mode !== "difference") return;
      place.replaceChildren(
        ...(mode === "side" ? sidesOf(spot).map((side) => figure(...side)) : [oneFigure(mode)]),
      );
      if (mode === "flicker" && !isCalm.matches) timer = setInterval(flip, FLICKER_MS);
      void redraw();
    },
  };
}

/**
 * Both images, each with its name.
 * @param {Spot} spot
 * @returns {[ShownImage, string][]}
 */
function sidesOf({ kept, pair }) {
  return [
    [kept, texts.clusters.kept],
    [pair.image, texts.clusters.other[pair.relation]],
  ];
}

/** @param {ShownImage} image */
function looksOf({ id, url }) {
  return { data: { image: String(id) }, alt: texts.clusters.image(id), src: url };
}

/**
 * @param {ShownImage} image
 * @param {string} words
 */
function figure(image, words) {
  const picture = el("img", { class: "picture", ...looksOf(image) });
  picture.addEventListener("error", () => picture.replaceWith(missing()));
  const caption = el("figcaption", {}, facts(image, words), makeCredits(image));
  return el("figure", {}, el("div", { class: "frame" }, picture), caption);
}

/**
 * @param {ShownImage} image
 * @param {string} words
 */
function facts(image, words) {
  return el(
    "p",
    { class: "line" },
    el("b", { text: words }),
    el("span", { text: texts.clusters.image(image.id) }),
    el("span", { text: `${image.width} × ${image.height}` }),
    el("span", { text: texts.clusters.states[image.state] ?? image.state }),
  );
}

function missing() {
  return el("p", { class: "missing", text: texts.clusters.missing });
}

/** @param {"flicker" | "difference"} mode */
function oneFigure(mode) {
  const canvas = el("canvas", { role: "img", aria: { label: texts.clusters.modes[mode] } });
  const caption = el("figcaption", {}, el("p", { class: "line", text: texts.clusters.hints[mode] }));
  return el("figure", {}, el("div", { class: "frame" }, canvas), caption);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Spot} spot
 * @param {Mode} mode
 * @param {{kept: HTMLImageElement, other: HTMLImageElement, isOther: boolean}} pictures
 */
function draw(canvas, spot, mode, { kept, other, isOther }) {
  const frame = /** @type {HTMLElement} */ (canvas.parentElement);
  const space = { width: frame.clientWidth, height: frame.clientHeight };
  const size = fitInto(spot.kept, space);
  Object.assign(canvas, size);
  const context = canvas.getContext("2d");
  if (!context) return;
  const paintKept = () => context.drawImage(kept, 0, 0, size.width, size.height);
  const paintOther = () => {
    context.save();
    context.scale(size.width, size.height);
    context.transform(...otherToKept(spot.pair.map, spot.pair.image.id));
    context.drawImage(other, 0, 0, 1, 1);
    context.restore();
  };
  if (mode === "flicker") {
    if (isOther) paintOther();
    else paintKept();
  } else {
    paintKept();
    context.globalCompositeOperation = "difference";
    paintOther();
    canvas.style.filter = `brightness(${DIFFERENCE_GAIN})`;
  }
  context.globalCompositeOperation = "source-over";
  outline(context, spot, size);
  canvas.dataset.ready = `${mode}-${isOther ? "other" : "kept"}`;
}

/**
 * Outlines what was taken for writing, light on dark, so that it is seen on any picture.
 * @type {(context: CanvasRenderingContext2D, spot: Spot, size: {width: number, height: number}) => void}
 */
function outline(context, { pair }, { width, height }) {
  context.save();
  context.scale(width, height);
  context.transform(...boxesToKept(pair.map, pair.image.id));
  context.beginPath();
  for (const [left, top, right, bottom] of pair.drawn_boxes)
    context.rect(left, top, right - left, bottom - top);
  context.restore();
  for (const [lineWidth, strokeStyle] of /** @type {const} */ ([
    [4, "black"],
    [2, "white"],
  ])) {
    Object.assign(context, { lineWidth, strokeStyle });
    context.stroke();
  }
}

/**
 * The sheet of a cluster; what stays on it keeps its pictures, so that a verdict does not make it blink.
 * @type {(place: HTMLElement, review: Review, spots: readonly Spot[], goTo: (place: number) => void) => void}
 */
function fillSheet(place, review, spots, goTo) {
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
  const known = before?.querySelector(`img[data-image="${image.id}"]`);
  const picture = known ?? el("img", { loading: "lazy", ...looksOf(image) });
  const said = el("span", { class: `mark ${kind}`, text: mark });
  const words = el("span", { class: "words" }, el("b", { text: String(image.id) }), said);
  if (!onClick) return el("div", { class: `cell ${kind}` }, picture, words);
  /** @type {Record<string, string>} */
  const aria = isCurrent ? { current: "true" } : {};
  return el("button", { class: "cell", aria, on: { click: onClick } }, picture, words);
}

/** @param {ShownImage} image */
function makeCredits({ id, photo, photos }) {
  const words = texts.clusters.credits;
  if (!photo) return el("p", { class: "line credits", test: `credits-${id}`, text: words.none });
  const licence = photo.licence_name || words.noLicence;
  return el(
    "p",
    { class: "line credits", test: `credits-${id}` },
    el("span", { class: "owner", title: photo.title, text: photo.owner_name || words.noOwner }),
    photo.licence_url ? link(photo.licence_url, licence) : el("span", { text: licence }),
    el("span", { text: photo.taken ? words.taken(photo.taken) : words.notTaken }),
    photo.uploaded ? el("span", { text: words.uploaded(photo.uploaded.slice(0, 10)) }) : null,
    photo.page_url ? link(photo.page_url, words.page(photo.source)) : null,
    photos > 1 ? el("span", { text: words.more(photos - 1) }) : null,
  );
}

/**
 * @param {string} href
 * @param {string} text
 */
function link(href, text) {
  return el("a", { href, text, target: "_blank", rel: "noopener noreferrer" });
}
