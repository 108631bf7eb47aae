/** The wall: the newest annotations with their boxes; comment, return or talk with one click. */

import { explain, openApi } from "./api.js";
import { createNewest } from "./calls.js";
import { mergeWall } from "./state/organiser.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { byId, el, syncList } from "./view/dom.js";
import { boxed, nameObjects } from "./view/image_card.js";
import { clock, clockSecs } from "./view/words.js";

/** @import {WallItem} from "./state/organiser.js" */

const EVERY_MS = 5000;
const MOST_SHOWN = 240;

const api = openApi();
const { classes } = await api.party();
const live = el("p", { class: "live", test: "live" });
const said = el("p", { class: "said", role: "status", test: "said" });
const grid = el("ul", { class: "wall", test: "wall" });
const older = el("button", { text: texts.wall.older, on: { click: () => void showOlder() } });
byId("wall").replaceChildren(
  el("header", { class: "board-head" }, el("h1", { text: texts.wall.title }), live, said),
  grid,
  older,
);
const view = mountWall(grid, classes, {
  remark: (item, text) =>
    act(() => api.remarkOn(item.annotation_id, text), texts.wall.told(item.author.name)),
  sendBack: (item, text) =>
    act(() => api.returnFromWall(item.annotation_id, text), texts.wall.returned(item.author.name)),
});
const newest = createNewest();
const store = createStore(/** @type {WallItem[]} */ ([]));
store.subscribe((items) => {
  older.hidden = items.length < 24;
  view.show(items);
});
await refresh();
setInterval(() => document.hidden || void refresh(), EVERY_MS);

async function refresh() {
  try {
    const wall = await newest(() => api.wall());
    if (!wall) return;
    live.textContent = texts.wall.live(clockSecs(wall.at));
    live.dataset.fresh = "true";
    show(wall.items);
  } catch (error) {
    live.dataset.fresh = "false";
    said.textContent = explain(error, texts.wall.noServer);
  }
}

async function showOlder() {
  const last = store.get().at(-1);
  try {
    if (last) show((await api.wall(last.annotation_id)).items);
  } catch (error) {
    said.textContent = explain(error, texts.wall.noServer);
  }
}

/** @param {WallItem[]} fresh */
function show(fresh) {
  store.update((items) => mergeWall(items, fresh).slice(0, MOST_SHOWN));
  byId("wall").dataset.ready = "true";
}

/** @param {() => Promise<unknown>} step @param {string} done */
async function act(step, done) {
  try {
    await step();
    said.textContent = done;
    await refresh();
    return true;
  } catch (error) {
    said.textContent = explain(error, texts.wall.noServer);
    return false;
  }
}

/** @typedef {(item: WallItem, text: string) => Promise<boolean>} Say */

/**
 * @param {HTMLElement} list
 * @param {readonly {name: string, display: string}[]} classes
 * @param {{remark: Say, sendBack: Say}} listener
 */
function mountWall(list, classes, { remark, sendBack }) {
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

  /** @param {HTMLElement} place @param {WallItem} item */
  function fill(place, item) {
    place.dataset.testid = `shot:${item.annotation_id}`;
    const what = item.discarded ? `${words.discarded}: ${item.discarded}` : nameObjects(item.objects, display) || words.objects(0);
    const time = clock(item.saved_at);
    place.replaceChildren(
      el("a", { href: `/history?image=${item.image_id}`, title: words.open, test: "open" }, boxed(item, names)),
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

  /** @param {HTMLElement} place @param {WallItem} item @param {"comment" | "sendBack"} kind */
  function ask(place, item, kind) {
    const field = el("textarea", { rows: 2, maxlength: 2000, required: true, placeholder: words.placeholder[kind], aria: { label: words.placeholder[kind] }, test: "words" });
    const close = () => {
      fill(place, known.get(place) ?? item);
      const isNowhere = document.activeElement === document.body; // keep the focus that was moved elsewhere
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

/** @param {string} text @param {string} test @param {() => void} click @param {string} [title] */
function button(text, test, click, title) {
  return el("button", { text, test, title, on: { click } });
}
