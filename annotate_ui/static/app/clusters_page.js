/** The organiser's page of near-duplicates: wires what is looked at, what is said, and the keys. */

import { createApi, NoAnswer, Refused } from "./api.js";
import { chordOf } from "./state/chords.js";
import {
  choicesFor,
  countOpen,
  goTo,
  keyOf,
  say,
  show,
  spotOf,
  startReview,
  step,
  takeBack,
} from "./state/cluster_review.js";
import { texts } from "./texts.js";
import { fillQueue } from "./view/cluster_queue.js";
import { byId, el } from "./view/dom.js";
import { fillFacts, fillVerdicts } from "./view/pair_bar.js";
import { mountPairStage } from "./view/pair_stage.js";

/** @typedef {import("./state/cluster_review.js").Review} Review */
/** @typedef {import("./state/cluster_review.js").Mode} Mode */

const LIMIT = 40;

/** @type {Readonly<Record<string, string>>} */
const KEYS = {
  c: "say:confirm",
  s: "say:split",
  e: "say:other",
  z: "undo",
  u: "undo",
  "Ctrl+Z": "undo",
  1: "mode:side",
  2: "mode:flicker",
  3: "mode:difference",
  Space: "flip",
  ArrowRight: "pair.next",
  ArrowDown: "pair.next",
  j: "pair.next",
  ArrowLeft: "pair.previous",
  ArrowUp: "pair.previous",
  k: "pair.previous",
};

const meta = document.querySelector("meta[name=csrf-token]");
const api = createApi(meta?.getAttribute("content") ?? "");
const stage = mountPairStage(byId("pair"));
let review = /** @type {Review | null} */ (null);
let underWay = /** @type {Promise<void> | null} */ (null);

await load();
document.addEventListener("keydown", (event) => {
  const isControl = event.target instanceof Element && event.target.closest("button, a, input");
  const chord = chordOf(event);
  const command = KEYS[chord];
  if (!command || event.repeat || (isControl && chord === "Space")) return;
  event.preventDefault();
  run(command);
});

/** @param {string} command */
function run(command) {
  if (!review) return;
  const [what, word] = command.split(":");
  if (what === "mode") set(show(review, /** @type {Mode} */ (word)));
  else if (what === "pair.next") set(step(review, 1));
  else if (what === "pair.previous") set(step(review, -1));
  else if (what === "flip") stage.flip();
  else if (what === "undo") void afterwards(undo);
  else if (!underWay) void change(() => sayOf(/** @type {"confirm" | "split" | "other"} */ (word)));
}

/** @param {"confirm" | "split" | "other"} choice */
async function sayOf(choice) {
  const spot = review && spotOf(review);
  if (!review || !spot) return;
  const verdict = choicesFor(spot)[choice];
  const held = review.verdicts[keyOf(spot)];
  if (held === verdict) return set(step(review, 1));
  const answer = await api.labelPair({
    image_id: spot.pair.image.id,
    other_id: spot.kept.id,
    verdict,
    relation: held === "different" ? null : (held ?? spot.pair.relation),
  });
  tell(texts.clusters.done[verdict]);
  set(say(review, spot, verdict, answer));
  if (countOpen(review) === 0) await load(true);
}

async function undo() {
  const last = review?.said.at(-1);
  if (!review || !last) return;
  const answer = await api.undoPairLabel(last.labelId);
  tell(texts.clusters.undone);
  const isHere = review.spots.some((spot) => keyOf(spot) === last.key);
  set(takeBack(review, answer.precision));
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

/**
 * What the server says against a change is told.
 * @param {() => Promise<void>} work
 */
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
    if (error instanceof Refused) {
      tell(error.message);
      if (error.code === "stale") await load();
    } else if (error instanceof NoAnswer) tell(texts.clusters.noAnswer);
    else throw error;
  }
}

/**
 * What waits, from the server; what was said can still be taken back. With `isMore` only where
 * something waits, so that the last pair stays on the page.
 */
async function load(isMore = false) {
  try {
    const page = await api.clusters(LIMIT);
    if (isMore && page.clusters.length === 0) return set(review && { ...review, waiting: 0 });
    const before = review;
    const fresh = startReview(page);
    set(before ? { ...fresh, mode: before.mode, said: before.said } : fresh);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof NoAnswer)) throw error;
    tell(error instanceof Refused ? error.message : texts.clusters.noAnswer);
    document.body.dataset.screen = "no_server";
  }
}

/** @param {Review | null} next */
function set(next) {
  if (!next) return;
  const before = review;
  review = next;
  const spot = spotOf(next);
  fillQueue(byId("queue"), next, (place) => set(goTo(/** @type {Review} */ (review), place)));
  fillFacts(byId("facts"), next, spot, run);
  fillVerdicts(byId("verdicts"), next, spot, run);
  if (!before || spotOf(before) !== spot || before.mode !== next.mode) stage.show(spot, next.mode);
  if (!spot) byId("pair").replaceChildren(empty(next));
  const isDone = spot !== null && countOpen(next) === 0;
  document.body.dataset.screen = spot ? (isDone ? "done" : "work") : "empty";
  document.body.dataset.pair = spot ? `${spot.kept.id}-${spot.pair.image.id}` : "";
}

/** @param {Review} review */
function empty(review) {
  const words = review.all ? texts.clusters.allSeen : texts.clusters.none;
  return el(
    "div",
    { class: "empty", test: "empty" },
    el("h2", { text: words.title }),
    el("p", { text: words.lead }),
  );
}

/** @param {string} words */
function tell(words) {
  byId("said").textContent = words;
}
