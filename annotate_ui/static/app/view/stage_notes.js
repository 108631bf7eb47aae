/** What stands on the stage besides the image: light, what is hidden, the next click, a message instead of an image. */

import { filterOf, isPlain, LEAST, MOST, setLight } from "../state/display.js";
import { toggleHidden } from "../state/editor.js";
import { isEnding } from "../state/model.js";
import { displayOfClass } from "../state/party.js";
import { texts } from "../texts.js";
import { EXTREMES } from "../tools/draw.js";
import { commandButton, icon, stageButton } from "./controls.js";
import { el, setAttribute } from "./dom.js";

/** @import {Light, Model, Screen, Store} from "../state/types.js" */
/** @import {Workbench} from "../types.js" */
/** @import {Run} from "./types.js" */

/**
 * @param {HTMLElement} stage
 * @param {Workbench} bench
 * @param {Run} run
 */
export function mountStageNotes(stage, bench, run) {
  const { store } = bench;
  const hint = el("p", { class: "stage-hint", test: "stage-hint", role: "status", hidden: true });
  const pills = el("div", { class: "stage-pills", test: "stage-pills" });
  const light = makeLightCard(bench, run);
  stage.append(hint, el("div", { class: "stage-corner" }, light.element, pills));

  const show = (/** @type {Model} */ model) => {
    const text = hintOf(model);
    if (hint.textContent !== text) hint.textContent = text;
    setAttribute(hint, "hidden", text === "");
    light.show(model);
  };
  store.follow(show);
  store.follow(
    (model) => pills.replaceChildren(...listPills(model, bench, run)),
    (model) => [model.light, model.showsLight, model.work?.editor.hidden],
  );
}

/** What the next click does, where one was made already. @param {Model} model */
function hintOf({ work, preferences }) {
  const gesture = work?.cursor.gesture;
  const points = gesture?.preview?.points ?? [];
  const isByKeys = work?.cursor.isByKeys || work?.cursor.at === null;
  const armed = work?.editor.armed?.kind ?? "point";
  if (!gesture && armed !== "point" && isByKeys) return texts.drawing.byKeys;
  if (armed === "repeat") return texts.drawing.repeat;
  if (points.length === 0 || !gesture) return "";
  const isCorner = preferences.drawing !== "extremes" || work?.cursor.isByKeys === true;
  return isCorner ? texts.drawing.corner : texts.drawing.points(points.length, EXTREMES);
}

/**
 * @param {Model} model
 * @param {Workbench} bench
 * @param {Run} run
 */
function listPills(model, bench, run) {
  const hidden = [...(model.work?.editor.hidden ?? [])].map((name) => {
    const display = displayOfClass(model.party, name);
    const { shown, show } = texts.hidden;
    return pill(shown(display), show(display), `hidden:${name}`, () =>
      bench.edit((editor) => toggleHidden(editor, name)),
    );
  });
  const isOther = !isPlain(model.light) && !model.showsLight;
  const { changed, reset } = texts.light;
  const light = isOther ? [pill(changed, reset, "light.pill", () => run("light.reset"))] : [];
  return [...hidden, ...light];
}

/**
 * A word with a cross that ends the state it names.
 * @type {(text: string, label: string, test: string, end: () => void) => HTMLButtonElement}
 */
function pill(text, label, test, end) {
  return stageButton(
    { class: "pill", title: label, test, aria: { label } },
    end,
    el("span", { text }),
    icon("close"),
  );
}

/**
 * @param {Workbench} bench
 * @param {Run} run
 */
function makeLightCard({ update, get }, run) {
  const sliders = /** @type {const} */ (["brightness", "contrast"]).map((what) => {
    const input = (/** @type {number} */ percent) =>
      update((model) => ({ ...model, light: setLight(model.light, what, percent) }));
    return makeSlider(what, input);
  });
  const button = (/** @type {string} */ command, /** @type {string} */ text) =>
    commandButton(get(), command, text, run, { class: "button small", test: `card:${command}` });
  const { title, reset, close } = texts.light;
  const element = el(
    "div",
    { class: "light-card", role: "group", test: "light-card", aria: { label: title }, hidden: true },
    ...sliders.map((slider) => slider.element),
    el("div", { class: "light-ends" }, button("light.reset", reset), button("light.show", close)),
  );
  const show = (/** @type {Model} */ { showsLight, light }) => {
    setAttribute(element, "hidden", !showsLight);
    element.dataset.filter = filterOf(light);
    for (const slider of sliders) slider.show(light);
  };
  return { element, show };
}

/**
 * Twice and half are equally far from plain.
 * @param {keyof Light} what
 * @param {(percent: number) => void} onInput
 */
function makeSlider(what, onInput) {
  const value = el("output", { class: "light-value" });
  const range = el("input", {
    class: "light-range",
    type: "range",
    id: `light-${what}`,
    test: `light-${what}`,
    on: { input: () => onInput(2 ** Number(range.value)) },
  });
  Object.assign(range, { min: Math.log2(LEAST), max: Math.log2(MOST), step: 0.05 });
  const label = el("label", { for: `light-${what}`, text: texts.light[what] });
  const show = (/** @type {Light} */ light) => {
    const text = texts.light.percent(light[what]);
    if (value.textContent === text) return;
    value.textContent = text;
    range.value = String(Math.log2(light[what]));
    range.setAttribute("aria-valuetext", text);
  };
  return { element: el("div", { class: "light-row" }, label, range, value), show };
}

/** @typedef {{onAgain: () => void, onSkip: () => void}} Listener */

/**
 * @param {HTMLElement} card
 * @param {Store<Model>} store
 * @param {Listener} listener
 */
export function mountMessage(card, store, listener) {
  store.follow(({ screen, work, line }) => {
    const isAtEnd = screen === "work" && work !== null && isEnding(work) && !work.saving.isLeft;
    const isWaiting = isAtEnd && (line.trouble === "offline" || line.trouble === "busy");
    fillMessage(card, isWaiting ? "ending" : screen, listener);
  });
}

/**
 * @param {HTMLElement} card
 * @param {Screen | "ending"} screen
 * @param {Listener} listener
 */
export function fillMessage(card, screen, listener) {
  if (card.dataset.screen === screen) return;
  card.dataset.screen = screen;
  card.hidden = screen === "work";
  card.replaceChildren(...describe(screen, listener));
}

/**
 * @param {string} screen
 * @param {Listener} listener
 */
function describe(screen, { onAgain, onSkip }) {
  const words = texts.screens[screen];
  if (!words) return [];
  return [
    el("h2", { text: words.title }),
    el("p", { text: words.lead }),
    words.button ? button(words.button, "message-again", onAgain, true) : "",
    words.link
      ? el("p", {}, el("a", { href: words.link.href, text: words.link.text, test: "message-link" }))
      : "",
    screen === "broken" ? button(texts.skip, "message-skip", onSkip, false) : "",
  ].filter((part) => part !== "");
}

/**
 * @param {string} text
 * @param {string} test
 * @param {() => void} click
 * @param {boolean} isMain
 */
function button(text, test, click, isMain) {
  const kind = isMain ? "button main" : "button";
  return el("button", { class: kind, text, test, on: { click } });
}
