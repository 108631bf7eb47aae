/** The checker's part of the panel: whose work it is, the object's verdict, the comment. */

import { selectedIn } from "../state/model.js";
import { displayOfClass } from "../state/party.js";
import { texts } from "../texts.js";
import { commandButton, stageButton } from "./controls.js";
import { byId, el, setAttribute } from "./dom.js";
import { listChanges, listRounds } from "./image_card.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {Run} from "./types.js" */

/** The buttons of an object's verdict: command and name. */
const VERDICTS = /** @type {const} */ ([
  ["verdict.accept", "accept"],
  ["verdict.reject", "reject"],
  ["verdict.remark", "remarked"],
]);

/** @typedef {{run: Run, onComment: (text: string) => void, onCommentDone: () => void, onGold: (() => void) | null}} Listener */

/**
 * @param {HTMLElement} section
 * @param {Store<Model>} store
 * @param {Listener} listener
 */
export function mountReviewPanel(section, store, listener) {
  const author = el("p", { class: "author", test: "author" });
  const unsure = el("p", { class: "unsure-of", test: "unsure-of", hidden: true });
  const progress = el("p", { class: "quiet", test: "looked-at" });
  const said = el("details", { class: "said-before", test: "said-before", hidden: true });
  const comment = makeComment(listener);
  const buttons = el("div", { class: "verdicts" });
  const { onGold } = listener;
  const gold =
    onGold && stageButton({ class: "button small", text: texts.gold.button, test: "make-gold" }, onGold);
  section.append(el("div", { class: "author-line" }, author, gold), progress);
  section.append(unsure, buttons, comment);
  byId("found").before(said);
  const show = (/** @type {Model} */ model) => {
    const judgement = model.work?.judgements.get(model.work.editor.selection?.key ?? "");
    section.hidden = model.work === null;
    author.textContent = texts.review.by(model.work?.task.author?.name ?? "");
    const names = (model.work?.unsureClasses ?? []).map((name) => displayOfClass(model.party, name));
    unsure.hidden = names.length === 0;
    unsure.textContent = texts.review.unsureOf(names.join(", "));
    showSaid(said, model);
    const { original = [], judgements } = model.work ?? {};
    const looked = original.filter(({ key }) => judgements?.has(key)).length;
    progress.textContent = model.work ? texts.review.looked(looked, original.length) : "";
    const isRemarked = judgement?.verdict === "accept" && judgement.comment !== "";
    for (const [, name] of VERDICTS) {
      const button = buttons.querySelector(`.${name}`);
      const isPressed = name === "remarked" ? isRemarked : judgement?.verdict === name;
      button?.setAttribute("aria-pressed", String(isPressed));
      setAttribute(/** @type {Element} */ (button), "disabled", !selectedIn(model));
    }
    const isWriting = document.activeElement === comment;
    comment.hidden = judgement?.verdict !== "reject" && !judgement?.comment && !isWriting;
    comment.placeholder = judgement?.verdict === "accept" ? texts.review.remarkOn : texts.review.comment;
    if (!isWriting) comment.value = judgement?.comment ?? "";
  };
  store.follow(
    (model) => {
      const made = VERDICTS.map(([command, name]) =>
        commandButton(model, command, texts.review[name], listener.run, { class: `button ${name}` }),
      );
      buttons.replaceChildren(...made);
    },
    ({ keymap }) => [keymap],
  );
  store.follow(show);
  return {
    focusComment() {
      comment.hidden = false;
      comment.focus();
    },
  };
}

/**
 * Earlier rounds, open where they are news: an organiser settles what went back too often.
 * @type {(place: HTMLDetailsElement, model: Model) => void}
 */
function showSaid(place, { work, party }) {
  const rounds = work?.task.rounds ?? [];
  const changes = work?.task.changes ?? [];
  place.hidden = rounds.length === 0;
  if (place.dataset.image === String(work?.task.image_id)) return;
  place.dataset.image = String(work?.task.image_id);
  place.open = rounds.at(-1)?.verdict === "returned";
  const title = el("summary", { text: `${texts.rounds.title} (${rounds.length})` });
  const display = (/** @type {string} */ name) => displayOfClass(party, name);
  const changed = [
    el("h2", { class: "section-title", text: texts.rounds.since }),
    listChanges(changes, party),
  ];
  place.replaceChildren(title, listRounds(rounds, display), ...(place.open ? changed : []));
}

/** @param {Listener} listener */
function makeComment({ onComment, onCommentDone }) {
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    const isDone = (event.key === "Enter" && !event.shiftKey) || event.key === "Escape";
    if (!isDone) return;
    event.preventDefault();
    field.blur();
    onCommentDone();
  };
  const { comment, commentDone } = texts.review;
  const looks = { class: "field", rows: 2, maxlength: 2000, hidden: true, test: "comment" };
  const says = { placeholder: comment, title: commentDone, aria: { label: comment } };
  const field = el("textarea", { ...looks, ...says, on: { keydown, input: () => onComment(field.value) } });
  return field;
}
