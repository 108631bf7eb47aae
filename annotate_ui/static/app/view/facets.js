/** Which states, classes, people, findings and sets the found images have; a click narrows the search. */

import { texts } from "../organising_texts.js";
import { el, refill } from "./dom.js";

/** @import {FacetCounts, Filters, SearchField} from "../types.js" */

const MOST_SHOWN = 7;
const words = texts.images;

/**
 * `toggle` is called with the clicked filter and its value.
 * @param {readonly SearchField[]} fields
 * @param {(name: string, value: string) => void} toggle
 */
export function makeFacets(fields, toggle) {
  const inner = el("div", { class: "facet-groups", test: "facets" });
  const element = el("details", { class: "facets" }, el("summary", { text: words.narrow }), inner);
  const wide = matchMedia("(min-width: 48rem)");
  element.open = wide.matches;
  wide.addEventListener("change", () => (element.open = wide.matches)); // beside the pictures, nothing can open it
  const opened = new Set(/** @type {string[]} */ ([]));

  /**
   * @param {FacetCounts} counts
   * @param {Filters} filters
   * @param {boolean} isPart
   */
  function show(counts, filters, isPart) {
    const groups = fields
      .filter(({ name }) => (counts.facets[name] ?? []).length > 0)
      .map((field) => makeGroup(field, counts, filters));
    const note = el("p", { class: "quiet", text: isPart ? words.countedPart(counts.counted) : "" });
    refill(inner, ...groups, note);
  }

  /**
   * @param {SearchField} field
   * @param {FacetCounts} counts
   * @param {Filters} filters
   */
  function makeGroup({ name, label, values }, counts, filters) {
    const facets = counts.facets[name] ?? [];
    const buttons = facets.map(({ value, images }) => {
      const text = values.find((each) => each.value === value)?.label ?? value;
      return el(
        "li",
        {},
        el(
          "button",
          {
            test: `facet:${name}:${value}`,
            aria: { pressed: String(filters[name] === value) },
            on: { click: () => toggle(name, value) },
          },
          el("span", { text }),
          el("span", { class: "number", text: images.toLocaleString(document.documentElement.lang) }),
        ),
      );
    });
    const rest = buttons.slice(MOST_SHOWN);
    const more = el("details", { class: "more" }, el("summary", { text: words.moreValues(rest.length) }));
    more.open = opened.has(name);
    more.addEventListener("toggle", () => (more.open ? opened.add(name) : opened.delete(name)));
    more.append(el("ul", {}, ...rest));
    return el(
      "section",
      {},
      el("h2", { text: label }),
      el("ul", {}, ...buttons.slice(0, MOST_SHOWN)),
      rest.length > 0 ? more : null,
    );
  }

  return { element, show };
}
