/** What people answered about one image, on its history; an organiser takes one answer back. */

import { texts } from "../texts.js";
import { askSure } from "./dialog.js";
import { el } from "./dom.js";
import { dayAndClock } from "./words.js";

/** @import {Api, ImageAnswer, PresenceTakenBack} from "../types.js" */

const words = texts.presence;

/**
 * An empty section that `load` fills where the image has answers.
 * @param {Api} api
 * @param {number} imageId
 * @param {{attempt: (step: () => Promise<unknown>) => Promise<boolean>, say: (text: string) => void}} frame
 */
export function mountAnswers(api, imageId, { attempt, say }) {
  const list = el("ul", { class: "revisions answers" });
  const title = el("h2", { class: "section-title", text: words.answersTitle });
  const element = el("section", { hidden: true, test: "presence-answers" }, title, list);
  return { element, load };

  async function load() {
    await attempt(async () => {
      const { version, answers } = await api.presenceAnswers(imageId);
      element.hidden = answers.length === 0;
      list.replaceChildren(...answers.map((answer) => makeRow(answer, version)));
    });
  }

  /** @type {(answer: ImageAnswer, version: string) => HTMLElement} */
  function makeRow(answer, version) {
    const click = () => void takeBack(answer, version);
    const button = el("button", { text: words.takeBack, test: `take-back:${answer.id}`, on: { click } });
    const lines = [
      el("b", { text: words.answered(answer.words, answer.is_yes) }),
      el("span", { class: "quiet", text: ` ${sayWho(answer)}` }),
      answer.known === null ? null : el("p", { text: words.known(answer.known) }),
      answer.taken_back_at ? el("p", { class: "quiet", text: sayWhen(answer) }) : button,
    ];
    return el("li", { test: `answer:${answer.id}` }, el("div", {}, ...lines));
  }

  /** @type {(answer: ImageAnswer, version: string) => Promise<void>} */
  async function takeBack({ id, person }, version) {
    if (!(await askSure(words.sure(person.name), words.takeBack, [words.then]))) return;
    const isDone = await attempt(async () =>
      say(sayTakenBack(await api.takePresenceBack(imageId, id, version))),
    );
    if (isDone) await load();
  }
}

/** @param {ImageAnswer} answer */
function sayWho({ person, judged_at }) {
  return `${person.name} · ${dayAndClock(judged_at)}`;
}

/** @param {ImageAnswer} answer */
function sayWhen({ person, taken_back_at, taken_back_by }) {
  return words.takenBackBy((taken_back_by ?? person).name, dayAndClock(taken_back_at ?? ""));
}

/** What was taken back, and what followed from it. @param {PresenceTakenBack} taken */
export function sayTakenBack({ undone, images, discarded, drawn }) {
  return [
    words.undone(undone),
    ...(images.length > 0 ? [words.waitAgain(images.join(", "))] : []),
    ...(discarded.length > 0 ? [words.emptyNow(discarded.join(", "))] : []),
    ...(drawn.length > 0 ? [words.drawnSince(drawn.join(", "))] : []),
  ].join(" ");
}
