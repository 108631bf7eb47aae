/** What the checker said when the work came back, above the palette. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../state/model.js").Model} Model */

/**
 * @param {HTMLElement} section
 * @param {import("../state/store.js").Store<Model>} store
 */
export function mountReviewNote(section, store) {
  const show = (/** @type {Model} */ { page, work }) => {
    const review = page === "annotate" ? (work?.task.review ?? null) : null;
    section.hidden = review === null;
    if (!review || !work) return;
    const key = work.editor.selection?.key;
    const onObject = review.objects.find((one) => one.key === key && one.comment !== "");
    const others = review.objects.filter((one) => one.comment !== "" && one !== onObject);
    section.replaceChildren(
      el("h2", { class: "section-title", text: texts.returned.title(review.checker) }),
      ...(review.comment ? [el("p", { text: review.comment, test: "review-comment" })] : []),
      ...(onObject ? [el("p", { class: "on-object", text: onObject.comment })] : []),
      ...others.map((one) => el("p", { class: "quiet", text: one.comment })),
    );
  };
  show(store.get());
  store.subscribe((model, before) => {
    if (model.work !== before.work) show(model);
  });
}
