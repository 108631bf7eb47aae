/** How image and boxes are shown: light, magnifier, looks of classes, layers to paint. */

/** @import {Annotated} from "../types.js" */
/** @import {Layers, Light, Look, Model, Objects, Page} from "./types.js" */

export const LEAST = 25;
export const MOST = 400;
const STEP = 1.15;

/** @type {Light} */
export const PLAIN_LIGHT = { brightness: 100, contrast: 100 };

/**
 * @param {Light} light
 * @param {keyof Light} what
 * @param {1 | -1} direction
 * @returns {Light}
 */
export function stepLight(light, what, direction) {
  return setLight(light, what, light[what] * (direction > 0 ? STEP : 1 / STEP));
}

/** Within what can still be looked at; close to plain is plain. @type {(light: Light, what: keyof Light, percent: number) => Light} */
export function setLight(light, what, percent) {
  const value = Math.round(Math.min(Math.max(percent, LEAST), MOST));
  return { ...light, [what]: Math.abs(value - 100) < 4 ? 100 : value };
}

/** @param {Light} light */
export function isPlain({ brightness, contrast }) {
  return brightness === 100 && contrast === 100;
}

/** The light as CSS and canvas filters write it. @param {Light} light */
export function filterOf({ brightness, contrast }) {
  return isPlain({ brightness, contrast }) ? "none" : `brightness(${brightness}%) contrast(${contrast}%)`;
}

/**
 * Whether the magnifier would show while the cursor draws: as the person chose, else under a finger,
 * which covers what it draws, and where the image is shown smaller than it is.
 * @param {Pick<Model, "preferences" | "pointer" | "viewport">} model
 */
export function showsMagnifier({ preferences, pointer, viewport }) {
  if (preferences.magnifier !== "auto") return preferences.magnifier === "on";
  return pointer === "touch" || viewport.scale < 1;
}

export const HUES = 7;

/** Dashes in screen pixels: solid, dashed, dotted. @type {readonly (readonly number[])[]} */
export const DASHES = [[], [9, 5], [2, 4]];

/**
 * Neighbours in a list differ in hue, and the first twenty-one all look different.
 * @param {number} place
 * @returns {Look}
 */
export function lookAt(place) {
  return { hue: place % HUES, dash: Math.floor(place / HUES) % DASHES.length };
}

/** Of a class, or a plain one where the party no longer has it. @type {(looks: ReadonlyMap<string, Look>, name: string) => Look} */
export function lookOf(looks, name) {
  return looks.get(name) ?? { hue: 0, dash: 0 };
}

/**
 * The look of an object: that of its class, or a different one for each object where the person chose so, and always
 * where outlines are drawn, since masks of one class touch.
 * @type {(model: Pick<Model, "page" | "looks" | "preferences" | "work">, object: Annotated) => Look}
 */
export function lookOfObject(model, { key, class: name, confidence }) {
  const { looks, work } = model;
  if (coloursOf(model) !== "object" || !work || confidence !== undefined) return lookOf(looks, name);
  const { objects } = work.editor.history.present;
  const places = PLACES.get(objects) ?? new Map(objects.map((object, place) => [object.key, place]));
  PLACES.set(objects, places);
  return lookAt(places.get(key) ?? 0);
}

/** Of what each colour is a sign. @param {Pick<Model, "page" | "preferences">} model */
export function coloursOf({ page, preferences }) {
  return isOfOutlines(page) ? "object" : preferences.colours;
}

/** Whether the page is one on which outlines are drawn or checked. @param {Page} page */
export function isOfOutlines(page) {
  return page === "segment" || page === "check-segment";
}

/** Where each object stands in the list, found once for each list. @type {WeakMap<Objects, Map<string, number>>} */
const PLACES = new WeakMap();

/** With fewer boxes than this all are painted together, so that every name finds its place. */
const FEW = 60;
/** With more boxes than this above, painting the layer below again is cheaper than painting them in every frame. */
const MOST_ABOVE = 12;

/**
 * The layers after a change. The layer below stays while none of its objects changed or went; what is selected
 * or was edited comes above, so that an edit of one box repaints one box. Without `painted`, all is painted anew.
 * @param {Objects} shown
 * @param {string | undefined} selectedKey
 * @param {string | undefined} heldKey by the cursor
 * @param {ReadonlySet<Annotated> | null} painted below
 * @returns {Layers}
 */
export function planLayers(shown, selectedKey, heldKey, painted) {
  const isSelected = (/** @type {Annotated} */ object) => object.key === selectedKey;
  if (painted && isGood(shown, selectedKey, heldKey, painted)) {
    // The selected one comes last, so that it lies on top.
    const above = shown.filter((object) => isSelected(object) || !painted.has(object));
    return {
      isStale: false,
      below: [...painted],
      above: above.toSorted((first, second) => Number(isSelected(first)) - Number(isSelected(second))),
    };
  }
  return {
    isStale: true,
    below: shown.filter((object) => !isSelected(object)),
    above: shown.filter(isSelected),
  };
}

/**
 * Whether what is painted below is all still there, and few objects are new above it.
 * @type {(shown: Objects, selectedKey: string | undefined, heldKey: string | undefined, painted: ReadonlySet<Annotated>) => boolean}
 */
function isGood(shown, selectedKey, heldKey, painted) {
  const still = new Set(shown);
  if ([...painted].some((object) => !still.has(object) || object.key === heldKey)) return false;
  const changed = shown.filter((object) => !painted.has(object) && object.key !== selectedKey);
  return changed.length <= (shown.length < FEW ? 0 : MOST_ABOVE);
}
