/** A field that narrows a list of many classes, and which of them the list shows. */

import { filterClasses } from "../state/party.js";
import { hasMany } from "../state/recent.js";
import { texts } from "../texts.js";
import { searchField } from "./controls.js";
import { el } from "./dom.js";

const MOST_SHOWN = 40;

/**
 * `onInput` hears of what is typed, `onTake` of Enter. With few classes nothing is to be seen of it.
 * @param {{onInput: () => void, onTake?: () => void}} listeners
 */
export function makeClassSearch({ onInput, onTake = () => {} }) {
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && field.value.trim()) onTake();
    if (event.key !== "Escape") return;
    field.value = "";
    onInput();
  };
  const field = searchField(texts.palette.filter, "search-classes", { input: onInput, keydown });
  const note = el("p", { class: "quiet", role: "status", test: "classes-note" });
  const element = el("div", { class: "class-search", hidden: true }, field, note);
  return { element, pick };

  /**
   * The classes to show: all of a few; of many those that match, at most so many, in the order given.
   * @template {{display: string, name?: string, synonyms?: readonly string[]}} T
   * @param {readonly T[]} classes
   * @returns {readonly T[]}
   */
  function pick(classes) {
    const isNeeded = hasMany({ classes }) || !element.hidden;
    if (element.hidden === isNeeded) element.hidden = !isNeeded;
    if (!isNeeded) return classes;
    const matches = field.value.trim() ? filterClasses(classes, field.value) : classes;
    const rest = matches.length - MOST_SHOWN;
    const text =
      matches.length === 0
        ? texts.palette.none
        : rest > 0
          ? texts.palette.shown(MOST_SHOWN, matches.length)
          : "";
    if (note.textContent !== text) note.textContent = text;
    return matches.slice(0, MOST_SHOWN);
  }
}
