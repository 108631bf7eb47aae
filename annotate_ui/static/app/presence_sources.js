/** Where the questions of the page Presence come from: the party's plan, or a class that the person chooses. */

import { fillSide, showClasses } from "./judging.js";
import { texts } from "./texts.js";
import { el } from "./view/dom.js";
import { sayTakenBack } from "./view/presence_answers.js";

/** @import {Api, PresenceSource, QuestionPage} from "./types.js" */

const words = texts.presence;

/**
 * Thumbnails of one class's queries: first which show the class, then which show another one.
 * @param {Api} api
 * @returns {PresenceSource}
 */
export function askByClass(api) {
  return {
    questions: ["asked", "other"],
    open: () => api.presenceClasses(),
    async take({ taken }, name) {
      const chosen = name ?? taken;
      if (chosen === null) return {};
      const { images } = await api.thumbnails(chosen);
      return { taken: chosen, images, ...(await api.presenceClasses()) };
    },
    async send({ taken, images, marked }) {
      const answers = images.map(({ image_id }) => ({ image_id, shows: marked.get(image_id) ?? "none" }));
      const { kept, answer_ids: answerIds } = await api.sayPresence(taken ?? "", answers);
      return { kept, answerIds, gone: kept.filter((id) => !marked.has(id)).length };
    },
    async undo(answerIds) {
      const { undone } = await api.undoPresence(answerIds);
      return words.undone(undone);
    },
    showSide(state, take) {
      const { display, empty } = showClasses(words, state, take);
      return { title: words.asked(display), empty };
    },
    keys: [],
  };
}

/**
 * The question that the party's plan has for the person, one for each page.
 * @param {Api} api
 * @returns {PresenceSource}
 */
export function askByPlan(api) {
  const help = el("details", { class: "question-help", test: "question-help" });
  const take = async () => {
    const page = await api.takeQuestion();
    return { page, images: page.images };
  };
  return {
    questions: ["asked"],
    open: take,
    take,
    async send({ page, images, marked }, tookMs) {
      if (!page?.node) throw new Error("no question is open");
      const answers = images.map(({ image_id }) => ({ image_id, is_yes: marked.has(image_id) }));
      const sent = { plan: page.plan, node: page.node, took_ms: tookMs, answers };
      const { kept, answer_ids: answerIds, discarded } = await api.answerQuestionPage(sent);
      return { kept, answerIds, gone: discarded.length };
    },
    async undo(answerIds) {
      return sayTakenBack(await api.undoQuestionPage(answerIds));
    },
    showSide({ page, sent }) {
      const { waiting = 0 } = page ?? {};
      const answered = sent.reduce((sum, { length }) => sum + length, 0);
      const rows = [
        el("li", { text: words.waiting(waiting), test: "questions-waiting" }),
        el("li", { class: "quiet", text: words.ofVisit(answered) }),
      ];
      fillSide({ title: words.title, lead: words.planLead }, rows, help);
      if (help.dataset.node !== (page?.node ?? "")) fillHelp(help, page);
      const empty = page && waiting > 0 ? words.doneByYou : words.doneByAll;
      return { title: words.shows(page?.words ?? ""), empty };
    },
    keys: [{ words: words.help, key: "E", run: () => (help.open = !help.open), test: "question-help-key" }],
  };
}

/**
 * What counts and what does not, on request.
 * @type {(help: HTMLDetailsElement, page: QuestionPage | null) => void}
 */
function fillHelp(help, page) {
  help.dataset.node = page?.node ?? "";
  const lists = [
    [words.rule, page?.short_rule ?? ""],
    [words.synonyms, (page?.synonyms ?? []).join(", ")],
    [words.examples, (page?.examples ?? []).join(", ")],
    [words.includes, words.listIncluded(page?.includes ?? [], page?.not_named ?? 0)],
  ].filter(([, text]) => text);
  const lines = lists.flatMap(([title, text]) => [el("dt", { text: title }), el("dd", { text })]);
  help.hidden = !page?.node;
  help.replaceChildren(
    el("summary", { text: words.helpOf(page?.display ?? "") }),
    lines.length > 0 ? el("dl", {}, ...lines) : el("p", { class: "quiet", text: words.noHelp }),
  );
}
