/** What organisers say to the person at work: small, above the status bar, gone by a click. */

import { texts } from "./texts.js";
import { el, syncList } from "./view/dom.js";

const EVERY_MS = 15_000;

/** @param {Pick<import("./api.js").Api, "remarks" | "seeRemark">} api */
export function showRemarks(api) {
  const list = el("aside", { class: "remarks", role: "status", test: "remarks" });
  document.body.append(list);
  /** Those that were seen, which an answer from before may still hold. @type {Set<number>} */
  const seen = new Set();
  const look = async () => {
    if (document.hidden) return;
    const answer = await api.remarks().catch(() => null);
    if (!answer) return;
    const unseen = answer.remarks.filter(({ id }) => !seen.has(id));
    // One that is there stays the same element, so that no click meets a new button.
    syncList(list, unseen, { keyOf: ({ id }) => String(id), make: card, fill: () => {} });
  };
  void look();
  setInterval(look, EVERY_MS);

  /** @param {import("./state/wall.js").Remark} remark */
  function card(remark) {
    const picture = el("img", {});
    Object.assign(picture, { src: remark.image_url, alt: "" });
    const see = async () => {
      item.remove();
      seen.add(remark.id);
      await api.seeRemark(remark.id).catch(() => seen.delete(remark.id));
    };
    const item = el(
      "div",
      { class: "remark" },
      picture,
      el(
        "div",
        {},
        el("b", { text: texts.remark.from(remark.from) }),
        el("p", { text: remark.text }),
        el("small", { text: texts.remark.about(remark.image_id) }),
      ),
      el("button", { type: "button", text: texts.remark.button, test: "remark-seen", on: { click: see } }),
    );
    return item;
  }
}
