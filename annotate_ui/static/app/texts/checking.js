/** Checking: findings, the difficult pass, verdicts, disputes, near-duplicates; the history, and a person's own work. */

import { t } from "../translate.js";
import { count, flags } from "./annotating.js";

/** @import {CheckRow, Found, JudgedFinding} from "../types.js" */

const FIELDS = /** @type {Readonly<Record<string, string>>} */ ({
  ...flags,
  ...{ box: t`box`, view: t`view`, actions: t`actions`, point: t`point`, parts: t`parts` },
});

const VERDICTS = /** @type {Readonly<Record<string, string>>} */ ({
  accept: t`accepted`,
  fixed: t`fixed`,
  returned: t`returned`,
});

/**
 * @param {string | null} name
 * @param {string | null} verdict
 */
const saidMeanwhile = (name, verdict) =>
  verdict === "fixed"
    ? t`The problem was fixed meanwhile.`
    : t`${name ?? t`Someone`} ${verdict === null ? t`removed a verdict` : t`gave another verdict`} meanwhile. Press the key again to replace it.`;

/**
 * @param {number} part
 * @param {number} whole
 */
const share = (part, whole) =>
  whole === 0 ? "–" : t`${Math.round((100 * part) / whole)} % (${part} of ${whole})`;

export const checking = {
  noAnswer: t`The server does not answer. Press the key again in a moment.`,

  findings: {
    title: t`Findings`,
    lead: t`Results of the automatic checks. Is each one a real problem?`,
    all: t`All`,
    right: t`Real problem`,
    wrong: t`False alarm`,
    open: t`Open to fix`,
    said: { right: t`real problem`, wrong: t`false alarm`, fixed: t`fixed` },
    switch: t`Check is on`,
    takenBack: t`Undone.`,
    nothingToTakeBack: t`Nothing to undo.`,
    undo: t`Undo`,
    gold: t`Make gold`,
    more: (/** @type {number} */ number) => t`Show more (${number} shown)`,
    meanwhile: (/** @type {Found} */ found, /** @type {JudgedFinding} */ { message, judged_by, verdict }) =>
      message !== found.message
        ? t`This changed while you looked at it. It says now: ${message}`
        : saidMeanwhile(judged_by, verdict),
    /** @type {Readonly<Record<string, string>>} */
    severity: { error: t`error`, warning: t`warning`, hint: t`hint` },
    turnedOff: (/** @type {string} */ name) => t`The check "${name}" is off.`,
    turnedOn: (/** @type {string} */ name) =>
      t`The check "${name}" is on. Run vocparty qa to check all images.`,
    precision: (/** @type {CheckRow} */ { right, wrong, fixed, precision }) =>
      precision === null
        ? t`not judged yet`
        : t`${right + fixed} of ${right + fixed + wrong} real (${Math.round(precision[1] * 100)} to ${Math.round(precision[2] * 100)} %)`,
    none: {
      title: t`No open findings`,
      lead: t`The checks run when an image is finished. Run vocparty qa to check all images now.`,
    },
    noneHere: { title: t`No open findings of this kind`, lead: t`Choose another check or another severity.` },
  },

  difficult: {
    title: t`Difficult`,
    lead: t`Mark the objects that are hard to recognise from their crop alone. One class at a time, smallest first.`,
    left: (/** @type {number} */ number) => t`${number} left`,
    toggle: t`Difficult`,
    isDifficult: flags.difficult,
    changed: t`changed since then`,
    judged: (/** @type {number} */ number) => (number === 1 ? t`Save, next` : t`Save all ${number}, next`),
    grid: t`Grid`,
    oneByOne: t`One by one`,
    size: (/** @type {[number, number]} */ [wide, high]) => `${wide} × ${high} px`,
    heldBy: (/** @type {string} */ name) => t`taken by ${name}`,
    saved: (/** @type {number} */ number) => t`${count(number, t`object`, t`objects`)} saved.`,
    late: (/** @type {number} */ number) =>
      t`${count(number, t`object was`, t`objects were`)} changed or deleted meanwhile and will be asked again. The others are saved.`,
    taken: t`Another organiser took this class meanwhile. Choose another class.`,
    choose: {
      title: t`Choose a class`,
      lead: t`The class is reserved for you until you leave it, so that one person judges all of it.`,
    },
    classDone: {
      title: t`This class is done`,
      lead: t`Objects that change later come back. Choose another class.`,
    },
    none: {
      title: t`Nothing to judge`,
      lead: t`Every finished object is judged. New objects appear here when their image is finished.`,
    },
  },

  presence: {
    title: t`Presence`,
    lead: t`Say which images show the class before boxes are drawn. Images without any class are discarded.`,
    asked: (/** @type {string} */ name) => t`Which images show this class: ${name}?`,
    other: t`Which of the others show another class of the list?`,
    isShown: t`shown`,
    isOther: t`another class`,
    mark: t`Shows it`,
    next: t`Next question`,
    save: (/** @type {number} */ number) => t`Save all ${number}, next`,
    undo: t`Undo the last page`,
    saved: (/** @type {number} */ kept, /** @type {number} */ gone) =>
      t`${count(kept, t`image`, t`images`)} saved, ${gone} of them discarded.`,
    undone: (/** @type {number} */ number) => t`${count(number, t`answer`, t`answers`)} undone.`,
    choose: { title: t`Choose a class`, lead: t`The number is how many images of its queries wait.` },
    classDone: { title: t`No image of this class waits`, lead: t`Choose another class.` },
    none: { title: t`No image waits`, lead: t`New images appear here after collecting.` },
  },

  review: {
    by: (/** @type {string} */ name) => t`drawn by ${name}`,
    unsureClass: (/** @type {string} */ name) => t`The author was unsure of this class: ${name}`,
    unsureOf: (/** @type {string} */ names) =>
      t`The author was unsure whether the image has more of: ${names}`,
    accept: t`Accept`,
    reject: t`Reject`,
    remarked: t`Accept with note`,
    comment: t`What's wrong?`,
    remarkOn: t`Note to the author (the object is accepted)`,
    remarks: (/** @type {number} */ number) => t`The author will see ${count(number, t`note`, t`notes`)}.`,
    commentDone: t`Enter: next object`,
    looked: (/** @type {number} */ done, /** @type {number} */ all) => t`${done} of ${all} checked`,
    finish: t`Finish check`,
    question: t`Is every object of the classes marked?`,
    yes: t`Yes, all are marked`,
    no: t`No, something is missing`,
    outcome: {
      accept: t`The image is accepted as it is.`,
      fixed: t`Your fixed version is accepted. The author's version stays in the history.`,
      returned: t`The image goes back to its author, with your comments.`,
    },
    releasedFixed: t`Another checker will check your correction. The release does not change.`,
    correctionsStay: t`Your corrections are not sent with a returned image.`,
    words: t`What is missing or wrong?`,
    unjudged: (/** @type {number} */ number) => t`${count(number, t`finding`, t`findings`)} not judged`,
    discarded: (/** @type {string} */ reason) =>
      t`The annotator discarded this image: ${reason}. If you agree, finish the check. If not, draw the missing objects.`,
    answerNeeded: t`Is anything missing? Press Y or N.`,
    lookNeeded: t`Accept or reject each object. This one has no verdict yet.`,
    wordsNeeded: t`Write a comment for the author before you return the image.`,
    send: { accept: t`Accept, next image`, fixed: t`Save fix, next image`, returned: t`Return` },
    hold: t`Release to accept`,
  },

  found: {
    title: { right: t`Real problem: fix the object`, wrong: t`False alarm: remove the finding` },
    right: t`real problem`,
    wrong: t`false alarm`,
    /** @type {Readonly<Record<string, string>>} */
    severity: { error: t`Error`, warning: t`Warning`, hint: t`Hint` },
    elsewhere: (/** @type {number} */ number) => t`${number} more on other objects`,
    none: t`This image has no open finding.`,
  },

  hints: {
    number: (/** @type {number} */ number) => count(number, t`hint`, t`hints`),
    line: (/** @type {string} */ severity, /** @type {string} */ about, /** @type {string} */ message) =>
      `${severity}${about && `, ${about}`}: ${message}`,
    about: (/** @type {number} */ number, /** @type {string} */ name) => t`object ${number} (${name})`,
  },

  rounds: {
    title: t`Earlier comments`,
    since: t`Changed since then`,
    said: (/** @type {string} */ checker, /** @type {string} */ verdict) =>
      `${checker} ${{ returned: t`returned it`, fixed: t`fixed it` }[verdict] ?? t`accepted it`}`,
  },

  disputes: {
    title: t`Disputes`,
    lead: (/** @type {number} */ most) =>
      t`These images were returned ${count(most, t`time`, t`times`)}. An organiser decides: accept, fix, or return once more.`,
    settle: t`Decide`,
    /** @type {Readonly<Record<string, string>>} */
    state: {
      annotated: t`waits for you`,
      checking: t`being checked`,
      returned: t`returned to the author`,
      annotating: t`returned to the author`,
    },
    own: t`your own work: another organiser decides`,
    holder: (/** @type {string} */ name) => t`open at ${name}`,
    drawn: (/** @type {string} */ name) => t`drawn by ${name}`,
    none: { title: t`No disputes`, lead: t`Images that were returned too often appear here.` },
    noServer: t`The server does not answer. The page tries again automatically.`,
  },

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
      pool: t`to annotate`,
      annotated: t`to check`,
      annotating: t`being annotated`,
      checking: t`being checked`,
      returned: t`returned`,
      checked: t`checked`,
      released: t`released`,
      discarded: t`discarded`,
      taken_down: t`taken down`,
      hashed: t`to compare again`,
      duplicate: t`near-duplicate`,
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
    drawn: (/** @type {number} */ share) => t`${(100 * share).toFixed(1)} % taken for writing`,
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

  overlay: {
    kinds: /** @type {Readonly<Record<string, string>>} */ ({
      added: t`added`,
      removed: t`removed`,
      moved: t`moved`,
      changed: t`changed`,
      same: t`the same`,
    }),
    fields: FIELDS,
    renamed: (/** @type {string} */ from, /** @type {string} */ to) => t`${from} changed to ${to}`,
    none: t`These two revisions are the same.`,
  },
  history: {
    title: (/** @type {number} */ id) => t`History of image ${id}`,
    lead: t`Choose two revisions to compare them.`,
    one: t`Only one revision so far.`,
    empty: t`This image has no revision yet.`,
    before: t`Before`,
    after: t`After`,
    drafts: t`Show drafts`,
    back: t`Back`,
    restore: t`Restore this revision`,
    sure: (/** @type {number} */ id) =>
      t`Restore revision ${id}? It becomes a new revision. The others stay in the history.`,
    /** What it means where the history was opened from. @type {Readonly<Record<string, string>>} */
    then: {
      annotate: t`You continue from it.`,
      check: t`It becomes your correction and finishes your check of this image.`,
      history: t`The image is then checked again.`,
    },
    yes: t`Restore`,
    no: t`Cancel`,
    done: (/** @type {number} */ id) => t`Restored as revision ${id}.`,
    now: t`newest`,
    draft: t`draft`,
    finished: t`finished`,
    setAside: t`removed by an organiser`,
    notUsed: t`not used: another save came first`,
    discarded: (/** @type {string} */ reason) => t`discarded: ${reason}`,
    corrects: (/** @type {string} */ checker) => t`correction by ${checker}`,
    said: (/** @type {string} */ checker, /** @type {string} */ verdict) =>
      t`${VERDICTS[verdict] ?? verdict} by ${checker}`,
    release: (/** @type {readonly string[]} */ names) => t`released in ${names.join(", ")}`,
    objects: (/** @type {number} */ number) => (number === 1 ? t`1 box` : t`${number} boxes`),
    noServer: t`The server does not answer. Reload the page to try again.`,
    unasked: t`This address names no image. Open the history from an image.`,
  },
  ownWork: {
    title: t`My work`,
    lead: t`What checkers fixed or returned, your results over time, and comments for you.`,
    outcomes: t`Fixed and returned`,
    none: t`None of your images was fixed or returned yet.`,
    older: t`Show older`,
    said: (/** @type {string} */ checker, /** @type {string} */ verdict, /** @type {number} */ id) =>
      t`Image ${id} ${VERDICTS[verdict] ?? verdict} by ${checker}`,
    waiting: t`Please finish it again.`,
    all: t`All revisions`,
    weeks: t`Over time`,
    noWeeks: t`None of your images was checked yet.`,
    columns: [t`Week`, t`Accepted as drawn`, t`Objects found on gold images`],
    share,
    remarks: t`Comments`,
    noRemarks: t`No comments yet.`,
    from: (/** @type {string} */ name) => `${name}: `,
  },
};
