/** Making elements, without markup in strings: what comes from outside stays text. */

import { guardKeys } from "./keys.js";

/** @import {Props} from "./types.js" */

guardKeys(); // every page makes elements here

/**
 * An element with these properties and children; `test` becomes data-testid. A button submits only where its type
 * says so, a form only to its listener.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  if (element instanceof HTMLButtonElement) element.type = "button";
  if (element instanceof HTMLFormElement)
    element.addEventListener("submit", (event) => event.preventDefault());
  const { text, test, data = {}, aria = {}, on = {}, ...attributes } = props;
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  if (test) element.dataset.testid = test;
  Object.assign(element.dataset, data);
  for (const [name, value] of Object.entries(aria)) element.setAttribute(`aria-${name}`, value);
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  if (text !== undefined) element.textContent = text;
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * An element of a drawing.
 * @type {(tag: string, attributes: Record<string, string | number>, ...children: (Node | string)[]) => SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * A link to the page Images with these filters.
 * @type {(filters: Record<string, string>, text: string, test?: string) => HTMLAnchorElement}
 */
export function imagesLink(filters, text, test) {
  return el("a", { href: imagesAddress(filters), text, test });
}

/** @param {Record<string, string>} filters */
export function imagesAddress(filters) {
  const query = String(new URLSearchParams(filters));
  return query ? `/images?${query}` : "/images";
}

/**
 * Sets the attribute, unless it has the value already; null, undefined and false remove it.
 * @type {(element: Element, name: string, value: string | number | boolean | null | undefined) => void}
 */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** The element of this id, which the template promises. @param {string} id */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

/**
 * Brings the elements of a list to these values and keeps those that stay: `make` for a new key, `fill` for
 * a value that changed. What goes is removed first: an element that is moved loses the focus and the press on it.
 * @template T
 * @param {HTMLElement} list
 * @param {readonly T[]} values
 * @param {{keyOf: (value: T) => string,
 *   make: (value: T) => HTMLElement, fill: (element: HTMLElement, value: T) => void}} how
 */
export function syncList(list, values, { keyOf, make, fill }) {
  const wanted = new Set(values.map(keyOf));
  for (const child of [...list.children]) if (!wanted.has(keyIn(child))) child.remove();
  const known = new Map([...list.children].map((child) => [keyIn(child), child]));
  let after = /** @type {Element | null} */ (null);
  for (const value of values) {
    const key = keyOf(value);
    const element = /** @type {HTMLElement} */ (known.get(key) ?? make(value));
    element.dataset.key = key;
    if (FILLED.get(element) !== value) fill(element, value);
    FILLED.set(element, value);
    const next = after ? after.nextElementSibling : list.firstElementChild;
    if (next !== element) list.insertBefore(element, next);
    after = element;
  }
}

/** What each element of a list was filled with last. @type {WeakMap<Element, unknown>} */
const FILLED = new WeakMap();

/** @param {Element} element */
function keyIn(element) {
  return element instanceof HTMLElement ? (element.dataset.key ?? "") : "";
}

/**
 * Makes the content again only if `seen` changed, so that no click meets a new element.
 * @type {(element: HTMLElement, seen: unknown, make: () => (Node | string)[]) => void}
 */
export function fillOnce(element, seen, make) {
  const now = JSON.stringify(seen);
  if (SHOWN.get(element) !== now) refill(element, ...make());
  SHOWN.set(element, now);
}

/** What each element shows, as JSON. @type {WeakMap<Element, string>} */
const SHOWN = new WeakMap();

/**
 * Replaces the content; the focus stays on the control with the same test id, if only one has it, and scrolls nothing.
 * @type {(element: HTMLElement, ...children: (Node | string)[]) => void}
 */
export function refill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const name = focused instanceof HTMLElement ? focused.dataset.testid : undefined;
  element.replaceChildren(...children);
  const [again, other] = name ? element.querySelectorAll(`[data-testid="${CSS.escape(name)}"]`) : [];
  if (again instanceof HTMLElement && !other) again.focus({ preventScroll: true });
}

/** The picture, decoded; rejected where there is none. @param {string} url */
export async function loadImage(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}

/**
 * A table with these headings; one without words is not a heading. Numbers are right-aligned.
 * @param {string} className
 * @param {readonly string[]} heads
 * @param {HTMLElement} body
 * @param {(place: number) => boolean} [isNumber]
 */
export function makeTable(className, heads, body, isNumber = () => false) {
  const cells = heads.map((text, at) =>
    el(text ? "th" : "td", { text, class: isNumber(at) ? "number" : "" }),
  );
  return el("table", { class: className }, el("thead", {}, el("tr", {}, ...cells)), body);
}

/** What a list offers: words by value. @type {(list: Record<string, string>, chosen?: string) => HTMLOptionElement[]} */
export function makeOptions(list, chosen) {
  return Object.entries(list).map(([value, text]) =>
    el("option", { value, text, selected: value === chosen }),
  );
}

const ALLOWED = new Set(
  "H1 H2 H3 H4 H5 H6 P UL OL LI TABLE THEAD TBODY TR TH TD STRONG EM CODE PRE BLOCKQUOTE BR HR A DEL IMG".split(
    " ",
  ),
);

/**
 * The text as nodes. Of other elements only the words stay, of attributes only the addresses of links.
 * @type {(html: string) => DocumentFragment}
 */
export function readRichText(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const fragment = document.createDocumentFragment();
  fragment.append(...[...parsed.body.childNodes].flatMap(clean));
  return fragment;
}

/**
 * @param {Node} node
 * @returns {Node[]}
 */
function clean(node) {
  if (node instanceof Text) return [document.createTextNode(node.data)];
  if (!(node instanceof Element)) return [];
  const children = [...node.childNodes].flatMap(clean);
  if (!ALLOWED.has(node.tagName)) return children;
  const kept = document.createElement(node.tagName);
  const address = node.getAttribute("href") ?? node.getAttribute("src") ?? "";
  if (kept instanceof HTMLAnchorElement && /^https?:\/\//.test(address)) {
    Object.assign(kept, { href: address, target: "_blank", rel: "noreferrer noopener" });
  }
  if (kept instanceof HTMLImageElement) {
    kept.alt = node.getAttribute("alt") ?? "";
    if (address.startsWith("/static/")) kept.src = address; // only drawings of our own
  }
  kept.append(...children);
  return [kept];
}
