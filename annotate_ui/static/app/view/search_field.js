/** One field for a whole search: filters become chips, and what is written is completed. */

import { readSearch, splitLast, suggest, writeFilter } from "../state/image_search.js";
import { texts } from "../organising_texts.js";
import { el, setAttribute } from "./dom.js";

/** @import {Filters, SearchField, Suggestion} from "../types.js" */

const words = texts.images.search;

/**
 * `search` is called with all filters whenever they change; `show` sets them from outside.
 * @param {readonly SearchField[]} fields
 * @param {(filters: Filters) => void} search
 */
export function makeSearchField(fields, search) {
  let filters = /** @type {Filters} */ ({});
  let suggestions = /** @type {Suggestion[]} */ ([]);
  let chosen = -1;
  const labels = new Map(fields.map((field) => [field.name, field]));
  const chips = el("span", { class: "chips" });
  const list = el("ul", { id: "search-list", class: "suggestions", role: "listbox", hidden: true });
  setAttribute(list, "aria-label", words.suggestions);
  const input = el("input", {
    type: "text",
    test: "search",
    maxlength: 500,
    role: "combobox",
    aria: { label: words.label, controls: list.id, expanded: "false", autocomplete: "list" },
    on: {
      input: () => open(),
      focus: () => open(),
      click: () => open(),
      blur: () => close(),
      keydown: (/** @type {Event} */ event) => onKeyDown(/** @type {KeyboardEvent} */ (event)),
    },
  });
  setAttribute(input, "autocomplete", "off");
  setAttribute(input, "spellcheck", "false");
  const clear = el("button", {
    class: "clear",
    test: "clear",
    text: words.clear,
    on: { click: () => changeByButton({}) },
  });
  const element = el(
    "form",
    { class: "search", role: "search", on: { submit: () => submit() } },
    el(
      "div",
      {
        class: "search-box",
        on: { click: (event) => event.target === event.currentTarget && input.focus() },
      },
      chips,
      input,
      clear,
    ),
    list,
  );

  /** @param {Filters} wanted */
  function show(wanted) {
    filters = wanted;
    const names = Object.keys(filters);
    chips.replaceChildren(...names.map((name) => makeChip(name, filters[name] ?? "")));
    input.placeholder = names.length > 0 ? "" : words.placeholder;
    clear.hidden = names.length === 0;
  }

  /** @param {Filters} wanted */
  function change(wanted) {
    show(wanted);
    close();
    search(filters);
  }

  /** The pressed button goes: the focus goes on to the next one, or to the field. @param {Filters} wanted */
  function changeByButton(wanted) {
    change(wanted);
    const next = chips.querySelector(".chip-remove");
    (next instanceof HTMLElement ? next : input).focus();
    close();
  }

  function submit() {
    const written = readSearch(input.value, fields);
    input.value = "";
    change({ ...filters, ...written });
  }

  /** @param {string} name */
  function without(name) {
    const others = { ...filters };
    delete others[name];
    return others;
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  function makeChip(name, value) {
    const field = labels.get(name);
    const shown = value
      .split(",")
      .map((word) => field?.values.find((each) => each.value === word)?.label ?? word);
    const text = words.chip(field?.label ?? name, shown.join(", "));
    const edit = () => {
      show(without(name));
      input.value = `${input.value} ${writeFilter(name, value)}`.trimStart();
      input.focus();
      open();
    };
    return el(
      "span",
      { class: "chip", test: `filter:${name}`, data: { value } },
      el("button", { class: "chip-text", text, title: words.edit, on: { click: edit } }),
      el("button", {
        class: "chip-remove",
        text: "×",
        test: `remove:${name}`,
        aria: { label: words.remove(text) },
        on: { click: () => changeByButton(without(name)) },
      }),
    );
  }

  function open() {
    suggestions = suggest(input.value, fields);
    chosen = -1;
    list.replaceChildren(...suggestions.map(makeOption));
    list.hidden = suggestions.length === 0;
    mark();
  }

  function close() {
    list.hidden = true;
    chosen = -1;
    mark();
  }

  /**
   * @param {Suggestion} suggestion
   * @param {number} at
   */
  function makeOption(suggestion, at) {
    const { field, value, label, hint } = suggestion;
    const keepFocus = (/** @type {Event} */ event) => event.preventDefault();
    return el(
      "li",
      {
        id: `search-${at}`,
        role: "option",
        test: `suggest:${value === null ? field : `${field}:${value}`}`,
        on: { mousedown: keepFocus, click: () => take(suggestion) },
      },
      el("b", { text: value === null ? `${field}:` : label }),
      el("span", { class: "quiet", text: value === null ? `${label} · ${hint}` : hint }),
    );
  }

  /** @param {Suggestion} suggestion */
  function take({ field, value }) {
    const { before } = splitLast(input.value, fields);
    if (value === null) {
      input.value = `${before}${field}:`;
      return open();
    }
    const written = readSearch(before, fields);
    input.value = "";
    change({ ...filters, ...written, [field]: value });
  }

  function mark() {
    [...list.children].forEach((option, at) => setAttribute(option, "aria-selected", String(at === chosen)));
    setAttribute(input, "aria-expanded", String(!list.hidden));
    setAttribute(input, "aria-activedescendant", chosen < 0 ? null : `search-${chosen}`);
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const takesBack = event.key === "Backspace" && input.value === "" && !event.repeat;
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 });
    const step = steps[event.key];
    if (step) {
      if (list.hidden) open();
      else chosen = (chosen + step + suggestions.length + 1) % (suggestions.length + 1);
      if (chosen === suggestions.length) chosen = -1;
      mark();
    } else if (event.key === "Escape" && !list.hidden) {
      close();
    } else if ((event.key === "Enter" || event.key === "Tab") && suggestions[chosen]) {
      take(/** @type {Suggestion} */ (suggestions[chosen]));
    } else if (takesBack && Object.keys(filters).length > 0) {
      change(without(/** @type {string} */ (Object.keys(filters).at(-1))));
    } else {
      return;
    }
    event.preventDefault();
  }

  show({});
  return { element, show };
}
