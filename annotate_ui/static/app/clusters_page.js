/** The organiser's page of near-duplicates: wires what is looked at, what is said, and the keys. */

import { explain, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { attempt, makeEmpty, tell } from "./judging.js";
import { findCommand } from "./state/chords.js";
import {
  canJoinAll,
  choicesFor,
  countFor,
  countOpen,
  goTo,
  isAside,
  keyOf,
  labelOf,
  nextTurn,
  openHere,
  parseFilter,
  say,
  spotOf,
  spotsHere,
  startReview,
  step,
  takeBack,
} from "./state/cluster_review.js";
import { createStore } from "./state/model.js";
import { texts } from "./organising_texts.js";
import { fillFacts, fillQueue, fillVerdicts } from "./view/cluster_panels.js";
import { byId, el } from "./view/dom.js";
import { mountPairStage } from "./view/pair_stage.js";

/** @import {Filter, Mode, PairVerdict as Verdict, Review, Spot} from "./state/types.js" */

const LIMIT = 40;

const KEYS = /** @type {Readonly<Record<string, string>>} */ ({
  c: "say:confirm",
  s: "say:split",
  e: "say:other",
  "Shift+C": "confirm.all",
  "Shift+E": "same.all",
  x: "keep",
  z: "undo",
  u: "undo",
  "Ctrl+Z": "undo",
  f: "filter",
  "?": "help",
  Space: "flip",
  1: "mode:side",
  2: "mode:flicker",
  3: "mode:difference",
  4: "mode:cluster",
  ArrowRight: "pair.next",
  ArrowDown: "pair.next",
  j: "pair.next",
  ArrowLeft: "pair.previous",
  ArrowUp: "pair.previous",
  k: "pair.previous",
});

const api = openApi(showStopped);
const stage = mountPairStage(byId("pair"));
const help = /** @type {HTMLDialogElement} */ (byId("help"));
const query = new URLSearchParams(location.search);
/** `underWay` is the change that the server has not answered yet. */
const store = createStore({
  filter: parseFilter(query.get("show"), query.get("relation")),
  review: /** @type {Review | null} */ (null),
  underWay: /** @type {Promise<void> | null} */ (null),
});

store.subscribe(({ review }, before) => review && review !== before.review && paint(review, before.review));
await load();
document.addEventListener("keydown", (event) => {
  const { target } = event;
  const isControl = target instanceof Element && target.closest("button, a, input");
  const isChoice = target instanceof HTMLSelectElement; // its letters choose, its arrows too
  const command = findCommand(event, (chord) => KEYS[chord]);
  if (!command || event.repeat || isChoice || (isControl && event.key === " ")) return;
  event.preventDefault();
  run(command);
});

/** @param {string} command */
function run(command) {
  if (command === "help") return help.open ? help.close() : help.showModal();
  if (help.open) return;
  const { review, underWay } = store.get();
  const spot = review && spotOf(review);
  if (!review) return;
  const [what, word] = command.split(":");
  if (what === "mode") set({ ...review, mode: /** @type {Mode} */ (word) });
  else if (what === "pair.next") set(step(review, 1));
  else if (what === "pair.previous") set(step(review, -1));
  else if (what === "flip") stage.flip();
  else if (what === "filter") byId("queue").querySelector("select")?.focus();
  else if (what === "undo") void afterwards(undo);
  else if (underWay) return;
  else if (what === "confirm.all") void change(() => sayAll(review, texts.clusters.doneAll));
  else if (what === "same.all" && spot && canJoinAll(review, spot))
    void change(() => sayAll(review, texts.clusters.sameAll, "duplicate"));
  else if (what === "keep" && spot && isAside(spot)) void change(() => keepInstead(spot));
  else if (what === "say" && spot) {
    const verdict = choicesFor(spot)[/** @type {"confirm" | "split" | "other"} */ (word)];
    if (review.verdicts[keyOf(spot)] === verdict) set(step(review, 1));
    else void change(() => sayOn(spot, verdict, nextTurn(review)).then(loadMore));
  }
}

/** The next clusters, where every pair on the page is checked. */
async function loadMore() {
  const { review } = store.get();
  if (review && countOpen(review) === 0) await load(true);
}

/** Keeps the image that was put aside, and shows both in their new states. @param {Spot} spot */
async function keepInstead(spot) {
  const { review } = store.get();
  if (!review) return;
  const shown = { image_id: spot.pair.image.id, kept_id: spot.kept.id };
  await api.keepInstead({ ...shown, label_id: labelOf(review, spot) });
  await load();
  tell(texts.clusters.keptInstead(spot.pair.image.id));
}

/**
 * Confirms every unreviewed pair of the cluster, or says the same of each; one undo takes them back together.
 * @param {Review} review
 * @param {(pairs: number) => string} words
 * @param {Verdict} [verdict]
 */
async function sayAll(review, words, verdict) {
  const open = openHere(review);
  const turn = nextTurn(review);
  for (const spot of open) await sayOn(spot, verdict ?? choicesFor(spot).confirm, turn);
  if (open.length) tell(words(open.length));
  await loadMore();
}

/**
 * @param {Spot} spot
 * @param {Verdict} verdict
 * @param {number} turn
 */
async function sayOn(spot, verdict, turn) {
  const { review } = store.get();
  if (!review) return;
  const held = review.verdicts[keyOf(spot)];
  const answer = await api.labelPair({
    image_id: spot.pair.image.id,
    other_id: spot.kept.id,
    verdict,
    relation: held === "different" ? null : (held ?? spot.pair.relation),
    label_id: labelOf(review, spot),
  });
  tell(texts.clusters.done[verdict]);
  const now = store.get().review;
  if (now) set(say(now, spot, verdict, answer, turn));
}

async function undo() {
  const said = store.get().review?.said ?? [];
  const last = said.filter(({ turn }) => turn === said.at(-1)?.turn).reverse();
  for (const { labelId } of last) {
    const answer = await api.undoPairLabel(labelId);
    tell(texts.clusters.undone);
    const { review } = store.get();
    if (review) set(takeBack(review, answer));
  }
  const shown = new Set(store.get().review?.spots.map(keyOf));
  if (last.some(({ key }) => !shown.has(key))) await load();
}

/** Waits for what is under way; a verdict does not: it means what was shown. @param {() => Promise<void>} work */
async function afterwards(work) {
  while (store.get().underWay) await store.get().underWay;
  await change(work);
}

/** What the server says against a change is told. @param {() => Promise<void>} work */
async function change(work) {
  const underWay = attempt(work).then((refused) => (refused?.code === "stale" ? loadHere() : undefined));
  store.update((state) => ({ ...state, underWay }));
  await underWay;
  store.update((state) => ({ ...state, underWay: null }));
}

/** What waits, from the server. With `isMore` only if something waits, so that the last pair stays on the page. */
async function load(isMore = false) {
  try {
    const { filter } = store.get();
    const page = await api.clusters(filter, LIMIT);
    const isStill = isMore && (page.clusters.length === 0 || filter.show !== "waiting");
    const before = store.get().review;
    const fresh = startReview(page, filter);
    if (!isStill) set(before ? { ...fresh, mode: before.mode, said: before.said } : fresh);
    else if (before) set({ ...before, counts: page.counts });
  } catch (error) {
    showFailure(explain(error, texts.clusters.noServer.lead));
  }
}

/** After a refusal: what waits, as it is now; the pair that the refusal speaks of stays on the page. */
async function loadHere() {
  const { filter, review } = store.get();
  const page = await api.clusters(filter, LIMIT).catch(() => null);
  const shown = review && spotOf(review);
  if (!page || !shown) return;
  const fresh = startReview(page, filter);
  const place = fresh.spots.findIndex((spot) => keyOf(spot) === keyOf(shown));
  const { mode, said } = review;
  set(place < 0 ? { ...review, counts: page.counts } : { ...fresh, place, mode, said });
}

/** @param {Filter} filter */
function choose(filter) {
  store.update((state) => ({ ...state, filter }));
  const asked = new URLSearchParams(filter);
  history.replaceState(null, "", `?${asked}`);
  tell("");
  void afterwards(() => load());
}

/** What cannot be shown is told where it would be, with a way to try again. @param {string} text */
function showFailure(text) {
  const { noServer, again } = texts.clusters;
  const click = () => void afterwards(() => load());
  const card = el(
    "div",
    { class: "empty", test: "failure", role: "alert" },
    el("h2", { text: noServer.title }),
    el("p", { text }),
  );
  card.append(el("button", { class: "main", test: "again", text: again, on: { click } }));
  stage.show(null, "side");
  byId("pair").replaceChildren(card);
  for (const id of ["facts", "verdicts"]) byId(id).replaceChildren();
  store.update((state) => ({ ...state, review: null }));
  document.body.dataset.screen = "no_server";
}

/** @param {Review} review */
function set(review) {
  store.update((state) => ({ ...state, review }));
}

/**
 * @param {Review} next
 * @param {Review | null} before
 */
function paint(next, before) {
  const spot = spotOf(next);
  const pick = (/** @type {number} */ place) => set(goTo(next, place));
  fillQueue(byId("queue"), next, { goTo: pick, choose });
  fillFacts(byId("facts"), next, spot, run);
  fillVerdicts(byId("verdicts"), next, spot, run);
  if (next.mode === "cluster" && spot) stage.showAll(next, spotsHere(next), pick);
  else if (!before || spotOf(before) !== spot || before.mode !== next.mode) stage.show(spot, next.mode);
  const { noneSuch, allSeen, none } = texts.clusters;
  const isAsked = next.filter.show !== "waiting" || next.filter.relation !== "any";
  const isAny = countFor(next.counts, { show: "all", relation: "any" }) > 0;
  if (!spot) byId("pair").replaceChildren(makeEmpty(isAsked ? noneSuch : isAny ? allSeen : none));
  const isDone = spot !== null && countOpen(next) === 0;
  document.body.dataset.screen = spot ? (isDone ? "done" : "work") : "empty";
  document.body.dataset.pair = spot ? `${spot.kept.id}-${spot.pair.image.id}` : "";
}
