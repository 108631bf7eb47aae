/** The objects as a list: the content of the canvas for everyone, screen readers and tests included. */

import { heightPx, widthPx } from "../geometry/boxes.js";
import { objectsIn } from "../state/editor.js";
import { coloursOf, lookOfObject } from "../state/display.js";
import { standingOf, worstOf } from "../state/findings.js";
import { UNSPECIFIED } from "../state/objects.js";
import { displayOf, displayOfClass } from "../state/party.js";
import { texts } from "../texts.js";
import { yieldFocus } from "./controls.js";
import { el, setAttribute, syncList } from "./dom.js";
import { swatch } from "./class_chips.js";
import { flagLetters, sayMarked } from "./words.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {Annotated} from "../types.js" */

/** @typedef {{onSelect: (key: string) => void, onToggle: (key: string) => void, onHover: (key: string | null) => void}} Listener */

/**
 * @param {HTMLElement} section
 * @param {Store<Model>} store
 * @param {Listener} listener
 */
export function mountObjectList(section, store, listener) {
  const title = el("h2", { class: "section-title", test: "object-count" });
  const list = el("ul", {
    class: "objects",
    role: "listbox",
    tabindex: 0,
    test: "objects",
    aria: { label: texts.regions.panel, multiselectable: "true" },
    on: {
      click: (/** @type {MouseEvent} */ event) => {
        const isMore = event.shiftKey || event.ctrlKey || event.metaKey;
        pick(event, isMore ? listener.onToggle : listener.onSelect);
        yieldFocus(event);
      },
      mouseover: (/** @type {MouseEvent} */ event) => pick(event, listener.onHover),
      mouseleave: () => listener.onHover(null),
      keydown: (/** @type {KeyboardEvent} */ event) => step(event, store.get(), listener),
    },
  });
  section.append(title, list);
  store.follow(
    (model) => showObjects(title, list, model),
    ({ work, hovered, preferences }) => {
      const { history, selection, also } = work?.editor ?? {}; // and so not the cursor
      return [
        history,
        selection,
        also,
        work?.judgements,
        work?.found,
        work?.findings,
        hovered,
        preferences.colours,
      ];
    },
  );
}

/**
 * @param {HTMLElement} title
 * @param {HTMLElement} list
 * @param {Model} model
 */
function showObjects(title, list, model) {
  const objects = model.work ? objectsIn(model.work.editor) : [];
  const selected = model.work?.editor.selection?.key ?? null;
  title.textContent = texts.objects.title(objects.length);
  list.parentElement?.style.setProperty("--rows", String(objects.length));
  syncList(list, objects, {
    keyOf: (object) => object.key,
    make: () => el("li", { class: "object", role: "option", test: "object" }),
    fill: (item, object) => fillItem(item, model, object),
  });
  markItems(list, model, selected);
  objects.forEach((object, place) => nameItem(list.children[place], model, object, place + 1));
  const colours = coloursOf(model);
  if (colours === "object" || list.dataset.colours === "object") {
    objects.forEach((object, place) => {
      const { hue, dash } = lookOfObject(model, object);
      const swatch = /** @type {HTMLElement} */ (list.children[place].firstElementChild);
      setAttribute(swatch, "data-hue", hue);
      setAttribute(swatch, "data-dash", dash);
    });
  }
  list.dataset.colours = colours;
  const isListed = objects.some(({ key }) => key === selected);
  setAttribute(list, "aria-activedescendant", isListed ? `object-${selected}` : null);
}

/**
 * Scrolls the list alone: on a low screen the panel around it would move class and view away.
 * @param {HTMLElement} list
 * @param {HTMLElement} item
 */
function scrollTo(list, item) {
  const [outer, inner] = [list, item].map((element) => element.getBoundingClientRect());
  list.scrollTop += Math.max(inner.bottom - outer.bottom, 0) + Math.min(inner.top - outer.top, 0);
}

/**
 * @param {HTMLElement} list
 * @param {Model} model
 * @param {string | null} selected
 */
function markItems(list, { work, hovered }, selected) {
  for (const item of /** @type {Iterable<HTMLElement>} */ (list.children)) {
    const key = item.dataset.key ?? "";
    const isSelected = key === selected || (work?.editor.also.includes(key) ?? false);
    const isNew = key === selected && item.getAttribute("aria-selected") !== "true";
    setAttribute(item, "aria-selected", String(isSelected));
    // With the next frame, when the page is laid out anyway.
    if (isNew) requestAnimationFrame(() => scrollTo(list, item));
    item.classList.toggle("hovered", key === hovered);
    const judgement = work?.judgements.get(key);
    setAttribute(item, "data-verdict", judgement?.verdict);
    const findings = work ? [...work.found, ...work.findings] : [];
    const standing = standingOf(findings, key);
    setAttribute(item, "data-found", worstOf(findings, key));
    pin(item, "object-said", judgement?.comment ?? "");
    pin(item, "object-found", standing.map(({ message }) => message).join(" "));
  }
}

/**
 * What a screen reader says besides what is in sight, and the row's title: number, verdict and hints.
 * @param {Element} item
 * @param {Model} model
 * @param {Annotated} object
 * @param {number} number
 */
function nameItem(item, { work }, object, number) {
  const verdict = work?.judgements.get(object.key)?.verdict;
  const hints = standingOf(work ? [...work.found, ...work.findings] : [], object.key);
  setText(item, ".object-number", String(number));
  setText(item, ".object-verdict", verdict ? texts.objects.verdicts[verdict] : "");
  setAttribute(item, "title", hints.map(({ message }) => message).join(" ") || null);
}

/** @type {(item: Element, selector: string, text: string) => void} */
function setText(item, selector, text) {
  const line = item.querySelector(selector);
  if (line && line.textContent !== text) line.textContent = text;
}

const FLAGS = /** @type {const} */ (["truncated", "occluded", "unsure", "difficult", "group_of"]);

/**
 * A line below what the object is: a comment, or what a check found.
 * @type {(item: HTMLElement, name: "object-said" | "object-found", text: string) => void}
 */
function pin(item, name, text) {
  const line = item.querySelector(`.${name}`);
  if (text === "") return line?.remove();
  if (!line) return item.append(el("span", { class: name, text, title: text }));
  if (line.textContent === text) return;
  line.textContent = text;
  setAttribute(line, "title", text);
}

/**
 * @param {HTMLElement} item
 * @param {Model} model
 * @param {Annotated} object
 */
function fillItem(item, model, object) {
  item.id = `object-${object.key}`;
  const view = object.view === UNSPECIFIED ? "" : displayOf(model.party, "view", object.view);
  // The words of a screen reader instead of the letters.
  const label = FLAGS.filter((name) => object[name])
    .map((name) => texts.inspector[name])
    .join(", ");
  item.replaceChildren(
    swatch(model, object.class),
    el("span", { class: "object-number unseen" }),
    el("span", { class: "object-class", text: displayOfClass(model.party, object.class) }),
    el("span", { class: "object-view", text: view }),
    el("span", {
      class: "object-flags",
      text: flagLetters(object),
      ...(label && { role: "img", aria: { label } }),
    }),
    el("span", { class: "object-extras", text: sayMarked(model.party, object) }),
    el("span", { class: "object-size", text: texts.objects.size(widthPx(object.box), heightPx(object.box)) }),
    el("span", { class: "object-verdict unseen" }),
  );
  Object.assign(item.dataset, mirror(object));
}

/** All fields of an object as attributes. @param {Annotated} object */
function mirror(object) {
  return {
    class: object.class,
    box: object.box.join(","),
    view: object.view,
    truncated: String(object.truncated),
    occluded: String(object.occluded),
    unsure: String(object.unsure),
    difficult: String(object.difficult),
    group: String(Boolean(object.group_of)),
    actions: object.actions.join(","),
    point: object.point?.join(",") ?? "",
    parts: object.parts.map(({ part, box }) => `${part}:${box.join(",")}`).join(";"),
    ...(object.rings && { drawn: String(object.rings.length > 0), depth: String(object.depth) }),
  };
}

/**
 * @param {Event} event
 * @param {(key: string) => void} tell
 */
function pick(event, tell) {
  const item = event.target instanceof Element ? event.target.closest("li") : null;
  if (item?.dataset.key) tell(item.dataset.key);
}

/**
 * @param {KeyboardEvent} event
 * @param {Model} model
 * @param {Listener} listener
 */
function step(event, model, { onSelect, onToggle }) {
  const move = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (move === 0 || !model.work) return;
  const objects = objectsIn(model.work.editor);
  const at = objects.findIndex(({ key }) => key === model.work?.editor.selection?.key);
  const next = objects[Math.min(Math.max(at + move, 0), objects.length - 1)];
  if (next && !(event.shiftKey && next.key === objects[at]?.key))
    (event.shiftKey ? onToggle : onSelect)(next.key);
  event.preventDefault();
}
