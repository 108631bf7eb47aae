/** Checking: findings, the difficult pass, verdicts, disputes, near-duplicates. */

import { count } from "./annotating.js";

/** @import {CheckRow} from "../types.js" */

export const checking = {
  findings: {
    title: "Findings",
    lead: "What the automatic checks found. Say of each whether it is right.",
    all: "All",
    right: "Right",
    wrong: "Wrong",
    open: "Open to mend",
    said: { right: "right", wrong: "wrong", mended: "mended" },
    switch: "Check is on",
    takenBack: "Taken back.",
    nothingToTakeBack: "Nothing to take back.",
    undo: "Undo",
    gold: "Make it gold",
    more: (/** @type {number} */ number) => `Show more (${number} of them are here)`,
    meanwhile: (/** @type {string | null} */ name, /** @type {string | null} */ verdict) =>
      verdict === "mended"
        ? "It was mended meanwhile."
        : `${name ?? "Somebody"} ${verdict === null ? "took a verdict back" : `said ${verdict}`} meanwhile; press the key again to say otherwise.`,
    name: (/** @type {string} */ check) => check.replaceAll("_", " "),
    turnedOff: (/** @type {string} */ name) => `The check "${name}" is off from now on.`,
    turnedOn: (/** @type {string} */ name) => `The check "${name}" is on; vocparty qa runs it over everything.`,
    precision: (/** @type {CheckRow} */ { right, wrong, mended, precision }) =>
      precision === null
        ? "nobody judged it yet"
        : `${right + mended} of ${right + mended + wrong} right (${Math.round(precision[1] * 100)} to ` +
          `${Math.round(precision[2] * 100)} %)`,
    none: {
      title: "No open findings",
      lead: "The checks run when work is finished; run vocparty qa to check the whole party now.",
    },
    noneHere: { title: "Nothing open here", lead: "Choose another check, or another severity." },
    noAnswer: "The server does not answer; press the key again in a moment.",
  },

  difficult: {
    title: "Difficult",
    lead: "Judge each object by its crop alone: a class in one sitting, the smallest first.",
    left: (/** @type {number} */ number) => `${number} left`,
    toggle: "Difficult",
    isDifficult: "difficult",
    changed: "changed since",
    judged: (/** @type {number} */ number) => (number === 1 ? "Judged, next" : `Judged all ${number}, next`),
    grid: "Grid",
    oneByOne: "One by one",
    size: (/** @type {[number, number]} */ [wide, high]) => `${wide} × ${high} px`,
    heldBy: (/** @type {string} */ name) => `with ${name}`,
    saved: (/** @type {number} */ number) => `${count(number, "object", "objects")} judged.`,
    late: (/** @type {number} */ number) =>
      `${count(number, "object was", "objects were")} changed or removed meanwhile; the others are judged.`,
    taken: "Another organiser took this class meanwhile.",
    choose: { title: "Choose a class", lead: "It is yours until you leave it, so that one person judges it all." },
    classDone: { title: "This class is done", lead: "Objects that somebody changes come back. Choose another class." },
    none: { title: "Nothing to judge", lead: "Every finished object is judged. Others come here as soon as their image is annotated." },
    noAnswer: "The server does not answer; press the key again in a moment.",
  },

  review: {
    by: (/** @type {string} */ name) => `drawn by ${name}`,
    unsureClass: (/** @type {string} */ name) => `The author was unsure of this class: ${name}`,
    unsureOf: (/** @type {string} */ names) => `The author was unsure whether there is more of: ${names}`,
    accept: "Accept",
    reject: "Reject",
    remarked: "Remark",
    comment: "What is wrong with it?",
    remarkOn: "A remark to its author; the object is accepted",
    remarks: (/** @type {number} */ number) => `Its author is told ${count(number, "remark", "remarks")}.`,
    commentDone: "Enter: on to the next",
    looked: (/** @type {number} */ done, /** @type {number} */ all) => `${done} of ${all} looked at`,
    finish: "Verdict",
    question: "Is every object of the classes marked?",
    yes: "Yes, everything is there",
    no: "No, something is missing",
    outcome: {
      accept: "The image is accepted as it is.",
      mended: "Your mended revision is accepted; the author's stays in the record.",
      returned: "The image goes back to its author, with your comments.",
    },
    releasedMended: "Another checker looks at your correction; the release stays as it is.",
    correctionsStay: "What you mended is not sent with a returned image; it stays out.",
    words: "Say what is missing or wrong",
    unjudged: (/** @type {number} */ number) => `${count(number, "finding", "findings")} not judged`,
    discarded: (/** @type {string} */ reason) => `Its annotator discarded this image: ${reason}. Finish the check if so; draw what should be there if not.`,
    answerNeeded: "Is anything missing? Press Y or N.",
    lookNeeded: "This party asks for a verdict on each object; this one has none yet.",
    wordsNeeded: "A returned image needs a word for its author.",
    send: { accept: "Accept and go on", mended: "Save the mended and go on", returned: "Return" },
    hold: "Let go to accept",
    back: "Back to the image",
  },

  found: {
    title: { right: "The check is right; mend it", wrong: "The check is wrong; it goes" },
    right: "right",
    wrong: "wrong",
    /** @type {Readonly<Record<string, string>>} */
    severity: { error: "Error", warning: "Warning", hint: "Hint" },
    elsewhere: (/** @type {number} */ number) => `${count(number, "more", "more")} at other objects`,
    none: "No finding waits on this image.",
    unsaid: "The server does not answer; say it again in a moment.",
  },

  hints: {
    number: (/** @type {number} */ number) => count(number, "hint", "hints"),
    line: (/** @type {string} */ severity, /** @type {string} */ about, /** @type {string} */ message) =>
      `${severity}${about && `, ${about}`}: ${message}`,
    about: (/** @type {number} */ number, /** @type {string} */ name) => `object ${number} (${name})`,
  },

  rounds: {
    title: "Earlier comments",
    since: "Changed since then",
    said: (/** @type {string} */ checker, /** @type {string} */ verdict) =>
      `${checker} ${{ returned: "returned it", mended: "fixed it" }[verdict] ?? "accepted it"}`,
    settle: "It went back as often as is allowed: your word settles it.",
  },

  disputes: {
    title: "Disputes",
    lead: (/** @type {number} */ most) =>
      `What went back ${count(most, "time", "times")} waits for an organiser's word: accept it, mend it, or return it once more.`,
    settle: "Settle",
    back: "Go on settling",
    /** @type {Readonly<Record<string, string>>} */
    state: {
      annotated: "waits for you",
      checking: "being settled",
      returned: "with its author, once more",
      annotating: "with its author, once more",
    },
    own: "yours to draw, so another organiser's to settle",
    holder: (/** @type {string} */ name) => `with ${name}`,
    drawn: (/** @type {string} */ name) => `drawn by ${name}`,
    none: { title: "Nothing is disputed", lead: "Images come here that went back and forth too often." },
    noServer: "The server does not answer; the page tries again by itself.",
  },
};

export const clusters = {
  clusters: {
    title: "Near-duplicates",
    waiting: (/** @type {number} */ pairs) =>
      pairs ? `${count(pairs, "pair", "pairs")} to look at, the most doubtful first` : "nothing left to look at",
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
    say: { duplicate: "One photograph", same_event: "Same event", collage: "Collage", different: "Split" },
    said: { duplicate: "one photograph", same_event: "same event", collage: "collage", different: "split" },
    done: {
      duplicate: "Saved: one photograph.",
      same_event: "Saved: of one event; both stay, and always in one set.",
      collage: "Saved: a collage; both stay.",
      different: "Split: the next vocparty dedup puts the image back into the pool.",
    },
    keepOther: "Keep the other",
    keptInstead: (/** @type {number} */ id) => `Saved: image ${id} is kept, and the other one is put aside.`,
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
        ["X", "keep the other image, and put aside the one that is kept now"],
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
    noneSuch: { title: "None of these", lead: "No cluster is like that. Choose something else at the left." },
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
