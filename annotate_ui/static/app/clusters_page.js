/** The organiser's page of near-duplicates: wires what is looked at, what is said, and the keys. */

import { explain, openApi, Refused } from "./api.js";
import { makeEmpty, tell } from "./judging.js";
import { chordOf } from "./state/chords.js";
import {
  choicesFor, countFor, countOpen, goTo, isAside, keyOf, nextTurn, openHere, parseFilter, say, show,
  spotOf, spotsHere, startReview, step, takeBack,
} from "./state/cluster_review.js";
import { texts } from "./texts.js";
import { fillQueue } from "./view/cluster_queue.js";
import { byId, el } from "./view/dom.js";
import { fillFacts, fillVerdicts, showClusterHelp } from "./view/pair_bar.js";
import { mountPairStage } from "./view/pair_stage.js";

/** @import {Filter, Mode, Review, Spot, Verdict} from "./state/cluster_review.js" */

const LIMIT = 40;

/** @type {Readonly<Record<string, string>>} */
const KEYS = {
  c: "say:confirm",
  "Shift+C": "confirm.all",
  s: "say:split",
  e: "say:other",
  x: "keep",
  z: "undo",
  u: "undo",
  "Ctrl+Z": "undo",
  1: "mode:side",
  2: "mode:flicker",
  3: "mode:difference",
  4: "mode:cluster",
  f: "filter",
  "?": "help",
  Space: "flip",
  ArrowRight: "pair.next",
  ArrowDown: "pair.next",
  j: "pair.next",
  ArrowLeft: "pair.previous",
  ArrowUp: "pair.previous",
  k: "pair.previous",
};

const api = openApi();
const stage = mountPairStage(byId("pair"));
const query = new URLSearchParams(location.search);
let filter = parseFilter(query.get("show"), query.get("relation"));
let review = /** @type {Review | null} */ (null);
let underWay = /** @type {Promise<void> | null} */ (null);

await load();
document.addEventListener("keydown", (event) => {
  const { target } = event;
  const isControl = target instanceof Element && target.closest("button, a, input");
  const isChoice = target instanceof HTMLSelectElement; // its letters choose, its arrows too
  const chord = chordOf(event);
  const command = KEYS[chord];
  if (!command || event.repeat || isChoice || (isControl && chord === "Space")) return;
  event.preventDefault();
  run(command);
});

/** @param {string} command */
function run(command) {
  if (command === "help") return showClusterHelp();
  if (!review) return;
  const [what, word] = command.split(":");
  if (what === "mode") set(show(review, /** @type {Mode} */ (word)));
  else if (what === "pair.next") set(step(review, 1));
  else if (what === "pair.previous") set(step(review, -1));
  else if (what === "flip") stage.flip();
  else if (what === "filter") byId("queue").querySelector("select")?.focus();
  else if (what === "undo") void afterwards(undo);
  else if (what === "keep") void (underWay ?? change(keepInstead));
  else if (what === "confirm.all") void (underWay ?? change(confirmAll));
  else if (!underWay) void change(() => sayOf(/** @type {"confirm" | "split" | "other"} */ (word)));
}

/** @param {"confirm" | "split" | "other"} choice */
async function sayOf(choice) {
  const spot = review && spotOf(review);
  if (!review || !spot) return;
  const verdict = choicesFor(spot)[choice];
  if (review.verdicts[keyOf(spot)] === verdict) return set(step(review, 1));
  await sayOn(spot, verdict, nextTurn(review));
  if (review && countOpen(review) === 0) await load(true);
}

/** Keeps the image that was put aside, and shows both in their new states. */
async function keepInstead() {
  const spot = review && spotOf(review);
  if (!review || !spot || !isAside(spot)) return;
  await api.keepInstead({ image_id: spot.pair.image.id, kept_id: spot.kept.id });
  await load();
  tell(texts.clusters.keptInstead(spot.pair.image.id));
}

/** Confirms every unreviewed pair of the cluster; one undo takes them back together. */
async function confirmAll() {
  if (!review) return;
  const [open, turn] = [openHere(review), nextTurn(review)];
  for (const spot of open) await sayOn(spot, choicesFor(spot).confirm, turn);
  if (open.length) tell(texts.clusters.doneAll(open.length));
  if (review && countOpen(review) === 0) await load(true);
}

/** @param {Spot} spot @param {Verdict} verdict @param {number} turn */
async function sayOn(spot, verdict, turn) {
  if (!review) return;
  const held = review.verdicts[keyOf(spot)];
  const answer = await api.labelPair({
    image_id: spot.pair.image.id,
    other_id: spot.kept.id,
    verdict,
    relation: held === "different" ? null : (held ?? spot.pair.relation),
  });
  tell(texts.clusters.done[verdict]);
  set(say(review, spot, verdict, answer, turn));
}

async function undo() {
  const turn = review?.said.at(-1)?.turn;
  let isHere = true;
  for (let last = review?.said.at(-1); review && last?.turn === turn && last; last = review.said.at(-1)) {
    const { key, labelId } = last;
    const answer = await api.undoPairLabel(labelId);
    tell(texts.clusters.undone);
    isHere &&= review.spots.some((spot) => keyOf(spot) === key);
    set(takeBack(review, answer));
  }
  if (!isHere) await load();
}

/**
 * Work that waits for what is under way; a verdict does not, since it was meant for what was shown.
 * @param {() => Promise<void>} work
 */
async function afterwards(work) {
  while (underWay) await underWay;
  await change(work);
}

/** What the server says against a change is told. @param {() => Promise<void>} work */
async function change(work) {
  underWay = attempt(work);
  await underWay;
  underWay = null;
}

/** @param {() => Promise<void>} work */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    tell(explain(error, texts.clusters.noAnswer));
    if (error instanceof Refused && error.code === "stale") await load();
  }
}

/**
 * What waits, from the server; what was said can still be taken back. With `isMore` only where
 * something waits, so that the last pair stays on the page.
 */
async function load(isMore = false) {
  try {
    const page = await api.clusters(filter, LIMIT);
    const isStill = isMore && (page.clusters.length === 0 || filter.show !== "waiting");
    if (isStill) return set(review && { ...review, counts: page.counts });
    const before = review;
    const fresh = startReview(page, filter);
    set(before ? { ...fresh, mode: before.mode, said: before.said } : fresh);
  } catch (error) {
    showFailure(explain(error, texts.clusters.noServer.lead));
  }
}

/** @param {Filter} next */
function choose(next) {
  filter = next;
  const asked = new URLSearchParams(next);
  history.replaceState(null, "", `?${asked}`);
  tell("");
  void afterwards(() => load());
}

/** What cannot be shown is told where it would be, with a way to try again. @param {string} words */
function showFailure(words) {
  stage.show(null, "side");
  byId("pair").replaceChildren(
    el(
      "div",
      { class: "empty", test: "failure", role: "alert" },
      el("h2", { text: texts.clusters.noServer.title }),
      el("p", { text: words }),
      el("button", {
        class: "main",
        test: "again",
        text: texts.clusters.again,
        on: { click: () => void afterwards(() => load()) },
      }),
    ),
  );
  for (const id of ["facts", "verdicts"]) byId(id).replaceChildren();
  review = null;
  document.body.dataset.screen = "no_server";
}

/** @param {Review | null} next */
function set(next) {
  if (!next) return;
  const before = review;
  review = next;
  const spot = spotOf(next);
  const pick = (/** @type {number} */ place) => set(goTo(/** @type {Review} */ (review), place));
  fillQueue(byId("queue"), next, { goTo: pick, choose });
  fillFacts(byId("facts"), next, spot, run);
  fillVerdicts(byId("verdicts"), next, spot, run);
  if (next.mode === "cluster" && spot) stage.showAll(next, spotsHere(next), pick);
  else if (!before || spotOf(before) !== spot || before.mode !== next.mode) stage.show(spot, next.mode);
  if (!spot) byId("pair").replaceChildren(empty(next));
  const isDone = spot !== null && countOpen(next) === 0;
  document.body.dataset.screen = spot ? (isDone ? "done" : "work") : "empty";
  document.body.dataset.pair = spot ? `${spot.kept.id}-${spot.pair.image.id}` : "";
}

/** @param {Review} review */
function empty(review) {
  const isAny = countFor(review.counts, { show: "all", relation: "any" }) > 0;
  const isAsked = review.filter.show !== "waiting" || review.filter.relation !== "any";
  const { noneSuch, allSeen, none } = texts.clusters;
  return makeEmpty(isAsked ? noneSuch : isAny ? allSeen : none);
}
