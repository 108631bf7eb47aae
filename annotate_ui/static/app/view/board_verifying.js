/** What people said of suggested boxes, on the board: who is too quick to say yes, and a way to take it back. */

import { grouped } from "../state/board.js";
import { texts } from "../organising_texts.js";
import { decimal } from "../translate.js";
import { el, makeTable } from "./dom.js";

/** @import {Interval, Verification, Verifier} from "../state/types.js" */

/**
 * @param {Verification} verification
 * @param {(person: Verifier) => void} takeBack
 */
export function listVerification({ confirmed, refused, people }, takeBack) {
  const words = texts.board.verifying;
  const suspects = people.filter(({ is_suspect: isSuspect }) => isSuspect);
  const body = el("tbody", {}, ...people.map((person) => row(person, takeBack)));
  return [
    ...suspects.map(({ name, passed }) =>
      el("p", { class: "warn", test: "suspect", text: words.suspect(name, say(passed)) }),
    ),
    el("p", { test: "verified", text: words.counts(grouped(confirmed), grouped(refused)) }),
    el(
      "div",
      { class: "scroll" },
      makeTable("people verifiers", words.heads, body, (place) => place > 0 && place < 5),
    ),
  ];
}

/**
 * @param {Verifier} person
 * @param {(person: Verifier) => void} takeBack
 */
function row(person, takeBack) {
  const { name, answers, secs, passed, refused } = person;
  const cells = [grouped(answers), decimal(secs, 1), say(passed), say(refused)];
  const button = el("button", {
    text: texts.board.verifying.takeBack,
    test: `take-answers-${person.id}`,
    on: { click: () => takeBack(person) },
  });
  return el(
    "tr",
    {},
    el("td", { text: name }),
    ...cells.map((text) => el("td", { class: "number", text })),
    el("td", {}, button),
  );
}

/** "80 % (38 … 96) of 5"; a dash where nothing is known. @param {Interval | null} interval */
function say(interval) {
  if (!interval) return "–";
  const { value, low, high, count } = interval;
  const [share, least, most] = [value, low, high].map((number) => decimal(number * 100, 0));
  return texts.board.verifying.share(share, least, most, grouped(count));
}
