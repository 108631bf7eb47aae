/** A large picture of a found image over the page: arrows go to the next one, Space or Escape closes it. */

import { texts } from "../organising_texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

const words = texts.images;

/**
 * What is shown of an image: its picture, some words and where they lead.
 * @typedef {{id: number, figure: HTMLElement | null, lines: readonly string[], openAt: string | null, historyAt: string}} Preview
 */

/** Whether Space presses it; it closes the picture from the main button, which has the focus first. @param {EventTarget | null} target */
const isPressable = (target) => target instanceof HTMLElement && target.matches("button:not(.main)");

/**
 * `step` answers the image before or after one, or null at the ends. Returns the number of the last image shown.
 * @param {Preview} first
 * @param {(id: number, direction: 1 | -1) => Preview | null} step
 * @returns {Promise<number>}
 */
export function showPreview(first, step) {
  let shown = first;
  const about = el("div", { class: "preview-about", aria: { live: "polite" } });
  const place = el("div", { class: "preview" }, about);
  const fill = () => {
    const lines = shown.lines.filter(Boolean).map((text) => el("p", { text }));
    const ways = [
      shown.openAt ? el("a", { href: shown.openAt, text: words.open, test: "preview-open" }) : null,
      el("a", { href: shown.historyAt, text: words.history, test: `history:${shown.id}` }),
    ];
    const heading = asking.element.querySelector("h2");
    if (heading) heading.textContent = words.image(shown.id);
    while (about.previousSibling) about.previousSibling.remove();
    if (shown.figure) place.prepend(shown.figure);
    about.replaceChildren(...lines, el("p", { class: "acts" }, ...ways));
  };
  const go = (/** @type {1 | -1} */ direction) => {
    shown = step(shown.id, direction) ?? shown;
    fill();
  };
  const options = {
    test: "preview",
    title: words.image(shown.id),
    className: "preview-dialog",
    otherwise: null,
  };
  const asking = ask(options, (close) => [
    place,
    choices(
      choice(words.before, () => go(-1), { key: "←", test: "preview-before" }),
      choice(words.after, () => go(1), { key: "→", test: "preview-after" }),
      choice(words.close, () => close(null), { key: "Esc", isMain: true, test: "preview-close" }),
    ),
  ]);
  fill();
  asking.element.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") go(-1);
    else if (event.key === "ArrowRight") go(1);
    else if (event.key === " " && !isPressable(event.target)) asking.close(null);
    else return;
    event.preventDefault();
  });
  return asking.answer.then(() => shown.id);
}
