/** The wall: the newest annotations with their boxes; comment, return or talk with one click. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { createStore } from "./state/model.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./organising_texts.js";
import { el, syncList } from "./view/dom.js";
import { boxed, nameObjects } from "./view/image_card.js";
import { clock, clockSecs } from "./view/words.js";

/** @import {WallItem} from "./types.js" */

const EVERY_SECS = 5;
const MOST_SHOWN = 240;

const words = texts.wall;
const api = openApi(showStopped);
const { ids, display } = nameClasses(await api.party());
const live = el("p", { class: "live", test: "live" });
const { fill: fillPage, attempt, act, follow } = openFrame("wall", words, live);
const grid = el("ul", { class: "wall", test: "wall" });
const older = el("button", { text: words.older });
/** What each place of the grid shows. @type {WeakMap<HTMLElement, WallItem>} */
const known = new WeakMap();
const store = createStore(/** @type {WallItem[]} */ ([]));

older.onclick = () => {
  const last = store.get().at(-1);
  if (last) void attempt(async () => merge((await api.wall(last.annotation_id)).items));
};
fillPage(grid, older);
store.subscribe((items) => {
  older.hidden = items.length < 24;
  syncList(grid, items, {
    keyOf: (item) => String(item.annotation_id),
    make: () => el("li", { class: "shot" }),
    fill: (place, item) => {
      const isSame = JSON.stringify(known.get(place)) === JSON.stringify(item);
      known.set(place, item);
      if (!isSame && !place.querySelector("form")) fill(place, item);
    },
  });
});
await follow(
  () => api.wall(),
  ({ at, items }) => {
    live.textContent = words.live(clockSecs(at));
    merge(items);
  },
  EVERY_SECS,
);

/** Adds items or replaces those that are shown, the newest first. @param {WallItem[]} fresh */
function merge(fresh) {
  store.update((shown) => {
    const items = new Map([...shown, ...fresh].map((item) => [item.annotation_id, item]));
    return [...items.values()]
      .sort((first, second) => second.annotation_id - first.annotation_id)
      .slice(0, MOST_SHOWN);
  });
}

/**
 * @param {WallItem} item
 * @param {"comment" | "sendBack"} kind
 * @param {string} text
 */
function say({ annotation_id: id, author, version }, kind, text) {
  if (kind === "comment") return act(() => api.remarkOn(id, text), words.told(author.name));
  return act(() => api.returnFromWall(id, { comment: text, version }), words.returned(author.name));
}

/**
 * @param {HTMLElement} place
 * @param {WallItem} item
 */
function fill(place, item) {
  place.dataset.testid = `shot:${item.annotation_id}`;
  const what = item.discarded
    ? `${words.discarded}: ${item.discarded}`
    : nameObjects(item.objects, display) || texts.objects.title(0);
  const time = clock(item.saved_at);
  const gold = {
    href: `/gold?image=${item.image_id}`,
    text: texts.gold.button,
    title: texts.gold.choose,
    test: "gold",
  };
  const acts = [
    button(words.comment, "comment", () => ask(place, item, "comment")),
    item.may_return ? button(words.sendBack, "return", () => ask(place, item, "sendBack")) : null,
    button(words.talk, "talk", () => void say(item, "comment", words.talkText), words.talkTitle),
    item.may_return && item.objects.length > 0 ? el("a", { class: "quiet", ...gold }) : null,
  ];
  place.replaceChildren(
    el("a", { href: `/history?image=${item.image_id}`, title: words.open, test: "open" }, boxed(item, ids)),
    el("p", { class: "by" }, el("b", { text: item.author.name }), el("span", { class: "quiet", text: time })),
    el("p", { class: "what", text: what, title: what }),
    ...item.remarks
      .slice(-1)
      .map((remark) => el("p", { class: "quiet what", text: words.remarks(remark), title: remark.text })),
    el("p", { class: "acts" }, ...acts),
  );
}

/**
 * @param {HTMLElement} place
 * @param {WallItem} item
 * @param {"comment" | "sendBack"} kind
 */
function ask(place, item, kind) {
  const placeholder = words.placeholder[kind];
  const field = el("textarea", {
    rows: 2,
    maxlength: 2000,
    required: true,
    placeholder,
    aria: { label: placeholder },
    test: "words",
  });
  const close = () => {
    fill(place, known.get(place) ?? item);
    const isNowhere = document.activeElement === document.body; // keep the focus that was moved elsewhere
    if (isNowhere) /** @type {HTMLElement | null} */ (place.querySelector(".acts button"))?.focus();
  };
  const submit = async () => {
    form.inert = true;
    if (await say(item, kind, field.value)) close();
    form.inert = false;
  };
  const keydown = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close();
  const text = kind === "comment" ? words.send : words.sendBack;
  const send = el("button", { type: "submit", class: "main", text, test: "send" });
  const form = el(
    "form",
    { class: "say", on: { submit, keydown } },
    field,
    send,
    button(words.cancel, "cancel", close),
  );
  place.querySelector(".acts")?.replaceWith(form);
  field.focus();
}

/**
 * @param {string} text
 * @param {string} test
 * @param {() => void} click
 * @param {string} [title]
 */
function button(text, test, click, title) {
  return el("button", { text, test, title, on: { click } });
}
