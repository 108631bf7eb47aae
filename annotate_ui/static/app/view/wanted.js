/** The note of rare-class mode: which classes are wanted, and the key for images without them. */

import { displayOfClass } from "../state/party.js";
import { texts } from "../texts.js";
import { keyCap, yieldFocus } from "./controls.js";
import { el, setAttribute } from "./dom.js";
import { swatch } from "./palette.js";

/** @typedef {import("../state/model.js").Model} Model */

/**
 * @param {HTMLElement} section
 * @param {import("../state/store.js").Store<Model>} store
 * @param {import("./controls.js").Run} run
 */
export function mountWanted(section, store, run) {
  const show = (/** @type {Model} */ model) => {
    setAttribute(section, "hidden", model.wanted.length === 0);
    section.replaceChildren(...describe(model, run));
  };
  show(store.get());
  store.subscribe((model, before) => {
    if (model.wanted !== before.wanted || model.keymap !== before.keymap) show(model);
  });
}

/**
 * @param {Model} model
 * @param {import("./controls.js").Run} run
 */
function describe(model, run) {
  if (model.wanted.length === 0) return [];
  const names = model.wanted.map((name) =>
    el("li", {}, swatch(model, name), el("span", { text: displayOfClass(model.party, name) })),
  );
  const click = (/** @type {MouseEvent} */ event) => (yieldFocus(event), run("image.unwanted"));
  return [
    el("h2", { text: texts.wanted.title }),
    el("ul", { test: "wanted-classes" }, ...names),
    el(
      "button",
      { class: "button", type: "button", test: "image.unwanted", on: { click } },
      el("span", { text: texts.wanted.button }),
      keyCap(model, "image.unwanted"),
    ),
  ];
}
