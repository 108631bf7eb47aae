/** Looking images up: one search, counts that narrow it, pictures, and what can be done with those found. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { createStore } from "./state/model.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./organising_texts.js";
import { makeBulkBar } from "./view/bulk_bar.js";
import { askSure } from "./view/dialog.js";
import { el, imagesAddress } from "./view/dom.js";
import { makeFacets } from "./view/facets.js";
import { boxed, nameObjects } from "./view/image_card.js";
import { showPreview } from "./view/image_preview.js";
import { makeSearchField } from "./view/search_field.js";

/** @import {BulkAction, Filters, FoundImage, SearchField, ShownImage} from "./types.js" */

const OPENS = ["annotated", "checked", "released"];
/** What an organiser can take back while nobody decided since. */
const UNDOABLE = ["return", "reopen", "discard"];
const words = texts.images;
const api = openApi(showStopped);
const [party, { values: known }] = await Promise.all([api.party(), api.filterValues()]);
const { ids, display } = nameClasses(party);
const reasons = Object.fromEntries(party.discard_reasons.map(({ id, display }) => [id, display]));
/** What some filters take: words of the preset, and values that this page has the texts for. */
const presetWords = /** @type {Record<string, readonly {id: string, display: string}[]>} */ ({
  class: party.classes,
  view: party.views,
  part: party.parts,
  action: party.actions,
  reason: party.discard_reasons,
});
const fixedValues = /** @type {Record<string, Record<string, string>>} */ ({
  state: words.states,
  flag: words.flags,
  finding: words.findings,
  set: words.sets,
});
const fields = Object.entries(words.filters).map(([name, label]) => describeFilter(name, label));

const count = el("p", { class: "live", test: "count" });
const { place, fill, say, attempt } = openFrame("images", words, count);
const undo = el("button", { class: "plain", text: words.undo, test: "undo", hidden: true });
const grid = el("ul", { class: "wall found", test: "images" });
const empty = el("div", { class: "empty", hidden: true, test: "empty" });
const more = el("button", {
  text: words.more,
  hidden: true,
  on: { click: () => void load(store.get().next) },
});
/**
 * `asked` are the filters by which the shown images were found. `latest` is the number of the last request: answers
 * and refusals that another one overtook are not shown. `isMore`: `total` is less than what was found. `isAll`: all
 * that were found are meant, shown or not.
 */
const store = createStore({
  next: /** @type {number | null} */ (null),
  total: 0,
  isMore: false,
  latest: 0,
  asked: /** @type {Filters} */ ({}),
  shown: /** @type {readonly FoundImage[]} */ ([]),
  ticked: /** @type {readonly ShownImage[]} */ ([]),
  isAll: false,
});
const search = makeSearchField(fields, find);
const facets = makeFacets(fields, toggle);
const bulk = makeBulkBar(reasons, {
  act: (action) => void act(action),
  tickAll: () => store.update((state) => ({ ...state, isAll: true })),
  leave: () => tick([]),
});
store.follow(({ ticked, total, isMore, isAll, asked }) => {
  bulk.show(ticked.length, total, isAll, Object.keys(asked).length > 0 && !isMore);
  place.dataset.ticking = String(ticked.length > 0 || isAll);
  for (const box of grid.querySelectorAll("input")) {
    box.checked = isAll || ticked.some((image) => String(image.image_id) === box.value);
  }
});

fill(
  search.element,
  el("div", { class: "found-columns" }, facets.element, el("div", {}, grid, empty, more)),
  bulk.element,
);
place.querySelector("header")?.append(undo);
grid.addEventListener("keydown", onKeyDown);
addEventListener("popstate", showAddress);
showAddress();

/**
 * @param {string} name
 * @param {string} label
 * @returns {SearchField}
 */
function describeFilter(name, label) {
  const fixed = fixedValues[name] ?? {};
  const values = [
    ...(presetWords[name] ?? []).map(({ id, display }) => ({ value: id, label: display })),
    ...Object.entries(fixed).map(([value, label]) => ({ value, label })),
    ...(known[name] ?? [])
      .filter((value) => !Object.hasOwn(fixed, value))
      .map((value) => ({ value, label: value })),
  ];
  return { name, label, hint: words.hints[name] ?? "", values };
}

/** What is searched for now; a filter that does not exist is the server's to refuse. @returns {Filters} */
function readAddress() {
  const given = [...new URLSearchParams(location.search)];
  return Object.fromEntries(given.filter(([, value]) => value));
}

function showAddress() {
  const filters = readAddress();
  search.show(filters);
  void load(null, filters);
}

/** @param {Filters} filters */
function find(filters) {
  const address = imagesAddress(filters);
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  void load(null, filters);
}

/**
 * Asks for the value too, or no more: of what is searched for now, also while its answer is on the way.
 * @param {string} name
 * @param {string} value
 */
function toggle(name, value) {
  const { [name]: before, ...others } = readAddress();
  const filters = before === value ? others : { ...others, [name]: value };
  search.show(filters);
  find(filters);
}

/**
 * @param {number | null} before where the shown page ended; null begins anew
 * @param {Filters} filters
 */
async function load(before, filters = store.get().asked) {
  const latest = store.get().latest + 1;
  store.update((state) => ({ ...state, latest }));
  if (before === null) more.hidden = true; // pressed now, it would ask for more of the search before
  const isLatest = () => latest === store.get().latest;
  const isAnswered = await attempt(async () => {
    const answer = await ifWanted(api.images(filters, before), isLatest);
    if (!answer) return;
    const { next, total, is_more, images } = answer;
    if (before === null) grid.replaceChildren();
    grid.append(...images.map(makeCard));
    store.update(({ shown, ticked, isAll }) => ({
      next,
      total,
      isMore: is_more,
      latest,
      asked: filters,
      shown: before === null ? images : [...shown, ...images],
      ticked: before === null ? [] : ticked,
      isAll: before !== null && isAll,
    }));
    more.hidden = next === null;
    count.textContent = words.found(total, is_more);
    showEmpty(total, filters);
    if (before !== null) return;
    say("");
    undo.hidden = true;
    void showFacets(filters, is_more);
  });
  if (!isAnswered && before === null) showNothing();
  place.dataset.ready = "true";
}

/**
 * The answer; null where neither it nor its failure matters any more.
 * @template T
 * @param {Promise<T>} answer
 * @param {() => boolean} isWanted
 */
async function ifWanted(answer, isWanted) {
  try {
    const value = await answer;
    return isWanted() ? value : null;
  } catch (error) {
    if (isWanted()) throw error;
    return null;
  }
}

/** What was found before does not stand below a search that was refused. */
function showNothing() {
  grid.replaceChildren();
  count.textContent = "";
  more.hidden = empty.hidden = undo.hidden = true;
  showNoFacets();
  store.update((state) => ({
    ...state,
    next: null,
    total: 0,
    isMore: false,
    asked: {},
    shown: [],
    ticked: [],
    isAll: false,
  }));
}

/**
 * Counts come after the pictures, so that nobody waits for them; more pictures of the same search do not overtake them.
 * @param {Filters} filters
 * @param {boolean} isPart
 */
async function showFacets(filters, isPart) {
  const isShown = () => store.get().asked === filters;
  const isAnswered = await attempt(async () => {
    const counts = await ifWanted(api.imageFacets(filters), isShown);
    if (counts) facets.show(counts, filters, isPart);
  });
  if (!isAnswered) showNoFacets();
}

/** Counts of another search do not stand beside these pictures. */
function showNoFacets() {
  facets.show({ counted: 0, facets: {} }, {}, false);
}

/**
 * What to do where nothing was found: each filter can be taken away alone.
 * @param {number} total
 * @param {Filters} filters
 */
function showEmpty(total, filters) {
  const names = Object.keys(filters);
  empty.hidden = total > 0;
  const without = names.map((name) => {
    const label = fields.find((field) => field.name === name)?.label ?? name;
    const remove = () => toggle(name, filters[name] ?? "");
    return el("button", { text: words.without(label), test: `without:${name}`, on: { click: remove } });
  });
  empty.replaceChildren(
    el("p", { text: names.length > 0 ? words.nothing : words.none }),
    el("p", { class: "acts" }, ...without),
  );
}

/** @param {readonly ShownImage[]} ticked */
function tick(ticked) {
  store.update((state) => ({ ...state, ticked, isAll: false }));
}

/** @param {FoundImage} item */
function makeCard(item) {
  const { image_id: id, version, image_url } = item;
  const box = el("input", {
    type: "checkbox",
    value: String(id),
    test: `choose:${id}`,
    aria: { label: words.choose(id) },
    on: {
      change: () => {
        const { ticked, shown, isAll } = store.get();
        const seen = shown.map(({ image_id, version }) => ({ image_id, version }));
        const before = isAll ? seen : ticked; // all but this one, of those that can be seen
        const others = before.filter((image) => image.image_id !== id);
        tick(box.checked ? [...others, { image_id: id, version }] : others);
      },
    },
  });
  const name = `${words.image(id)}, ${stateOf(item)}: ${describe(item)}`;
  const picture = el(
    "a",
    {
      class: "tile",
      href: openAt(item) ?? historyAt(id),
      test: `open:${id}`,
      data: { id: String(id) },
      aria: { label: name },
    },
    image_url ? boxed({ ...item, image_url }, ids) : el("span", { class: "gone", text: stateOf(item) }),
  );
  const larger = el("button", {
    class: "larger",
    text: "⤢",
    test: `larger:${id}`,
    title: words.larger,
    aria: { label: words.largerOf(id) },
    on: { click: () => void look(id) },
  });
  return el(
    "li",
    { class: "shot", test: `image:${id}`, data: { state: item.state } },
    picture,
    el("label", { class: "tick" }, box),
    larger,
    el(
      "p",
      { class: "by" },
      el("b", { text: String(id) }),
      el("span", { class: "state", text: stateOf(item) }),
    ),
    el("p", {
      class: "what",
      text: describe(item),
      title: [describe(item), item.title].filter(Boolean).join("\n"),
    }),
  );
}

/** @param {FoundImage} item */
const stateOf = (item) => words.states[item.state] ?? item.state;
/** @param {FoundImage} item */
const openAt = ({ image_id: id, state }) =>
  OPENS.includes(state) ? `/check?image=${id}&back=/images?id=${id}` : null;
/** @param {number} id */
const historyAt = (id) => `/history?image=${id}`;

/** @param {FoundImage} item */
function describe({ reason, objects, author }) {
  const what = reason ? (reasons[reason] ?? reason) : nameObjects(objects, display);
  return [author?.name, what].filter(Boolean).join(" · ");
}

/** Space looks at the picture that has the focus, x ticks it. @param {KeyboardEvent} event */
function onKeyDown(event) {
  const at = event.target instanceof HTMLElement ? event.target.closest("a.tile") : null;
  const id = at instanceof HTMLElement ? Number(at.dataset["id"]) : 0;
  if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " ") void look(id);
  else if (event.key === "x") at?.parentElement?.querySelector("input")?.click();
  else return;
  event.preventDefault();
}

/** @param {number} id */
async function look(id) {
  const seen = await showPreview(
    preview(store.get().shown.findIndex((image) => image.image_id === id)),
    (last, step) => {
      const { shown } = store.get();
      const at = shown.findIndex((image) => image.image_id === last) + step;
      return shown[at] ? preview(at) : null;
    },
  );
  const tile = /** @type {HTMLElement | null} */ (grid.querySelector(`[data-id="${seen}"]`));
  tile?.scrollIntoView({ block: "nearest" });
  tile?.focus();
}

/** @param {number} at place among the shown images */
function preview(at) {
  const item = /** @type {FoundImage} */ (store.get().shown[at]);
  const { image_id: id, image_url } = item;
  return {
    id,
    figure: image_url ? boxed({ ...item, image_url }, ids) : null,
    lines: [stateOf(item), describe(item), item.title],
    openAt: openAt(item),
    historyAt: historyAt(id),
  };
}

/**
 * Asks about these images, or about all that were found as they are now, and acts on exactly those.
 * @param {BulkAction} wish
 */
async function act({ action, text, words: why, campaign }) {
  const { asked, isAll, ticked } = store.get();
  await attempt(async () => {
    const images = isAll ? (await api.imageVersions(asked)).images : [...ticked];
    const question = action === "take_down" ? words.sureToo : words.sure;
    if (!(await askSure(question(text, images.length), text))) return;
    if (action === "annotate_again") {
      const { message } = await api.makeCampaign({ ...campaign, images });
      return await finish(message, []);
    }
    const { message, now } = await api.actOnImages({ action, words: why, images });
    await finish(message, UNDOABLE.includes(action) ? now : []);
  });
}

/**
 * Says what was done, and offers to undo it.
 * @param {string} message
 * @param {readonly ShownImage[]} undoable the changed images as they are now
 */
async function finish(message, undoable) {
  await load(null, readAddress());
  say(message);
  undo.hidden = undoable.length === 0;
  undo.onclick = () => {
    undo.hidden = true; // pressed twice, it would say that the decision is not the last one
    void attempt(async () => {
      const answer = await api.actOnImages({ action: "undo", words: "", images: undoable });
      await finish(answer.message, []);
    });
  };
}
