/** Looking images up: filters in the address, a page of pictures, and what can be done with those found. */

import { explain, openApi } from "./api.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { boxed, nameObjects } from "./view/image_card.js";

/** @import {FoundImage, Images} from "./state/organiser.js" */

const words = texts.images;
const api = openApi();
const { classes, discard_reasons: reasons, parts, actions } = await api.party();
const display = (/** @type {string} */ name) => classes.find((one) => one.name === name)?.display ?? name;
const choices = /** @type {Record<string, readonly string[]>} */ ({
  state: ["pool", "annotating", "annotated", "checking", "returned", "checked", "released", "discarded", "duplicate", "taken_down"],
  class: classes.map((one) => one.name),
  view: ["Frontal", "Rear", "Left", "Right", "Unspecified"],
  flag: ["truncated", "occluded", "difficult", "unsure"],
  part: parts.map((one) => one.name),
  action: actions.map((one) => one.name),
  set: ["train", "val", "trainval", "test"],
  finding: ["any", "error", "warning", "hint"],
});

const said = el("p", { class: "said", role: "status", test: "said" });
const count = el("p", { class: "live", test: "count" });
const grid = el("ul", { class: "wall", test: "images" });
const more = el("button", { text: words.more, hidden: true, on: { click: () => void load(next) } });
const chosen = /** @type {Set<number>} */ (new Set());
const filters = el("form", { class: "invite filters", test: "filters" }, ...Object.keys(words.filters).map(makeFilter));
filters.append(el("button", { type: "submit", class: "main", text: words.find, test: "find" }), el("a", { href: "/images", text: words.clear }));
filters.addEventListener("submit", (event) => {
  event.preventDefault();
  history.pushState(null, "", `/images?${new URLSearchParams(Object.entries(readFilters()))}`);
  void load(null);
});
const acting = mountActions();
let next = /** @type {number | null} */ (null);
let total = 0;
/** The number of the last request: answers that another one overtook are not shown. */
let latest = 0;
/** The filters by which the shown images were found; the form may be ahead of them. */
let asked = /** @type {Record<string, string>} */ ({});
byId("images").replaceChildren(
  el("header", { class: "board-head" }, el("h1", { text: words.title }), count, said),
  filters,
  acting.element,
  grid,
  more,
);
addEventListener("popstate", showAddress);
showAddress();

function showAddress() {
  const address = new URLSearchParams(location.search);
  for (const name of Object.keys(words.filters)) input(name).value = address.get(name) ?? "";
  void load(null);
}

/** @param {string} name */
function input(name) {
  return /** @type {HTMLInputElement} */ (filters.elements.namedItem(name));
}

/** @returns {Record<string, string>} */
function readFilters() {
  const given = Object.keys(words.filters).map((name) => [name, input(name).value.trim()]);
  return Object.fromEntries(given.filter(([, word]) => word));
}

/** @param {string} name */
function makeFilter(name) {
  const type = name === "since" || name === "until" ? "date" : "text";
  const field = el("input", { name, type, maxlength: 200, test: `filter:${name}` });
  const label = el("label", {}, el("span", { text: words.filters[name] ?? name }), field);
  const list = choices[name];
  if (list) {
    field.setAttribute("list", `choices-${name}`);
    label.append(el("datalist", { id: `choices-${name}` }, ...list.map((value) => el("option", { value }))));
  }
  return label;
}

/** @param {number | null} before where the shown page ended; null begins anew */
async function load(before) {
  const number = ++latest;
  try {
    const wanted = before === null ? readFilters() : asked;
    const found = await api.images(wanted, before);
    if (number !== latest) return;
    if (before === null) {
      asked = wanted;
      grid.replaceChildren();
      chosen.clear();
    }
    show(found);
    said.textContent = "";
  } catch (error) {
    said.textContent = explain(error, words.noServer);
  }
  byId("images").dataset.ready = "true";
}

/** @param {Images} found */
function show(found) {
  next = found.next;
  total = found.total;
  more.hidden = next === null;
  count.textContent = total ? words.found(total, found.is_more) : words.nothing;
  grid.append(...found.images.map(makeCard));
  acting.tell();
}

/** @param {FoundImage} item */
function makeCard(item) {
  const box = el("input", { type: "checkbox", test: `choose:${item.image_id}`, aria: { label: words.choose(item.image_id) } });
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(item.image_id);
    else chosen.delete(item.image_id);
    acting.tell();
  });
  const reason = reasons.find((one) => one.name === item.reason)?.display ?? item.reason;
  const what = reason ?? nameObjects(item.objects, display);
  const picture = item.image_url ? boxed({ ...item, image_url: item.image_url }, classes.map((one) => one.name)) : null;
  const state = words.states[item.state] ?? item.state.replace("_", " ");
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
  const kind = el("select", { test: "action", aria: { label: words.action } }, ...Object.entries(words.actions).map(([value, text]) => el("option", { value, text })));
  const why = el("input", { maxlength: 2000, placeholder: words.why, test: "words", aria: { label: words.why } });
  why.setAttribute("list", "discard-reasons");
  const few = el("button", { test: "act-chosen", on: { click: () => void act([...chosen]) } });
  const all = el("button", { test: "act-all", on: { click: () => void act(null) } });
  const list = el("datalist", { id: "discard-reasons" });
  const name = el("input", { maxlength: 100, placeholder: words.campaignName, test: "campaign-name", aria: { label: words.campaignName }, hidden: true });
  const fields = el("input", { maxlength: 200, placeholder: words.fields, test: "campaign-fields", aria: { label: words.fields }, hidden: true });
  const version = el("input", { type: "number", placeholder: words.version, test: "campaign-guidelines", title: words.guidelines, aria: { label: words.guidelines }, hidden: true });
  kind.addEventListener("change", () => {
    const shown = kind.value === "discard" ? reasons : [];
    for (const field of [name, fields, version]) field.hidden = kind.value !== "annotate_again";
    list.replaceChildren(...shown.map((one) => el("option", { value: one.name, text: one.display })));
  });
  const element = el("div", { class: "invite" }, kind, name, fields, version, why, list, few, all);
  return { element, tell };

  function tell() {
    few.textContent = words.toChosen(chosen.size);
    few.disabled = chosen.size === 0;
    all.textContent = words.toAll(total);
    all.disabled = total === 0 || Object.keys(asked).length === 0;
  }

  /** @param {number[] | null} ids null for all that the filters find */
  async function act(ids) {
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
    if (kind.value !== "annotate_again") return api.actOnImages({ action: kind.value, words: why.value, ...target });
    const chosen = fields.value.split(",").map((one) => one.trim()).filter(Boolean);
    const guidelines = version.value ? Number(version.value) : null;
    return api.makeCampaign({ name: name.value.trim(), fields: chosen, guidelines, comment: why.value, ...target });
  }
}
