/** The words of the history of an image, and of a person's own work. */

const FIELDS = /** @type {Readonly<Record<string, string>>} */ ({
  box: "box",
  view: "view",
  truncated: "truncated",
  occluded: "occluded",
  difficult: "difficult",
  unsure: "unsure",
  actions: "actions",
  point: "point",
  parts: "parts",
});

const VERDICTS = /** @type {Readonly<Record<string, string>>} */ ({
  accept: "accepted",
  mended: "fixed",
  returned: "returned",
});

/** @param {number} part @param {number} whole */
const share = (part, whole) => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)} % (${part} of ${whole})`);

export const history = {
  overlay: {
    kinds: /** @type {Readonly<Record<string, string>>} */ ({
      added: "added",
      removed: "removed",
      moved: "moved",
      changed: "changed",
      same: "the same",
    }),
    fields: FIELDS,
    renamed: (/** @type {string} */ from, /** @type {string} */ to) => `${from} is now ${to}`,
    none: "These two revisions are the same.",
  },
  history: {
    title: (/** @type {number} */ id) => `History of image ${id}`,
    lead: "Choose two revisions to compare them.",
    one: "Only one revision so far.",
    empty: "Nothing was saved of this image yet.",
    before: "Before",
    after: "After",
    drafts: "Show drafts",
    back: "Back",
    restore: "Restore this revision",
    sure: (/** @type {number} */ id) =>
      `Restore revision ${id}? It is saved as a new revision; the newer ones stay in the history.`,
    /** What it means where the history was opened from. @type {Readonly<Record<string, string>>} */
    then: {
      annotate: "You go on from it.",
      check: "It is your correction and ends your check of this image.",
      history: "The image is then to be checked again.",
    },
    yes: "Restore",
    no: "Cancel",
    done: (/** @type {number} */ id) => `Restored as revision ${id}.`,
    now: "newest",
    draft: "draft",
    finished: "finished",
    setAside: "set aside by an organiser",
    beside: "kept beside: another save came first",
    discarded: (/** @type {string} */ reason) => `discarded: ${reason}`,
    corrects: (/** @type {string} */ checker) => `correction by ${checker}`,
    said: (/** @type {string} */ checker, /** @type {string} */ verdict) => `${checker} ${VERDICTS[verdict] ?? verdict} it`,
    release: (/** @type {readonly string[]} */ names) => `released in ${names.join(", ")}`,
    objects: (/** @type {number} */ number) => (number === 1 ? "1 box" : `${number} boxes`),
    noServer: "The server does not answer; the page tries again when you reload it.",
    unasked: "This address names no image; open the history from an image.",
  },
  ownWork: {
    title: "My work",
    lead: "What checkers fixed or returned, how you did over time, and what was said to you.",
    outcomes: "Fixed and returned",
    none: "Nothing of yours was fixed or returned so far.",
    older: "Show older",
    said: (/** @type {string} */ checker, /** @type {string} */ verdict) =>
      `${checker} ${VERDICTS[verdict] ?? verdict} image`,
    waiting: "It waits for you to finish it again.",
    all: "All revisions",
    weeks: "Over time",
    noWeeks: "Nothing was judged yet.",
    columns: ["Week", "Accepted as drawn", "Objects found where the answer is known"],
    share,
    remarks: "Remarks",
    noRemarks: "No remarks so far.",
    from: (/** @type {string} */ name) => `${name}: `,
  },
};
