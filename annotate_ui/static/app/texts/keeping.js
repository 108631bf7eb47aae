/** Sending, losing and having again: what is said between two images. */

import { count } from "./count.js";

export const keeping = {
  feedback: {
    title: { true: "Passed", false: "Not passed" },
    allRight: "All as it should be.",
    progress: (/** @type {number} */ passed, /** @type {number} */ needed) => `${passed} of ${count(needed, "training image", "training images")} passed`,
    done: "That was the training. From now on your work counts.",
    next: "Next image",
    note: "The organiser says",
  },

  returned: {
    title: (/** @type {string} */ checker) => `Returned by ${checker}`,
  },

  conflict: {
    title: "This image was saved in between",
    lead:
      "By another window of yours, or by somebody else. Both revisions are kept in the record; " +
      "which one shall the work go on from?",
    mine: "Yours, in this window",
    theirs: "The newest one",
    keep: "Go on with mine",
    take: "Go on with the newest",
  },

  signedOut: {
    title: "You are signed out",
    lead:
      "Open your personal link again, in another tab of this browser. Your work is kept here " +
      "and goes up as soon as you are back.",
    again: "I am back",
  },

  screens: /** @type {Record<string, {title: string, lead: string, button?: string, link?: {text: string, href: string}}>} */ ({
    loading: { title: "One moment", lead: "The next image is on its way." },
    ending: {
      title: "Waiting for the network",
      lead:
        "What you finished is kept in this browser. It goes up by itself, then the next image comes. " +
        "Leave this page open, or come back to it later.",
      button: "Try now",
    },
    empty: {
      title: "All done for now",
      lead: "No image is waiting. More may come while the collecting goes on.",
      button: "Look again",
    },
    untrained: {
      title: "Please ask an organiser",
      lead: "You tried every training image; an organiser lets you begin, or adds more to try.",
      link: { text: "How each of them went", href: "/training" },
      button: "Look again",
    },
    nothing_of_others: {
      title: "Only your own work is waiting",
      lead: "Nobody checks what they drew themselves. Look again when others have drawn.",
      button: "Look again",
    },
    broken: {
      title: "This image does not open",
      lead: "The file could not be shown. Try again, or go on and leave it to the organisers.",
      button: "Try again",
    },
    lease_lost: {
      title: "The image went to somebody else",
      lead: "You were away for longer than it is kept for you. What you sent is in the record.",
      button: "Next image",
    },
    changed: {
      title: "The image was changed while you checked it",
      lead: "Somebody saved a newer revision. What you mended is kept in the record.",
      button: "Next image",
    },
    taken: {
      title: "That image cannot be opened again",
      lead: "Somebody has it, or it was checked.",
      button: "Next image",
    },
    no_server: {
      title: "The party cannot be reached",
      lead: "The server does not answer. This page tries again by itself.",
      button: "Try now",
    },
    signed_out: {
      title: "You are signed out",
      lead: "Open your personal link again, then come back to this page.",
      button: "I am back",
    },
  }),

  skip: "Leave it, next image",

  notices: {
    restored: "Work that was not sent before is back.",
    sentEarlier: (/** @type {number} */ number) =>
      `${count(number, "earlier image", "earlier images")} kept in this browser went up.`,
    keptBeside: (/** @type {number | null} */ id) =>
      id === null ? "What you sent is kept." : `What you sent is kept as revision ${id}.`,
    discarded: (/** @type {string} */ reason) =>
      `Discarded: ${reason}. Mark something and finish to bring it back.`,
    noPrevious: "There is no image before this one.",
    previousLater: "The server does not answer: earlier images can be opened when it is back.",
    removed: (/** @type {string} */ name) => `Deleted: ${name}. Ctrl Z brings it back.`,
    rejectedFirst: "Select an object first.",
  },
};
