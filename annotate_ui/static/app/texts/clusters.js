/** Near-duplicates. */

import { decimal, t } from "../translate.js";
import { count, states } from "./words.js";

export const clusters = {
  clusters: {
    title: t`Near-duplicates`,
    waiting: (/** @type {number} */ pairs) =>
      pairs ? t`${count(pairs, t`pair`, t`pairs`)} to check, least certain first` : t`nothing to check`,
    kept: t`kept`,
    other: { duplicate: t`removed`, same_event: t`same event`, collage: t`collage` },
    relations: {
      duplicate: t`Judged the same photo`,
      same_event: t`Judged the same event`,
      collage: t`Judged a collage`,
    },
    image: (/** @type {number} */ id) => t`image ${id}`,
    pair: (/** @type {number} */ kept, /** @type {number} */ other) => t`${kept} and ${other}`,
    states: /** @type {Record<string, string>} */ ({
      ...states,
      hashed: t`to compare again`,
    }),
    missing: t`The file is missing.`,
    doubt: (/** @type {number} */ doubt) =>
      doubt < 0.2 ? t`certain` : doubt < 0.6 ? t`likely` : t`uncertain`,
    similarity: (/** @type {number} */ value) => t`${Math.round(100 * value)} % similar`,
    how: (/** @type {boolean} */ isPerson) => (isPerson ? t`decided by a person` : t`decided automatically`),
    view: t`View`,
    modes: { side: t`Side by side`, flicker: t`Flicker`, difference: t`Difference`, cluster: t`Cluster` },
    hints: {
      flicker: t`Shows both images alternately. Space switches.`,
      difference: t`Black where both agree; differences are 2.5 times brighter.`,
    },
    drawn: (/** @type {number} */ share) => t`${decimal(100 * share, 1)} % taken for writing`,
    beyond: (/** @type {number} */ share) => t`one shows ${Math.round(100 * share)} % more`,
    margin: (/** @type {number} */ share) => t`plain margin of ${Math.round(100 * share)} %`,
    features: (/** @type {number} */ number) => count(number, t`feature agrees`, t`features agree`),
    gap: (/** @type {number} */ secs) =>
      secs < 90 ? t`${Math.round(secs)} s apart` : t`${Math.round(secs / 60)} min apart`,
    members: (/** @type {number} */ shown, /** @type {number} */ more) =>
      more ? t`${shown} of ${shown + more} images` : count(shown, t`image`, t`images`),
    more: (/** @type {number} */ pairs) => t`${pairs} more after these.`,
    filters: {
      showLabel: t`Decisions`,
      relationLabel: t`Relation`,
      show: { waiting: t`To check`, seen: t`Checked`, split: t`Split`, all: t`All in force` },
      relation: {
        any: t`Any relation`,
        duplicate: t`Same photo`,
        same_event: t`Same event`,
        collage: t`Collage`,
      },
    },
    credits: {
      none: t`Source unknown.`,
      noOwner: t`owner unknown`,
      noLicence: t`licence unknown`,
      taken: (/** @type {string} */ at) => t`taken ${at}`,
      notTaken: t`capture time unknown`,
      uploaded: (/** @type {string} */ day) => t`uploaded ${day}`,
      page: (/** @type {string} */ source) => t`source: ${source}`,
      more: (/** @type {number} */ photos) => t`and ${count(photos, t`more photo`, t`more photos`)}`,
    },
    say: { duplicate: t`Same photo`, same_event: t`Same event`, collage: t`Collage`, different: t`Split` },
    said: { duplicate: t`same photo`, same_event: t`same event`, collage: t`collage`, different: t`split` },
    done: {
      duplicate: t`Saved: same photo.`,
      same_event: t`Saved: same event. Both images stay, in the same split.`,
      collage: t`Saved: collage. Both images stay.`,
      different: t`Split. The next run of vocparty dedup makes the image available again.`,
    },
    keepOther: t`Keep the other one`,
    keptInstead: (/** @type {number} */ id) => t`Saved: image ${id} is kept, the other one is removed.`,
    confirmAll: (/** @type {number} */ pairs) => t`Confirm all ${pairs}`,
    doneAll: (/** @type {number} */ pairs) => t`Confirmed: ${count(pairs, t`pair`, t`pairs`)}.`,
    joinAll: (/** @type {number} */ pairs) => t`All ${pairs} same photo`,
    sameAll: (/** @type {number} */ pairs) => t`Saved: ${count(pairs, t`pair`, t`pairs`)}, same photo.`,
    undone: t`Undone.`,
    back: t`Back`,
    on: t`Next`,
    undo: t`Undo`,
    keys: t`Shortcuts`,
    precisionTitle: t`Confirmed so far`,
    noPrecision: t`No pair checked yet.`,
    precision: (
      /** @type {{relation: string, confirmed: number, looked_at: number, low: number, high: number}} */ precision,
    ) =>
      t`${precision.relation.replace("_", " ")}: ${precision.confirmed} of ${precision.looked_at} (${Math.round(precision.low * 100)} to ${Math.round(precision.high * 100)} %)`,
    noServer: {
      title: t`Cannot load the clusters`,
      lead: t`The server does not answer. All your decisions are saved.`,
    },
    again: t`Try again`,
    noneSuch: { title: t`No cluster found`, lead: t`No cluster matches. Change the filter on the left.` },
    none: {
      title: t`No near-duplicates`,
      lead: t`Run vocparty dedup after collecting. Its uncertain decisions appear here.`,
    },
    allSeen: {
      title: t`All checked`,
      lead: t`Every decision is checked. New decisions of vocparty dedup appear here.`,
    },
  },
};
