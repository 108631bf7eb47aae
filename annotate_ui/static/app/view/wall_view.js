/** The pictures of the wall, each with its boxes, who drew them and three buttons. */

import { texts } from "../texts.js";
import { boxed, nameObjects } from "./boxed.js";
import { clock } from "./clock.js";
import { el, syncList } from "./dom.js";

/** @typedef {import("../state/wall.js").WallItem} WallItem */
/** @typedef {(item: WallItem, text: string) => Promise<boolean>} Say */

/**
 * @param {HTMLElement} list
 * @param {readonly {name: string, display: string}[]} classes
 * @param {{remark: Say, sendBack: Say}} listener
 */
export function mountWall(list, classes, { remark, sendBack }) {
  const words = texts.wall;
  const names = classes.map((one) => one.name);
  const display = (/** @type {string} */ name) => classes.find((one) => one.name === name)?.display ?? name;
  const known = /** @type {WeakMap<HTMLElement, WallItem>} */ (new WeakMap());
  return {
    /** @param {readonly WallItem[]} items */
    show: (items) =>
      syncList(list, items, {
        keyOf: (item) => String(item.annotation_id),
        make: () => el("li", { class: "shot" }),
        fill: (place, item) => {
          const isSame = JSON.stringify(known.get(place)) === JSON.stringify(item);
          known.set(place, item);
          if (!isSame && !place.querySelector("form")) fill(place, item);
        },
      }),
  };

  /**
   * @param {HTMLElement} place
   * @param {WallItem} item
   */
  function fill(place, item) {
    place.dataset.testid = `shot:${item.annotation_id}`;
    const what = item.is_discarded ? words.discarded : nameObjects(item.objects, display) || words.objects(0);
    const time = clock(item.saved_at);
    place.replaceChildren(
      boxed(item, names),
      el("p", { class: "by" }, el("b", { text: item.author.name }), el("span", { class: "quiet", text: time })),
      el("p", { class: "what", text: what, title: what }),
      ...item.remarks.slice(-1).map((one) => el("p", { class: "quiet what", text: words.remarks(one), title: one.text })),
      el(
        "p",
        { class: "acts" },
        button(words.comment, "comment", () => ask(place, item, "comment")),
        item.may_return ? button(words.sendBack, "return", () => ask(place, item, "sendBack")) : null,
        button(words.talk, "talk", () => void remark(item, words.talkText), words.talkTitle),
        item.may_return && item.objects.length > 0
          ? el("a", { class: "quiet", href: `/gold?image=${item.image_id}`, text: texts.gold.button, title: texts.gold.choose, test: "gold" })
          : null,
      ),
    );
  }

  /**
   * @param {HTMLElement} place
   * @param {WallItem} item
   * @param {"comment" | "sendBack"} kind
   */
  function ask(place, item, kind) {
    const field = el("textarea", { rows: 2, maxlength: 2000, placeholder: words.placeholder[kind], aria: { label: words.placeholder[kind] }, test: "words" });
    field.required = true;
    const close = () => {
      fill(place, known.get(place) ?? item);
      const isNowhere = document.activeElement === document.body; // not where somebody went on
      if (isNowhere) /** @type {HTMLElement | null} */ (place.querySelector(".acts button"))?.focus();
    };
    const form = el(
      "form",
      {
        class: "say",
        on: {
          submit: async (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            form.inert = true;
            const say = kind === "comment" ? remark : sendBack;
            if (await say(item, field.value)) close();
            form.inert = false;
          },
          keydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close(),
        },
      },
      field,
      el("button", { type: "submit", class: "main", text: kind === "comment" ? words.send : words.sendBack, test: "send" }),
      button(words.cancel, "cancel", close),
    );
    place.querySelector(".acts")?.replaceWith(form);
    field.focus();
  }
}

/**
 * @param {string} text
 * @param {string} test
 * @param {() => void} click
 * @param {string} [title]
 */
function button(text, test, click, title) {
  return el("button", { type: "button", text, test, title, on: { click } });
}
