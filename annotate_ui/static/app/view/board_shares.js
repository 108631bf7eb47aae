/** The shares of images annotated twice and of gold, and how many training images are asked for. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../state/board.js").Shares} Shares */

/** @param {(shares: Shares) => void} save */
export function mountShares(save) {
  const words = texts.board.shares;
  let number = -1;
  const twice = field("double_share", words.double, "%", 100);
  const gold = field("gold_share", words.gold, "%", 100);
  const training = field("training_images", words.training, "", 100);
  const element = el(
    "form",
    { class: "shares" },
    twice.label,
    gold.label,
    training.label,
    el("button", { type: "submit", text: words.save, test: "shares-save" }),
  );
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    save({
      number,
      double_share: Number(twice.input.value) / 100,
      gold_share: Number(gold.input.value) / 100,
      training_images: Math.round(Number(training.input.value)),
    });
  });
  return {
    element,
    forget: () => {
      number = -1;
    },
    /**
     * What is being typed stays; another organiser's version comes when the page is not in use.
     * @param {Shares} shares
     */
    show(shares) {
      if (number >= 0 && (shares.number === number || element.contains(document.activeElement))) return;
      number = shares.number;
      twice.input.value = String(Math.round(shares.double_share * 1000) / 10);
      gold.input.value = String(Math.round(shares.gold_share * 1000) / 10);
      training.input.value = String(shares.training_images);
    },
  };
}

/**
 * @param {string} name
 * @param {string} words
 * @param {string} unit
 * @param {number} most
 */
function field(name, words, unit, most) {
  const input = el("input", { type: "number", name, test: name });
  Object.assign(input, { min: "0", max: String(most), step: unit ? "0.1" : "1", required: true });
  return { input, label: el("label", {}, el("span", { text: words }), input, el("span", { text: unit })) };
}
