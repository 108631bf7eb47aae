/** What suggestions do, on the board: both arms of the lottery, the advice, and who accepts wrong ones. */

import { grouped } from "../state/board.js";
import { texts } from "../organising_texts.js";
import { decimal } from "../translate.js";
import { el, imagesLink, makeTable } from "./dom.js";

/** @import {Interval, SuggestionArm, SuggestionEffect} from "../state/types.js" */

/** Whether a figure is told in percent, as a number, or as a share with two places. */
const FIGURES = /** @type {const} */ ([
  ["secs", "number"],
  ["inputs", "number"],
  ["missed", "percent"],
  ["extra", "percent"],
  ["wrong_class", "percent"],
  ["overlap", "share"],
]);

/** @param {SuggestionEffect} effect */
export function listSuggestions(effect) {
  const words = texts.board.suggestions;
  const { shown, withheld, saved, missed_more: missed, extra_more: extra, advice } = effect;
  const body = el(
    "tbody",
    {},
    row(words.images, [shown, withheld].map(sayImages)),
    ...FIGURES.map(([name, kind]) =>
      row(
        words.figures[name],
        [shown, withheld].map((arm) => say(arm[name], kind)),
      ),
    ),
  );
  const isOff = advice !== "wait" && advice !== "keep";
  return [
    el("p", { class: isOff ? "warn" : "", text: sayAdvice(effect), test: "suggestion-advice" }),
    el(
      "div",
      { class: "scroll" },
      makeTable("suggestion-arms", words.heads, body, (place) => place > 0),
    ),
    el("p", {
      class: "quiet",
      text: words.saved(say(saved, "percent"), say(missed, "percent"), say(extra, "percent")),
    }),
    ...effect.anchoring.map(({ name, wrong, accepted }) =>
      el(
        "p",
        { test: "anchoring" },
        imagesLink({ annotator: name }, name),
        ` ${words.anchored(say(accepted, "percent"), wrong)}`,
      ),
    ),
  ];
}

/** @param {SuggestionEffect} effect */
function sayAdvice({ advice, more_shown: shown, more_withheld: withheld }) {
  const words = texts.board.suggestions.advice;
  if (advice !== "wait") return words[advice];
  if (shown && withheld) return words.wait(grouped(shown), grouped(withheld));
  if (shown) return words.waitShown(grouped(shown));
  return withheld ? words.waitWithheld(grouped(withheld)) : words.waitObjects;
}

/** @param {SuggestionArm} arm */
function sayImages({ images, compared }) {
  return `${grouped(images)} (${texts.board.suggestions.compared(compared)})`;
}

/**
 * @param {string} name
 * @param {readonly string[]} cells
 */
function row(name, cells) {
  return el("tr", {}, el("td", { text: name }), ...cells.map((text) => el("td", { class: "number", text })));
}

/**
 * "6.2 (5.1–7.4)"; a dash where nothing is known.
 * @type {(interval: Interval | null, kind: "number" | "percent" | "share") => string}
 */
function say(interval, kind) {
  if (!interval) return "–";
  const { value, low, high } = interval;
  const write = (/** @type {number} */ number) =>
    kind === "percent" ? decimal(number * 100, 0) : decimal(number, kind === "share" ? 2 : 1);
  const unit = kind === "percent" ? " %" : "";
  return `${write(value)}${unit} (${write(low)} … ${write(high)})`;
}
