/** Looking images up: filters in the address, a page of pictures, and what can be done with those found. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { createStore } from "./state/model.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./texts.js";
import { askSure } from "./view/dialog.js";
import { el, makeOptions } from "./view/dom.js";
import { boxed, nameObjects } from "./view/image_card.js";

/** @import {FoundImage, ShownImage} from "./types.js" */

const OPENS = ["annotated", "checked", "released"];
const words = texts.images;
const api = openApi(showStopped);
const party = await api.party();
const { ids, display } = nameClasses(party);
const named = (/** @type {readonly {id: string, display: string}[]} */ list) =>
  Object.fromEntries(list.map(({ id, display }) => [id, display]));
const reasons = named(party.discard_reasons);
/** What can be chosen in a filter, with the words for it. */
const choices = /** @type {Record<string, Record<string, string>>} */ ({
  state: words.states,
  class: named(party.classes),
  view: named(party.views),
  flag: words.flags,
  part: named(party.parts),
  action: named(party.actions),
  reason: reasons,
  finding: words.findings,
});

const count = el("p", { class: "live", test: "count" });
const { place, fill, say, attempt } = openFrame("images", words, count);
const grid = el("ul", { class: "wall", test: "images" });
const more = el("button", {
  text: words.more,
  hidden: true,
  on: { click: () => void load(store.get().next) },
});
const filters = el(
  "form",
  { class: "invite filters", test: "filters", on: { submit: find } },
  ...Object.keys(words.filters).map(makeFilter),
  el("button", { type: "submit", class: "main", text: words.find, test: "find" }),
  el("a", { href: "/images", text: words.clear }),
);
/**
 * `asked` are the filters by which the shown images were found; the form may be ahead of them.
 * `latest` is the number of the last request: answers that another one overtook are not shown.
 */
const store = createStore({
  next: /** @type {number | null} */ (null),
  total: 0,
  latest: 0,
  asked: /** @type {Record<string, string>} */ ({}),
  chosen: /** @type {readonly ShownImage[]} */ ([]),
});

fill(filters, makeActions(), grid, more);
addEventListener("popstate", showAddress);
showAddress();

/** An address can ask for several choices at once, which are one more choice then. */
function showAddress() {
  const address = new URLSearchParams(location.search);
  for (const name of Object.keys(words.filters)) {
    const field = input(name);
    const value = address.get(name) ?? "";
    const isNew =
      field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value);
    const text = value
      .split(",")
      .map((value) => choices[name]?.[value] ?? value)
      .join(", ");
    if (isNew) field.append(el("option", { value, text }));
    field.value = value;
  }
  void load(null);
}

function find() {
  history.pushState(null, "", `/images?${new URLSearchParams(readFilters())}`);
  void load(null);
}

/** @param {string} name */
function input(name) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (filters.elements.namedItem(name));
}

/** @returns {Record<string, string>} */
function readFilters() {
  const given = Object.keys(words.filters).map((name) => [name, input(name).value.trim()]);
  return Object.fromEntries(given.filter(([, word]) => word));
}

/** @param {string} name */
function makeFilter(name) {
  const type = name === "since" || name === "until" ? "date" : "text";
  const test = `filter:${name}`;
  const list = choices[name];
  const field = list
    ? el("select", { name, test }, el("option", { value: "" }), ...makeOptions(list))
    : el("input", { name, type, maxlength: 200, test });
  return el("label", {}, el("span", { text: words.filters[name] ?? name }), field);
}

/** @param {number | null} before where the shown page ended; null begins anew */
async function load(before) {
  const latest = store.get().latest + 1;
  store.update((state) => ({ ...state, latest }));
  await attempt(async () => {
    const asked = before === null ? readFilters() : store.get().asked;
    const { next, total, is_more, images } = await api.images(asked, before);
    if (latest !== store.get().latest) return;
    store.update(({ chosen }) => ({ next, total, latest, asked, chosen: before === null ? [] : chosen }));
    if (before === null) grid.replaceChildren();
    grid.append(...images.map(makeCard));
    more.hidden = next === null;
    count.textContent = total ? words.found(total, is_more) : words.nothing;
    say("");
  });
  place.dataset.ready = "true";
}

/** @param {FoundImage} item */
function makeCard({ image_id: id, version, image_url, ...item }) {
  const change = () =>
    store.update((state) => {
      const others = state.chosen.filter((image) => image.image_id !== id);
      return { ...state, chosen: box.checked ? [...others, { image_id: id, version }] : others };
    });
  const box = el("input", {
    type: "checkbox",
    test: `choose:${id}`,
    aria: { label: words.choose(id) },
    on: { change },
  });
  const what = item.reason ? (reasons[item.reason] ?? item.reason) : nameObjects(item.objects, display);
  const link = (/** @type {string} */ href, /** @type {"open" | "history"} */ word) =>
    el("a", { href, text: words[word], test: `${word}:${id}` });
  const state = el("span", { class: "quiet", text: words.states[item.state] ?? item.state });
  const open = OPENS.includes(item.state) ? link(`/check?image=${id}&back=/images?id=${id}`, "open") : null;
  return el(
    "li",
    { class: "shot", test: `image:${id}` },
    image_url && boxed({ ...item, image_url }, ids),
    el("p", { class: "by" }, el("label", {}, box, el("b", { text: ` ${id}` })), state),
    el("p", {
      class: "what",
      text: [item.author?.name, what].filter(Boolean).join(" · "),
      title: item.title,
    }),
    el("p", { class: "acts" }, open, image_url && link(`/history?image=${id}`, "history")),
  );
}

function makeActions() {
  const kind = el("select", { test: "action", aria: { label: words.action } }, ...makeOptions(words.actions));
  const why = makeField("words", words.why, 2000);
  const few = el("button", { test: "act-chosen", on: { click: () => void act([...store.get().chosen]) } });
  const all = el("button", { test: "act-all", on: { click: () => void act(null) } });
  const reason = el(
    "select",
    { test: "reason", aria: { label: words.filters.reason } },
    ...makeOptions(reasons),
  );
  const name = makeField("campaign-name", words.campaignName, 100);
  const fields = makeField("campaign-fields", words.fields, 200);
  const version = makeField("campaign-guidelines", words.version, 9);
  Object.assign(version, { type: "number", title: words.guidelines, ariaLabel: words.guidelines });
  kind.addEventListener("change", showFields);
  showFields();
  store.follow(({ chosen, total, asked }) => {
    few.textContent = words.toChosen(chosen.length);
    few.disabled = chosen.length === 0;
    all.textContent = words.toAll(total);
    all.disabled = total === 0 || Object.keys(asked).length === 0;
  });
  return el("div", { class: "invite" }, kind, name, fields, version, why, reason, few, all);

  function showFields() {
    why.hidden = kind.value === "discard";
    reason.hidden = !why.hidden;
    for (const field of [name, fields, version]) field.hidden = kind.value !== "annotate_again";
  }

  /**
   * Asks about these images, or about all that the filters find now, and acts on exactly those.
   * @param {readonly ShownImage[] | null} ticked null for all that the filters find
   */
  async function act(ticked) {
    const { asked } = store.get();
    const action = kind.value;
    const text = kind.selectedOptions[0]?.text ?? "";
    await attempt(async () => {
      const images = ticked ?? (await api.imageVersions(asked)).images;
      const question = action === "take_down" ? words.sureToo : words.sure;
      if (!(await askSure(question(text, images.length), text))) return;
      if (action === "annotate_again") {
        return await finish(startCampaign(images));
      }
      await finish(
        api.actOnImages({ action, words: action === "discard" ? reason.value : why.value, images }),
      );
    });
  }

  /** @param {Promise<{message: string}>} answer */
  async function finish(answer) {
    const { message } = await answer;
    await load(null);
    say(message);
  }

  /** @param {readonly ShownImage[]} images */
  function startCampaign(images) {
    const chosen = fields.value
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean);
    const guidelines = version.value ? Number(version.value) : null;
    return api.makeCampaign({
      name: name.value.trim(),
      fields: chosen,
      guidelines,
      comment: why.value,
      images,
    });
  }
}

/**
 * @param {string} test
 * @param {string} placeholder
 * @param {number} maxlength
 */
function makeField(test, placeholder, maxlength) {
  return el("input", { test, placeholder, maxlength, aria: { label: placeholder } });
}
