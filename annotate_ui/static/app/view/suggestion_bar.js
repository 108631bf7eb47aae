/** The bar above an image with suggestions: which one is selected, how many are left, and buttons for finger and pen. */

import { currentSuggestion, listOpen } from "../state/editor.js";
import { isEnding } from "../state/model.js";
import { texts } from "../texts.js";
import { commandButton } from "./controls.js";
import { el, setAttribute } from "./dom.js";
import { saySuggestion } from "./words.js";

/** @import {Editor, Model, Store} from "../state/types.js" */
/** @import {Run} from "./types.js" */

/**
 * @param {HTMLElement} stage
 * @param {Store<Model>} store
 * @param {Run} run
 */
export function mountSuggestions(stage, store, run) {
  const label = texts.suggestions.title;
  const bar = el("div", { class: "suggestion-bar", test: "suggestions", role: "group", aria: { label } });
  stage.before(bar);
  store.follow(
    (model) => fill(bar, model, run),
    ({ work, screen, keymap }) => {
      const { suggestions, history, selection, showsSuggestions } = work?.editor ?? {};
      const isOver = work !== null && isEnding(work);
      return [suggestions, history, selection, showsSuggestions, screen, keymap, isOver];
    },
  );
}

/**
 * @param {HTMLElement} bar
 * @param {Model} model
 * @param {Run} run
 */
function fill(bar, model, run) {
  const { work, screen } = model;
  const isThere = work !== null && screen === "work" && work.editor.suggestions.length > 0;
  setAttribute(bar, "hidden", !isThere || isEnding(work));
  if (!isThere) return bar.replaceChildren();
  const { editor } = work;
  const words = texts.suggestions;
  const button = (/** @type {string} */ command, /** @type {string} */ text) =>
    commandButton(model, `suggestion.${command}`, text, run, { class: "button small" });
  const left = listOpen(editor).length;
  const isCurrent = currentSuggestion(editor) !== null;
  const isLeft = left > 0 && editor.showsSuggestions;
  bar.replaceChildren(
    el("span", {
      class: "suggestion-now",
      role: "status",
      test: "suggestion-now",
      text: nameOf(model, editor),
    }),
    el("span", { class: "quiet", test: "suggestions-left", text: left > 0 ? words.left(left) : "" }),
    ...(isLeft ? [button("accept", isCurrent ? words.accept : words.next)] : []),
    ...(isCurrent ? [button("reject", words.reject)] : []),
    ...(left > 0 ? [button("show", editor.showsSuggestions ? words.hide : words.show)] : []),
  );
}

/**
 * @param {Model} model
 * @param {Editor} editor
 */
function nameOf({ party }, editor) {
  const suggestion = currentSuggestion(editor);
  if (suggestion) return saySuggestion(party, suggestion);
  return listOpen(editor).length > 0 ? texts.suggestions.none : texts.suggestions.done;
}
