/** Looking images up: filters in the address, a page of pictures, and what can be done with those found. */

import { explain, openApi } from "./api.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { boxed, nameObjects } from "./view/image_card.js";

/** @import {FoundImage, Images} from "./state/organiser.js" */

const words = texts.images;
const api = openApi();
const { classes, views, discard_reasons: reasons, parts, actions } = await api.party();
const display = (/** @type {string} */ name) => classes.find((one) => one.name === name)?.display ?? name;
const named = (/** @type {readonly {name: string, display: string}[]} */ list) =>
  Object.fromEntries(list.map((one) => [one.name, one.display]));
/** What can be chosen in a filter, with the words for it. */
const choices = /** @type {Record<string, Record<string, string>>} */ ({
  state: words.states,
  class: named(classes),
  view: named(views),
  flag: words.flags,
  part: named(parts),
  action: named(actions),
  finding: words.findings,
});

const said = el("p", { class: "said", role: "status", test: "said" });
const count = el("p", { class: "live", test: "count" });
const grid = el("ul", { class: "wall", test: "images" });
const more = el("button", { text: words.more, hidden: true, on: { click: () => void load(store.get().next) } });
const filters = el("form", { class: "invite filters", test: "filters" }, ...Object.keys(words.filters).map(makeFilter));
filters.append(el("button", { type: "submit", class: "main", text: words.find, test: "find" }), el("a", { href: "/images", text: words.clear }));
filters.addEventListener("submit", (event) => {
  event.preventDefault();
  history.pushState(null, "", `/images?${new URLSearchParams(Object.entries(readFilters()))}`);
  void load(null);
});
/**
 * `asked` are the filters by which the shown images were found; the form may be ahead of them.
 * `latest` is the number of the last request: answers that another one overtook are not shown.
 */
const store = createStore({
  next: /** @type {number | null} */ (null),
  total: 0,
  latest: 0,
  asked: /** @type {Record<string, string>} */ ({}),
  chosen: /** @type {readonly number[]} */ ([]),
});
const acting = mountActions();
byId("images").replaceChildren(
  el("header", { class: "board-head" }, el("h1", { text: words.title }), count, said),
  filters,
  acting,
  grid,
  more,
);
addEventListener("popstate", showAddress);
showAddress();

function showAddress() {
  const address = new URLSearchParams(location.search);
  for (const name of Object.keys(words.filters)) fillFilter(name, address.get(name) ?? "");
  void load(null);
}

/** @param {string} name */
function input(name) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (filters.elements.namedItem(name));
}

/** An address can ask for several choices at once, which are one more choice then. @param {string} name @param {string} value */
function fillFilter(name, value) {
  const field = input(name);
  const isNew = field instanceof HTMLSelectElement && ![...field.options].some((one) => one.value === value);
  if (isNew) field.append(el("option", { value, text: value.split(",").map((one) => choices[name]?.[one] ?? one).join(", ") }));
  field.value = value;
}

/** @returns {Record<string, string>} */
function readFilters() {
  const given = Object.keys(words.filters).map((name) => [name, input(name).value.trim()]);
  return Object.fromEntries(given.filter(([, word]) => word));
}

/** @param {string} name */
function makeFilter(name) {
  const type = name === "since" || name === "until" ? "date" : "text";
  const [test, list] = [`filter:${name}`, choices[name]];
  const field = list
    ? el("select", { name, test }, el("option", { value: "" }), ...makeOptions(list))
    : el("input", { name, type, maxlength: 200, test });
  return el("label", {}, el("span", { text: words.filters[name] ?? name }), field);
}

/** @param {Record<string, string>} list */
function makeOptions(list) {
  return Object.entries(list).map(([value, text]) => el("option", { value, text }));
}

/** @param {number | null} before where the shown page ended; null begins anew */
async function load(before) {
  const latest = store.get().latest + 1;
  store.update((state) => ({ ...state, latest }));
  try {
    const asked = before === null ? readFilters() : store.get().asked;
    const found = await api.images(asked, before);
    if (latest !== store.get().latest) return;
    if (before === null) grid.replaceChildren();
    const { next, total } = found;
    store.update(({ chosen }) => ({ next, total, latest, asked, chosen: before === null ? [] : chosen }));
    show(found);
    said.textContent = "";
  } catch (error) {
    said.textContent = explain(error, words.noServer);
  }
  byId("images").dataset.ready = "true";
}

/** @param {Images} found */
function show(found) {
  more.hidden = found.next === null;
  count.textContent = found.total ? words.found(found.total, found.is_more) : words.nothing;
  grid.append(...found.images.map(makeCard));
}

/** @param {FoundImage} item */
function makeCard(item) {
  const box = el("input", { type: "checkbox", test: `choose:${item.image_id}`, aria: { label: words.choose(item.image_id) } });
  box.addEventListener("change", () => {
    store.update((state) => {
      const others = state.chosen.filter((id) => id !== item.image_id);
      return { ...state, chosen: box.checked ? [...others, item.image_id] : others };
    });
  });
  const reason = reasons.find((one) => one.name === item.reason)?.display ?? item.reason;
  const what = reason ?? nameObjects(item.objects, display);
  const picture = item.image_url ? boxed({ ...item, image_url: item.image_url }, classes.map((one) => one.name)) : null;
  const state = words.states[item.state] ?? item.state;
  const opens = ["annotated", "checked", "released"].includes(item.state);
  return el(
    "li",
    { class: "shot", test: `image:${item.image_id}` },
    picture,
    el("p", { class: "by" }, el("label", {}, box, el("b", { text: ` ${item.image_id}` })), el("span", { class: "quiet", text: state })),
    el("p", { class: "what", text: [item.author?.name, what].filter(Boolean).join(" · "), title: item.title }),
    el(
      "p",
      { class: "acts" },
      opens ? el("a", { href: `/check?image=${item.image_id}&back=/images?id=${item.image_id}`, text: words.open, test: `open:${item.image_id}` }) : null,
      picture ? el("a", { href: `/history?image=${item.image_id}`, text: words.history, test: `history:${item.image_id}` }) : null,
    ),
  );
}

function mountActions() {
  const kind = el("select", { test: "action", aria: { label: words.action } }, ...makeOptions(words.actions));
  const why = el("input", { maxlength: 2000, placeholder: words.why, test: "words", aria: { label: words.why } });
  const few = el("button", { test: "act-chosen", on: { click: () => void act([...store.get().chosen]) } });
  const all = el("button", { test: "act-all", on: { click: () => void act(null) } });
  const reason = el("select", { test: "reason", hidden: true, aria: { label: words.filters.reason } }, ...makeOptions(named(reasons)));
  const name = el("input", { maxlength: 100, placeholder: words.campaignName, test: "campaign-name", aria: { label: words.campaignName }, hidden: true });
  const fields = el("input", { maxlength: 200, placeholder: words.fields, test: "campaign-fields", aria: { label: words.fields }, hidden: true });
  const version = el("input", { type: "number", placeholder: words.version, test: "campaign-guidelines", title: words.guidelines, aria: { label: words.guidelines }, hidden: true });
  kind.addEventListener("change", () => {
    why.hidden = kind.value === "discard";
    reason.hidden = !why.hidden;
    for (const field of [name, fields, version]) field.hidden = kind.value !== "annotate_again";
  });
  const element = el("div", { class: "invite" }, kind, name, fields, version, why, reason, few, all);
  store.follow(({ chosen, total, asked }) => {
    few.textContent = words.toChosen(chosen.length);
    few.disabled = chosen.length === 0;
    all.textContent = words.toAll(total);
    all.disabled = total === 0 || Object.keys(asked).length === 0;
  });
  return element;

  /** @param {number[] | null} ids null for all that the filters find */
  async function act(ids) {
    const { asked, total } = store.get();
    const target = ids ? { ids } : { filters: asked };
    const number = ids ? ids.length : total;
    if (!confirm(words.sure(kind.selectedOptions[0]?.text ?? "", number))) return;
    try {
      const { message } = await send(target);
      await load(null);
      said.textContent = message;
    } catch (error) {
      said.textContent = explain(error, words.noServer);
    }
  }

  /** @param {{ids: number[]} | {filters: Record<string, string>}} target */
  function send(target) {
    const said = kind.value === "discard" ? reason.value : why.value;
    if (kind.value !== "annotate_again") return api.actOnImages({ action: kind.value, words: said, ...target });
    const chosen = fields.value.split(",").map((one) => one.trim()).filter(Boolean);
    const guidelines = version.value ? Number(version.value) : null;
    return api.makeCampaign({ name: name.value.trim(), fields: chosen, guidelines, comment: why.value, ...target });
  }
}
