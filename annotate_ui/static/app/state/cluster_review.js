/** The review of near-duplicates pair by pair: the current pair, the verdicts, and what can be undone. */

/** @import {ClusterPage, Counts, Filter, Left, Mode, PairVerdict, Relation, Review, Show, Spot} from "./types.js" */

/** @type {readonly Mode[]} */
export const MODES = ["side", "flicker", "difference", "cluster"];
/** @type {readonly Show[]} */
export const SHOWS = ["waiting", "seen", "split", "all"];
/** @type {readonly Relation[]} */
export const RELATIONS = ["duplicate", "same_event", "collage"];

/** Unknown words ask for nothing. @type {(show: string | null, relation: string | null) => Filter} */
export function parseFilter(show, relation) {
  return {
    show: SHOWS.find((known) => known === show) ?? "waiting",
    relation: RELATIONS.find((known) => known === relation) ?? "any",
  };
}

/**
 * How many clusters there are to show for a filter.
 * @param {Counts} counts
 * @param {Filter} filter
 */
export function countFor(counts, { show, relation }) {
  const asked = relation === "any" ? RELATIONS : [relation];
  return asked.reduce((sum, relation) => sum + (counts[show][relation] ?? 0), 0);
}

/**
 * @param {ClusterPage} page
 * @param {Filter} filter
 * @returns {Review}
 */
export function startReview(page, filter) {
  const spots = page.clusters.flatMap(({ kept, pairs, more }, cluster) =>
    pairs.map((pair) => ({ kept, pair, cluster, more })),
  );
  /** @type {Record<string, PairVerdict>} */
  const verdicts = {};
  for (const spot of spots) if (spot.pair.label) verdicts[keyOf(spot)] = spot.pair.label;
  const { precision, counts } = page;
  const place = Math.max(
    spots.findIndex((spot) => !verdicts[keyOf(spot)]),
    0,
  );
  return { spots, place, mode: "side", verdicts, said: [], precision, counts, filter };
}

/** A name that no other pair has. @param {Spot} spot */
export function keyOf({ kept, pair }) {
  return `${Math.min(kept.id, pair.image.id)}-${Math.max(kept.id, pair.image.id)}`;
}

/**
 * The pair that is looked at, if there is any.
 * @param {Review} review
 * @returns {Spot | null}
 */
export function spotOf(review) {
  return review.spots[review.place] ?? null;
}

/**
 * @param {Review} review
 * @param {number} places forward, or back where negative
 * @returns {Review}
 */
export function step(review, places) {
  return goTo(review, review.place + places);
}

/**
 * @param {Review} review
 * @param {number} place
 * @returns {Review}
 */
export function goTo(review, place) {
  const last = Math.max(review.spots.length - 1, 0);
  return { ...review, place: Math.min(Math.max(place, 0), last) };
}

/** The pairs of the cluster that is looked at. @param {Review} review */
export function spotsHere(review) {
  const here = spotOf(review)?.cluster;
  return review.spots.filter((spot) => spot.cluster === here);
}

/** The unreviewed ones among them. @param {Review} review */
export function openHere(review) {
  return spotsHere(review).filter((spot) => !review.verdicts[keyOf(spot)]);
}

/**
 * The verdict on a pair, and on to the next unreviewed one. What is said in one `turn` is taken back together.
 * @param {Review} review
 * @param {Spot} spot
 * @param {PairVerdict} verdict
 * @param {Left & {label_id: number}} answer
 * @param {number} [turn]
 * @returns {Review}
 */
export function say(review, spot, verdict, answer, turn = nextTurn(review)) {
  const key = keyOf(spot);
  const said = { key, labelId: answer.label_id, place: review.spots.indexOf(spot), turn };
  const changed = {
    ...review,
    verdicts: { ...review.verdicts, [key]: verdict },
    said: [...review.said, said],
    precision: answer.precision,
    counts: answer.counts,
  };
  return goTo(changed, nextOpen(changed, said.place));
}

/** A number that no turn has had. @param {Review} review */
export function nextTurn(review) {
  return (review.said.at(-1)?.turn ?? 0) + 1;
}

/** The last verdict taken back, and its pair to look at again. @type {(review: Review, left: Left) => Review} */
export function takeBack(review, { counts, precision }) {
  const last = review.said.at(-1);
  if (!last) return review;
  const { [last.key]: _gone, ...rest } = review.verdicts;
  const before = review.spots.find((spot) => keyOf(spot) === last.key)?.pair.label;
  const verdicts = before ? { ...rest, [last.key]: before } : rest;
  return goTo({ ...review, verdicts, said: review.said.slice(0, -1), counts, precision }, last.place);
}

/** The label that the page shows of a pair, by its number; null where nobody said anything. @type {(review: Review, spot: Spot) => number | null} */
export function labelOf(review, spot) {
  const last = review.said.findLast(({ key }) => key === keyOf(spot));
  return last ? last.labelId : spot.pair.label_id;
}

/** How many of the pairs here are unreviewed. @param {Review} review */
export function countOpen(review) {
  return review.spots.filter((spot) => !review.verdicts[keyOf(spot)]).length;
}

/**
 * What a person may say by one key, given what the rules say.
 * @type {(spot: Spot) => {confirm: PairVerdict, split: PairVerdict, other: PairVerdict}}
 */
export function choicesFor({ pair }) {
  const other = pair.relation === "duplicate" ? "same_event" : "duplicate";
  return { confirm: pair.relation, split: "different", other };
}

/**
 * Whether several images are linked to the kept one, and could all be called one photograph.
 * @param {Review} review
 * @param {Spot} spot
 */
export function canJoinAll(review, { pair }) {
  return pair.relation !== "duplicate" && openHere(review).length > 1;
}

/** Whether the pair's image was put aside, so that it can be kept instead. @param {Spot} spot */
export function isAside({ pair }) {
  return pair.relation === "duplicate" && pair.image.state === "duplicate";
}

/**
 * The first place after this one, or else before it, that is open; the same where none is.
 * @type {(review: Review, place: number) => number}
 */
function nextOpen(review, place) {
  const isOpen = (/** @type {number} */ at) => !review.verdicts[keyOf(review.spots[at])];
  const places = review.spots.map((_, at) => at);
  const after = places.slice(place + 1).find(isOpen);
  return after ?? places.slice(0, place).find(isOpen) ?? place;
}
