/** Modal questions: each opens, waits, and answers with what the person chose; a held key confirms. */

import { findCommand } from "../state/chords.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @import {Keymap} from "../state/types.js" */
/** @import {Asking, Props} from "./types.js" */

/** @typedef {{giveUp: (() => void) | null, answer: Promise<unknown>}} Question `giveUp` is null where only a choice closes it */

/** The question that is open. @type {Question | null} */
let current = null;
/** A key that comes so soon after a question that nobody asked for was meant for something else. */
const ON_ITS_WAY_MS = 600;

/**
 * An open dialog; Escape answers `otherwise`, unless it is undefined: then only a choice closes it.
 * The browser keeps the focus inside, and gives it back afterwards. One question is open at a time: a new one gives
 * up the one before, or waits for it. One that comes `byItself` takes no key that was already on its way. @template T
 * @param {{test: string, title: string, className?: string, otherwise: T | undefined, byItself?: boolean}} options
 * @param {(close: (answer: T) => void) => (Node | null)[]} makeBody
 * @returns {Asking<T>}
 */
export function ask({ test, title, className = "", otherwise, byItself = false }, makeBody) {
  /** @type {(answer: T) => void} */
  let settle = () => {};
  const answer = /** @type {Promise<T>} */ (new Promise((resolve) => (settle = resolve)));
  const close = (/** @type {T} */ value) => {
    settle(value);
    element.close();
    element.remove();
  };
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (otherwise !== undefined) close(otherwise);
  };
  const heading = el("h2", { text: title, id: `${test}-title` });
  const element = el(
    "dialog",
    {
      class: `dialog ${className}`,
      test,
      aria: { labelledby: `${test}-title` },
      // A key that answers the question must not mean something to the page as well.
      on: { cancel, keydown: (/** @type {Event} */ event) => event.stopPropagation() },
    },
    heading,
    ...makeBody(close),
  );
  document.body.append(element);
  const giveUp = otherwise === undefined ? null : () => close(otherwise);
  if (byItself) ignoreKeysOnTheirWay(element);
  showInTurn(element, { giveUp, answer });
  return { element, close, answer };
}

/**
 * @param {HTMLDialogElement} element
 * @param {Question} question
 */
function showInTurn(element, question) {
  const before = current;
  if (before && !before.giveUp) return void before.answer.then(() => showInTurn(element, question));
  if (!element.isConnected) return;
  current = question;
  before?.giveUp?.();
  element.showModal();
  void question.answer.then(() => (current = current === question ? null : current));
}

/** @param {HTMLDialogElement} element */
function ignoreKeysOnTheirWay(element) {
  const openedAt = performance.now();
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.timeStamp - openedAt > ON_ITS_WAY_MS) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  element.addEventListener("keydown", onKeyDown, { capture: true });
}

/** The row at the bottom, the main choice last and first to have the focus. @param {...HTMLElement} buttons */
export function choices(...buttons) {
  return el("div", { class: "dialog-choices" }, ...buttons);
}

/**
 * `key` is shown after the words; the dialog listens for it.
 * @param {string} text
 * @param {() => void} onClick
 * @param {Props & {isMain?: boolean, key?: string}} [props]
 */
export function choice(text, onClick, { isMain = false, key = "", ...props } = {}) {
  const button = el("button", { class: isMain ? "button main" : "button", on: { click: onClick }, ...props });
  button.append(el("span", { class: "button-text", text }));
  if (key) button.append(el("kbd", { text: key, aria: { hidden: "true" } }));
  if (isMain) button.autofocus = true;
  return button;
}

/**
 * Whether the person says so. The way back has the focus first, so that a key pressed twice confirms nothing.
 * @param {string} title
 * @param {string} yes
 * @param {readonly string[]} [lines] what it will do
 */
export function askSure(title, yes, lines = []) {
  return ask({ test: "sure-dialog", title, otherwise: false }, (close) => [
    ...lines.map((text) => el("p", { text })),
    choices(
      choice(texts.sure.back, () => close(false), { test: "sure-back" }),
      choice(yes, () => close(true), { test: "sure-yes" }),
    ),
  ]).answer;
}

/** How long the key must be held, so that a tap never confirms. */
const HOLD_MS = 450;

/**
 * The key that ends images ends the question too.
 * @param {Asking<any>} asking
 * @param {Keymap} keymap
 * @param {() => void} confirm
 */
export function confirmByKey({ element }, keymap, confirm) {
  element.addEventListener("keydown", (event) => {
    const command = findCommand(event, (chord) => keymap.commandOf.get(chord));
    if (command === "image.finish" && !event.repeat) confirm();
  });
}

/**
 * A key (KeyboardEvent.code) that is already down confirms when it is released after it was held long enough; the
 * main choice then says `ready`. Released sooner, it does nothing and the question stays open.
 * @param {Asking<any>} asking
 * @param {string} code
 * @param {string} ready
 * @param {() => void} confirm
 */
export function confirmByHold({ element, answer }, code, ready, confirm) {
  const openedAt = performance.now();
  element.dataset.held = "false";
  const timer = setTimeout(() => {
    element.dataset.held = "true";
    const text = element.querySelector(".button.main .button-text");
    if (text) text.textContent = ready;
  }, HOLD_MS);
  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener("keyup", onKeyUp, true);
    removeEventListener("blur", stop);
  };
  const onKeyUp = (/** @type {KeyboardEvent} */ event) => {
    if (event.code !== code) return;
    stop();
    event.preventDefault();
    // By the key's own time stamp: a slow page hears of a tap late.
    if (element.dataset.held === "true" && event.timeStamp - openedAt >= HOLD_MS) confirm();
  };
  document.addEventListener("keyup", onKeyUp, true);
  addEventListener("blur", stop);
  void answer.then(stop);
}
