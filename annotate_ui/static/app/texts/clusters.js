/** Near-duplicates. */

import { count } from "./count.js";

export const clusters = {
  clusters: {
    title: "Near-duplicates",
    waiting: (/** @type {number} */ clusters) =>
      clusters ? `${count(clusters, "cluster", "clusters")} to look at, the most doubtful first` : "nothing left to look at",
    kept: "kept",
    other: { duplicate: "put aside", same_event: "same event", collage: "collage" },
    relations: {
      duplicate: "Held to be one photograph",
      same_event: "Held to be of one event",
      collage: "Held to be a collage with it",
    },
    image: (/** @type {number} */ id) => `image ${id}`,
    pair: (/** @type {number} */ kept, /** @type {number} */ other) => `${kept} and ${other}`,
    states: /** @type {Record<string, string>} */ ({
      pool: "in the pool",
      hashed: "to be matched again",
      duplicate: "near-duplicate",
    }),
    missing: "The file is missing.",
    doubt: (/** @type {number} */ doubt) => `doubt ${doubt.toFixed(2)}`,
    similarity: (/** @type {number} */ value) => `similarity ${value.toFixed(2)}`,
    distances: (/** @type {number} */ of64, /** @type {number} */ of256) =>
      `${of64}/64 and ${of256}/256 bits apart`,
    how: (/** @type {string} */ how, /** @type {boolean} */ isPerson) =>
      isPerson ? "decided by a person" : `by ${how}`,
    view: "How to look at them",
    modes: { side: "Side by side", flicker: "Flicker", difference: "Difference", cluster: "Cluster" },
    hints: {
      flicker: "Both in one frame, in turn; Space shows the other one.",
      difference: "Black where both agree, brightened two and a half times.",
    },
    gap: (/** @type {number} */ secs) =>
      secs < 90 ? `${Math.round(secs)} s apart` : `${Math.round(secs / 60)} min apart`,
    members: (/** @type {number} */ shown, /** @type {number} */ more) =>
      more ? `${shown} of ${shown + more} images` : count(shown, "image", "images"),
    more: (/** @type {number} */ pairs) => `${pairs} more come when these are looked at.`,
    filters: {
      showLabel: "Which decisions",
      relationLabel: "Of which relation",
      show: { waiting: "To look at", seen: "Looked at", split: "Split", all: "All that hold" },
      relation: {
        any: "Any relation",
        duplicate: "One photograph",
        same_event: "Same event",
        collage: "Collage",
      },
    },
    credits: {
      none: "Nothing is known of where it came from.",
      noOwner: "owner unknown",
      noLicence: "licence unknown",
      taken: (/** @type {string} */ at) => `taken ${at}`,
      notTaken: "time of taking unknown",
      uploaded: (/** @type {string} */ day) => `uploaded ${day}`,
      page: (/** @type {string} */ source) => `source: ${source}`,
      more: (/** @type {number} */ photos) => `and ${count(photos, "more photo", "more photos")}`,
    },
    say: {
      duplicate: "One photograph",
      same_event: "Same event",
      collage: "Collage",
      different: "Split",
    },
    said: {
      duplicate: "one photograph",
      same_event: "same event",
      collage: "collage",
      different: "split",
    },
    done: {
      duplicate: "Saved: one photograph.",
      same_event: "Saved: of one event; both stay, and always in one set.",
      collage: "Saved: a collage; both stay.",
      different: "Split: the next vocparty dedup puts the image back into the pool.",
    },
    confirmAll: (/** @type {number} */ pairs) => `Confirm all ${pairs}`,
    doneAll: (/** @type {number} */ pairs) => `Confirmed: ${count(pairs, "pair", "pairs")}.`,
    undone: "Taken back.",
    back: "Back",
    on: "Next",
    undo: "Undo",
    keys: "Keys",
    help: {
      title: "Keys",
      close: "Close",
      keys: /** @type {readonly (readonly [string, string])[]} */ ([
        ["C", "confirm: it is what the rules say"],
        ["S", "split: the two have nothing to do with one another"],
        ["E", "the other word: same event for a copy, one photograph for a link"],
        ["⇧C", "confirm all that is left of the cluster"],
        ["Z U", "take the last word back, and the one before it"],
        ["→ ↓ J", "the next pair"],
        ["← ↑ K", "the pair before"],
        ["1", "side by side"],
        ["2", "flicker; Space shows the other image"],
        ["3", "difference"],
        ["4", "the whole cluster"],
        ["F", "choose what is shown"],
        ["?", "these keys"],
      ]),
    },
    precisionTitle: "Right so far",
    noPrecision: "Nobody has looked yet.",
    precision: (
      /** @type {{relation: string, confirmed: number, looked_at: number, low: number, high: number}} */ it,
    ) =>
      `${it.relation.replace("_", " ")}: ${it.confirmed} of ${it.looked_at} ` +
      `(${Math.round(it.low * 100)} to ${Math.round(it.high * 100)} %)`,
    noAnswer: "The server does not answer; press the key again in a moment.",
    noServer: {
      title: "The clusters cannot be shown",
      lead: "The server does not answer. Nothing that was said is lost.",
    },
    again: "Try again",
    noneSuch: {
      title: "None of these",
      lead: "No cluster is like that. Choose something else at the left.",
    },
    none: {
      title: "No near-duplicates",
      lead: "vocparty dedup has put nothing together yet. Run it after collecting; its doubtful decisions come here.",
    },
    allSeen: {
      title: "All looked at",
      lead: "Somebody has looked at every decision. What vocparty dedup decides next comes here.",
    },
  },
};
