/** The guidelines at the side of the image, the selected class's rule on top, searchable. */

import { selectedIn } from "../state/model.js";
import { findClass } from "../state/party.js";
import { hasMany } from "../state/recent.js";
import { texts } from "../texts.js";
import { icon, searchField, stageButton } from "./controls.js";
import { el, readRichText, setAttribute } from "./dom.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {Party} from "../types.js" */

/** @typedef {{heading: string, level: number, element: HTMLElement}} Section */

const MOST_RULES = 20;

/**
 * @param {HTMLElement} panel
 * @param {Store<Model>} store
 * @param {() => void} close
 */
export function mountGuide(panel, store, close) {
  /** @type {Section[]} */
  let sections = [];
  /** Those that are always there: of many classes, no rule is. @type {Section[]} */
  let onPage = [];
  const onTop = el("div", { class: "guide-top", test: "guide-class" });
  const none = el("p", { class: "quiet", text: texts.guide.none, hidden: true });
  const asked = el("div", { test: "guide-asked" });
  const narrow = () => {
    const isAsked =
      hasMany(store.get().party) && showAsked(asked, listRules(store.get().party, sections), search.value);
    none.hidden = find(onPage, search.value) > 0 || isAsked;
  };
  const search = searchField(texts.guide.search, "guide-search", { input: narrow });
  const body = el("div", { class: "guide-body", tabindex: 0 });
  const label = texts.guide.close;
  const button = stageButton({ class: "icon-button", title: label, aria: { label } }, close, icon("close"));
  panel.append(
    el("div", { class: "guide-head" }, el("h2", { text: texts.guide.title }), button),
    search,
    body,
  );
  const read = (/** @type {Model} */ { party }) => {
    sections = splitSections(readRichText(party.guidelines_html));
    const rules = hasMany(party) ? new Set(listRules(party, sections)) : new Set();
    onPage = sections.filter((section) => !rules.has(section));
    body.replaceChildren(onTop, none, ...onPage.map((section) => section.element), asked);
    narrow();
    delete onTop.dataset.class;
  };

  const show = (/** @type {Model} */ model) => {
    setAttribute(panel, "hidden", !model.showsGuide);
    const name = selectedIn(model)?.class ?? model.lastClass;
    if (onTop.dataset.class !== name) onTop.replaceChildren(...ruleOf(model, name, sections));
    onTop.dataset.class = name;
  };
  store.follow(read, ({ party }) => [party.guidelines_html]);
  store.follow(show);
}

/** The sections that have the name of a class. @type {(party: Party, sections: readonly Section[]) => Section[]} */
function listRules({ classes }, sections) {
  const names = new Set(classes.flatMap(({ name, display }) => [name.toLowerCase(), display.toLowerCase()]));
  return sections.filter(({ heading }) => names.has(heading.toLowerCase()));
}

/**
 * Of many rules, those that are searched for, or how many there are to search; whether one is shown.
 * @type {(place: HTMLElement, rules: readonly Section[], typed: string) => boolean}
 */
function showAsked(place, rules, typed) {
  if (rules.length === 0 || !typed.trim()) {
    const hint = rules.length === 0 ? "" : texts.guide.ofClasses(rules.length);
    place.replaceChildren(el("p", { class: "quiet", text: hint }));
    return false;
  }
  find(rules, typed);
  const matching = rules.filter(({ element }) => !element.hidden);
  const rest = matching.length - MOST_RULES;
  const note = el("p", { class: "quiet", text: rest > 0 ? texts.palette.more(rest) : "" });
  place.replaceChildren(...matching.slice(0, MOST_RULES).map(({ element }) => element), note);
  return matching.length > 0;
}

/**
 * The rule of a class: its line, and its section of the guidelines where there is one.
 * @param {Model} model
 * @param {string} name
 * @param {readonly Section[]} sections
 */
function ruleOf(model, name, sections) {
  const spec = findClass(model.party, name);
  if (!spec) return [];
  const titles = [spec.display.toLowerCase(), spec.name.toLowerCase()];
  const section = sections.find(({ heading }) => titles.includes(heading.toLowerCase()));
  const details = section ? [...section.element.cloneNode(true).childNodes].slice(1) : [];
  return [
    el("h3", { text: spec.display }),
    ...(details.length > 0 ? details : [el("p", { text: spec.short_rule })]),
  ];
}

/**
 * One section for each heading, with what stands below it.
 * @param {DocumentFragment} text
 * @returns {Section[]}
 */
function splitSections(text) {
  /** @type {Section[]} */
  const sections = [];
  for (const node of [...text.childNodes]) {
    const level = /^H([1-6])$/.exec(node.nodeName)?.[1];
    if (level || sections.length === 0) {
      const heading = level ? (node.textContent ?? "").trim() : "";
      sections.push({ heading, level: Number(level ?? 1), element: el("section") });
    }
    sections[sections.length - 1].element.append(node);
  }
  return sections;
}

/**
 * Shows the sections that hold every typed word; how many there are.
 * @type {(sections: readonly Section[], typed: string) => number}
 */
function find(sections, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  let matching = 0;
  for (const { element } of sections) {
    const text = (element.textContent ?? "").toLowerCase();
    element.hidden = !words.every((word) => text.includes(word));
    if (!element.hidden) matching += 1;
  }
  return matching;
}
