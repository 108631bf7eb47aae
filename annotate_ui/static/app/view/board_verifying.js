/** What people said of suggested boxes and of images, on the board: who is too quick to say yes, and a way to take it back. */

import { grouped } from "../state/board.js";
import { texts } from "../organising_texts.js";
import { decimal } from "../translate.js";
import { el, makeTable } from "./dom.js";

/** @import {Interval, Verification, Verifier} from "../state/types.js" */
/** @import {QuestionStatus} from "../types.js" */
/** @typedef {Pick<typeof texts.board.verifying, "suspect" | "heads" | "takeBack">} Words of a table of people */

/**
 * @param {Verification} verification
 * @param {(person: Verifier) => void} takeBack
 */
export function listVerification({ confirmed, refused, people }, takeBack) {
  const words = texts.board.verifying;
  return listPeople(people, words, words.counts(grouped(confirmed), grouped(refused)), takeBack);
}

/**
 * The same of answers on the page Presence.
 * @param {QuestionStatus} status
 * @param {(person: Verifier) => void} takeBack
 */
export function listPresence({ images, done, people }, takeBack) {
  const words = texts.board.presence;
  return listPeople(people, words, words.counts(grouped(done), grouped(images)), takeBack);
}

/**
 * @param {readonly Verifier[]} people
 * @param {Words} words
 * @param {string} counts
 * @param {(person: Verifier) => void} takeBack
 */
function listPeople(people, words, counts, takeBack) {
  const suspects = people.filter(({ is_suspect: isSuspect }) => isSuspect);
  const body = el("tbody", {}, ...people.map((person) => row(person, takeBack)));
  return [
    ...suspects.map(({ name, passed }) =>
      el("p", { class: "warn", test: "suspect", text: words.suspect(name, say(passed)) }),
    ),
    el("p", { test: "verified", text: counts }),
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
