/** Two images side by side, alternating in one frame, or as their difference. */

import { fitInto, otherToKept } from "../geometry/frames.js";
import { texts } from "../texts.js";
import { fillSheet, makeCredits } from "./cluster_images.js";
import { el } from "./dom.js";

/** @import {Mode, Review, ShownImage, Spot} from "../state/cluster_review.js" */

const FLICKER_MS = 500;
/** Differences of JPEG compression alone stay dark. */
const DIFFERENCE_GAIN = 2.5;

/**
 * @typedef {{
 *   show: (spot: Spot | null, mode: Mode) => void, flip: () => void,
 *   showAll: (review: Review, spots: readonly Spot[], goTo: (place: number) => void) => void,
 * }} PairStage
 */

/** @param {HTMLElement} place @returns {PairStage} */
export function mountPairStage(place) {
  let shown = /** @type {{spot: Spot, mode: Mode} | null} */ (null);
  let isOther = false;
  let timer = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

  async function redraw() {
    if (!shown || shown.mode === "side") return;
    const { spot, mode } = shown;
    const [kept, other] = await Promise.all([load(spot.kept.url), load(spot.pair.image.url)]);
    if (shown?.spot !== spot || shown.mode !== mode) return;
    const canvas = place.querySelector("canvas");
    if (!kept || !other) return place.querySelector("figure")?.replaceChildren(missing());
    if (canvas) draw(canvas, spot, mode, { kept, other, isOther });
    const caption = place.querySelector("figcaption");
    if (mode === "flicker" && caption) fillCaption(caption, spot, isOther);
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
    showAll(review, spots, goTo) {
      stop();
      place.dataset.mode = "cluster";
      fillSheet(place, review, spots, goTo);
    },
    show(spot, mode) {
      stop();
      shown = spot && { spot, mode };
      isOther = false;
      place.dataset.mode = spot ? mode : "none";
      place.dataset.shows = "kept";
      if (!spot) return place.replaceChildren();
      if (mode !== "side" && mode !== "flicker" && mode !== "difference") return;
      place.replaceChildren(...(mode === "side" ? twoFigures(spot) : [oneFigure(mode)]));
      if (mode === "flicker" && !isCalm.matches) timer = setInterval(flip, FLICKER_MS);
      void redraw();
    },
  };
}

/** @param {Spot} spot */
function twoFigures({ kept, pair }) {
  return [figure(kept, texts.clusters.kept), figure(pair.image, texts.clusters.other[pair.relation])];
}

/** @param {ShownImage} image @param {string} words */
function figure(image, words) {
  const looks = { data: { image: String(image.id) }, alt: texts.clusters.image(image.id), src: image.url };
  const picture = el("img", { class: "picture", ...looks });
  picture.addEventListener("error", () => picture.replaceWith(missing()));
  return el(
    "figure",
    {},
    el("div", { class: "frame" }, picture),
    el("figcaption", {}, facts(image, words), makeCredits(image)),
  );
}

/** @param {ShownImage} image @param {string} words */
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

/** Which of the two the frame shows now. @param {HTMLElement} caption @param {Spot} spot @param {boolean} isOther */
function fillCaption(caption, { kept, pair }, isOther) {
  caption.replaceChildren(
    isOther ? facts(pair.image, texts.clusters.other[pair.relation]) : facts(kept, texts.clusters.kept),
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
  canvas.dataset.ready = `${mode}-${isOther ? "other" : "kept"}`;
}

/** The picture, or null where there is none. @param {string} url @returns {Promise<HTMLImageElement | null>} */
async function load(url) {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return image;
  } catch {
    return null;
  }
}
