/** What the stage says when it has no image to show: one kind message and the way on. */

import { isEnding } from "../state/tracking.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {{onAgain: () => void, onSkip: () => void}} Listener */

/**
 * @param {HTMLElement} card
 * @param {import("../state/store.js").Store<Model>} store
 * @param {Listener} listener
 */
export function mountMessage(card, store, listener) {
  const show = (/** @type {Model} */ model) => fillMessage(card, messageFor(model), listener);
  show(store.get());
  store.subscribe(show);
}

/**
 * The screen, and while the end of an image waits for the network, that.
 * @param {Model} model
 */
function messageFor({ screen, work }) {
  const isWaiting = screen === "work" && work !== null && isEnding(work) && !work.saving.isLeft;
  return isWaiting && work.saving.trouble === "offline" ? "ending" : screen;
}

/**
 * @param {HTMLElement} card
 * @param {import("../state/model.js").Screen | "ending"} screen
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
    words.link ? el("p", {}, el("a", { href: words.link.href, text: words.link.text, test: "message-link" })) : "",
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
  return el("button", { class: kind, type: "button", text, test, on: { click } });
}
