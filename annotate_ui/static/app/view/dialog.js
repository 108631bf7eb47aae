/** Modal questions: each opens, waits, and answers with what the person chose. */

import { el } from "./dom.js";

/** @typedef {import("./dom.js").Props} Props */
/**
 * @template T
 * @typedef {{element: HTMLDialogElement, close: (answer: T) => void, answer: Promise<T>}} Asking
 */

/**
 * An open dialog; Escape answers `otherwise`, unless it is undefined: then only a choice closes it.
 * The browser keeps the focus inside, and gives it back afterwards.
 * @template T
 * @param {{test: string, title: string, className?: string, otherwise: T | undefined}} options
 * @param {(close: (answer: T) => void) => (Node | null)[]} makeBody
 * @returns {Asking<T>}
 */
export function ask({ test, title, className = "", otherwise }, makeBody) {
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
  element.showModal();
  return { element, close, answer };
}

/**
 * The row of choices at the bottom of a dialog, the main one last and first to have the focus.
 * @param {...HTMLElement} buttons
 */
export function choices(...buttons) {
  return el("div", { class: "dialog-choices" }, ...buttons);
}

/**
 * `key` is shown beside the words; the dialog listens for it.
 * @param {string} text
 * @param {() => void} onClick
 * @param {Props & {isMain?: boolean, isDanger?: boolean, key?: string}} [props]
 */
export function choice(text, onClick, { isMain = false, isDanger = false, key = "", ...props } = {}) {
  const kind = isDanger ? "button danger" : isMain ? "button main" : "button";
  const button = el("button", { class: kind, type: "button", on: { click: onClick }, ...props });
  button.append(el("span", { class: "button-text", text }));
  if (key) button.append(el("kbd", { text: key, aria: { hidden: "true" } }));
  if (isMain) button.autofocus = true;
  return button;
}
