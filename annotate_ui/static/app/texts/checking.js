/** Checking: findings, the difficult pass, presence, suggested boxes, verdicts, disputes. */

import { t } from "../translate.js";
import { count, flags } from "./words.js";

/** @import {CheckRow, Found, JudgedFinding, PairRecord} from "../types.js" */

/**
 * @param {string | null} name
 * @param {string | null} verdict
 */
const saidMeanwhile = (name, verdict) =>
  verdict === "fixed"
    ? t`The problem was fixed meanwhile.`
    : t`${name ?? t`Someone`} ${verdict === null ? t`removed a verdict` : t`gave another verdict`} meanwhile. Press the key again to replace it.`;

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
    meanwhile: (
      /** @type {Found} */ finding,
      /** @type {JudgedFinding} */ { message, judged_by, verdict },
    ) =>
      message !== finding.message
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

  pairs: {
    title: t`Pairs`,
    lead: t`Boxes of checked images that lie on one another. Is it one object, or are both right?`,
    all: t`All pairs`,
    /** @type {Readonly<Record<string, string>>} */
    checks: {
      same_class_overlap: t`One class`,
      confusable_overlap: t`Classes that look alike`,
      other_class_overlap: t`Other classes`,
    },
    waiting: (/** @type {number} */ number) => t`${count(number, t`pair waits`, t`pairs wait`)}`,
    elsewhere: (/** @type {number} */ number) =>
      t`${count(number, t`more is`, t`more are`)} in images that are not checked yet, or that you drew.`,
    first: (/** @type {string} */ name) => t`Keep the left box: ${name}`,
    second: (/** @type {string} */ name) => t`Keep the right box: ${name}`,
    same: t`Same object: keep the larger`,
    both: t`Both are right`,
    undo: t`Undo`,
    open: t`Open the image`,
    size: (/** @type {string} */ name, /** @type {number} */ wide, /** @type {number} */ high) =>
      `${name}, ${wide} × ${high} px`,
    /** @type {Readonly<Record<string, string>>} */
    kept: { both: t`both kept`, first: t`left kept`, second: t`right kept` },
    saved: t`Saved.`,
    taken: t`Undone.`,
    nothingToUndo: t`Nothing to undo.`,
    undoFirst: t`This pair is decided. Undo that first.`,
    meanwhile: t`Another person decided about this pair, or changed its boxes. Reload the page to see it as it is now.`,
    more: (/** @type {number} */ number) => t`Show more (${number} shown)`,
    none: {
      title: t`No pair waits`,
      lead: t`Boxes that lie on one another appear here once their image is checked.`,
    },
    confused: t`Often confused`,
    confusedLead: t`In how many pairs one box was wrong. Explain these classes in the guidelines.`,
    wrong: (/** @type {PairRecord} */ { removed, both, wrong }) =>
      t`${removed} of ${removed + both} pairs (${Math.round((wrong?.[1] ?? 0) * 100)} to ${Math.round((wrong?.[2] ?? 1) * 100)} %)`,
    blind: (/** @type {number} */ number) =>
      t`${count(number, t`object`, t`objects`)} named otherwise by a second person`,
    guidelines: t`Guidelines`,
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

  countsAge: t`In a large party the counts may be a minute old.`,

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
    loading: t`The pictures are still loading. Press the key again in a moment.`,
    planLead: t`Mark each picture that shows it, even small or partly hidden. What you do not mark counts as no.`,
    shows: (/** @type {string} */ what) => t`Which pictures show ${what}?`,
    waiting: (/** @type {number} */ number) =>
      number === 1 ? t`1 image has an open question.` : t`${number} images have an open question.`,
    ofVisit: (/** @type {number} */ number) =>
      t`${count(number, t`answer`, t`answers`)} of yours in this visit.`,
    doneByYou: {
      title: t`Nothing left to ask you`,
      lead: t`The images that wait need the answers of others. Come back when they have answered.`,
    },
    doneByAll: { title: t`All questions are answered`, lead: t`New images appear here after collecting.` },
    help: t`What counts`,
    helpOf: (/** @type {string} */ name) => t`What counts: ${name}`,
    noHelp: t`The party has no further words for it. The guidelines say what to label.`,
    rule: t`Rule`,
    synonyms: t`Also called`,
    examples: t`Examples`,
    includes: t`Includes`,
    listIncluded: (/** @type {readonly string[]} */ names, /** @type {number} */ others) =>
      others > 0 ? t`${names.join(", ")} and ${others} more` : names.join(", "),
    answersTitle: t`Answers on Presence`,
    answered: (/** @type {string} */ what, /** @type {boolean} */ isYes) =>
      isYes ? t`Shows ${what}: yes` : t`Shows ${what}: no`,
    known: (/** @type {boolean} */ isYes) =>
      isYes ? t`Gold image: yes is right.` : t`Gold image: no is right.`,
    takeBack: t`Take back`,
    takenBackBy: (/** @type {string} */ name, /** @type {string} */ when) =>
      t`Taken back by ${name}, ${when}`,
    sure: (/** @type {string} */ name) => t`Take back the answer of ${name}?`,
    then: t`The question is asked again. An image that was discarded because of it waits again.`,
    waitAgain: (/** @type {string} */ images) => t`These images are no longer discarded: ${images}.`,
    emptyNow: (/** @type {string} */ images) =>
      t`Discarded, because the answers of others find no class: images ${images}.`,
    drawnSince: (/** @type {string} */ images) =>
      t`Boxes of a class that is open again stay on these images: ${images}.`,
  },

  verify: {
    title: t`Verify`,
    lead: t`Look at boxes that a model suggested or a person drew, one class at a time. What two people call right needs no drawing.`,
    ask: (/** @type {string} */ name) => t`Does each box hold exactly one object of this class: ${name}?`,
    askMore: (/** @type {string} */ name) => t`Is there another one outside the boxes: ${name}?`,
    askToDraw: (/** @type {string} */ name) => t`Draw a box around one object of this class: ${name}`,
    corner: { first: t`Set the first corner`, second: t`Set the opposite corner`, save: t`Save the box` },
    again: t`Start over`,
    nothingToDraw: t`There is none to draw`,
    answered: (/** @type {number} */ done, /** @type {number} */ all) => t`${done} of ${all} answered`,
    said: {
      right: t`Right`,
      part: t`Only a part`,
      large: t`Too large`,
      several: t`Several`,
      wrong: t`Wrong`,
      no: t`No, that is all`,
      yes: t`Yes, another one`,
    },
    meanings: {
      right: t`the box touches all visible sides of one object of the class.`,
      part: t`it cuts off part of the object.`,
      large: t`it is clearly larger than the object.`,
      several: t`it holds more than one object of the class.`,
      wrong: t`it holds no object of the class.`,
    },
    guidelines: t`Guidelines`,
    noExample: t`No checked image can be shown as an example yet.`,
    begin: t`Begin`,
    space: t`Space`,
    undo: t`Undo`,
    undone: t`Undone. Answer again.`,
    drawn: (/** @type {string} */ images) =>
      t`Undone. The box was drawn meanwhile and stays, as its annotator accepted it too: image ${images}.`,
    late: t`This question is not asked any more: its image or box was withdrawn, or you answered in another window.`,
    choose: {
      title: t`Choose a class`,
      lead: t`The number is how many questions wait for an answer.`,
    },
    classDone: {
      title: t`No box of this class waits for you`,
      lead: t`A box needs two people, so yours may wait for another person. Choose another class, or draw the next image.`,
    },
    none: {
      title: t`No box waits`,
      lead: t`Boxes appear here when an organiser loads suggestions, or where the party draws class by class. Draw the next image meanwhile.`,
    },
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
    image: (/** @type {number} */ id, /** @type {string} */ objects) =>
      objects ? t`Image ${id}: ${objects}` : t`Image ${id}`,
    holder: (/** @type {string} */ name) => t`with ${name}`,
    drawn: (/** @type {string} */ name) => t`drawn by ${name}`,
    since: (/** @type {string} */ when) => t`since ${when}`,
    waiting: (/** @type {number} */ images) =>
      t`${count(images, t`image waits`, t`images wait`)} for your decision.`,
    before: t`as it was returned`,
    after: t`as it is now`,
    unchanged: t`The author finished it again without a change.`,
    all: t`All revisions`,
    none: { title: t`No disputes`, lead: t`Images that were returned too often appear here.` },
    board: t`Board`,
    noServer: t`The server does not answer. The page tries again automatically.`,
  },
};
