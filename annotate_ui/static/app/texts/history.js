/** Revisions: an image's history, and a person's own work. */

import { t } from "../translate.js";
import { count, share } from "./words.js";

const VERDICTS = /** @type {Readonly<Record<string, string>>} */ ({
  accept: t`accepted`,
  fixed: t`fixed`,
  returned: t`returned`,
});

export const history = {
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
    beside: {
      conflict: t`not used: another save came first`,
      blind: t`drawn blind, for comparison`,
      imported: t`imported without an annotation`,
    },
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
    outcomes: t`Fixed and returned`,
    none: {
      title: t`None of your images was fixed or returned yet.`,
      lead: t`What checkers change of your work is shown here, before and after.`,
    },
    begin: t`Annotate`,
    older: t`Show older`,
    image: (/** @type {number} */ id) => t`Image ${id}`,
    correct: t`Correct`,
    correctAll: (/** @type {number} */ images) => t`Correct ${count(images, t`image`, t`images`)}`,
    drawn: t`as you drew it`,
    unchanged: t`You finished it again without a change.`,
    /** What the image is now. @type {Readonly<Record<string, (checker: string) => string>>} */
    now: {
      fixed: (checker) => t`fixed by ${checker}`,
      returned: () => t`finished again`,
    },
    all: t`All revisions`,
    weeks: t`Over time`,
    noWeeks: t`None of your images was checked yet.`,
    weekOf: (/** @type {string} */ day) => t`Week of ${day}`,
    columns: [t`Week`, t`Accepted as drawn`, t`Objects found on gold images`],
    share,
    remarks: t`Comments`,
    noRemarks: t`No comments yet.`,
    from: (/** @type {string} */ name) => `${name}: `,
  },
};
