/** The annotation page: work, sending and losing, keys. */

/** @import {Finding} from "../types.js" */

/** What hints of several objects say, by check. @type {Readonly<Record<string, string>>} */
const BRIEFLY = {
  actions_missing: "no action",
  border_not_truncated: "at the border, but not truncated",
  truncated_inside: "truncated, but nothing cuts it",
  same_class_overlap: "overlaps another object of its class",
  small_box: "a very small box",
};

/** @param {number} count @param {string} one @param {string} many */
export const count = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @typedef {Record<string, {title: string, lead: string, button?: string, link?: {text: string, href: string}}>} Screens */

export const annotating = {
  drawing: {
    chosen: {
      drag: "Drawing by dragging. A click selects.",
      clicks: "Drawing by two clicks, corner and corner. Ctrl and a click selects.",
      extremes: "Drawing by four points: top, left, bottom, right of the object, in any order. Ctrl and a click selects.",
    },
    short: { drag: "drag", clicks: "two clicks", extremes: "four points" },
    corner: "Now the opposite corner. Esc takes it back.",
    byKeys:
      "Arrow keys move the cross, with Shift by 10 pixels, with Ctrl and Shift by a tenth of the image, " +
      "with Alt to the border. Enter sets a corner.",
    points: (/** @type {number} */ set, /** @type {number} */ all) =>
      `${set} of ${all} points. Click the outermost points of the object, in any order; Esc takes the last one back.`,
  },

  magnifier: { on: "The magnifier stands beside the pointer while you draw.", off: "No magnifier." },

  light: {
    title: "How the picture is shown",
    brightness: "Brightness",
    contrast: "Contrast",
    percent: (/** @type {number} */ value) => `${value} %`,
    reset: "As it is",
    close: "Close",
    changed: "Shown brighter or darker than it is",
  },

  hidden: {
    shown: (/** @type {string} */ name) => `Hidden: ${name}`,
    show: (/** @type {string} */ name) => `Show ${name} again`,
  },

  palette: { title: "Classes", filter: "Find a class", none: "No class has these letters." },

  inspector: {
    nothing: (/** @type {string} */ name) => `Drag on the image to draw: ${name}.`,
    nothingCheck: "Step through the objects, or click one.",
    view: "View",
    flags: "Flags",
    parts: "Parts",
    actions: "Actions",
    point: "reference point",
    truncated: "truncated",
    occluded: "occluded",
    unsure: "unsure",
    difficult: "difficult",
    difficultHelp: "Organisers judge this, in a pass of their own.",
    proposed: "Proposed, because the box touches the border",
  },

  objects: {
    title: (/** @type {number} */ number) => count(number, "object", "objects"),
    size: (/** @type {number} */ width, /** @type {number} */ height) => `${width} × ${height}`,
    letters: { truncated: "T", occluded: "O", unsure: "?", difficult: "D" },
  },

  status: {
    saved: "Saved",
    unsaved: "Not saved yet",
    saving: "Saving…",
    offline: "Offline: kept here, goes up by itself",
    busy: "Busy. Saved on this computer; will sync",
    signed_out: "Signed out: kept here",
    stale: "Saved elsewhere too: decide",
    lease_lost: "No longer yours",
    refused: "Not taken by the server",
    offlineWith: (/** @type {number} */ number) =>
      `Offline: ${count(number, "finished image", "finished images")} kept here, sent when the network is back`,
    local: "Kept here until the verdict",
    fleeting: "This browser keeps no journal: do not close the page before it says Saved.",
    left: (/** @type {number} */ number) => `${number} left`,
    credit: (/** @type {string} */ title, /** @type {string} */ owner) =>
      [title, owner && `by ${owner}`].filter(Boolean).join(" "),
    size: (/** @type {number} */ width, /** @type {number} */ height) => `${width} × ${height} px`,
    zoom: (/** @type {number} */ scale) => `${Math.round(scale * 100)} %`,
  },

  refusals: {
    too_small: (/** @type {number} */ minPx) => `Too small: a box has at least ${minPx} pixels a side.`,
    too_many: (/** @type {number} */ most) => `An image may hold ${most} objects, no more.`,
    parts_full: "There are as many of these as there may be.",
    none_selected: "Select an object first.",
    class_has_none: "This class does not have that.",
    flag_unknown: "This party does not use that flag.",
    few_corners: "An outline needs three corners or more.",
    many_segments: "An image can hold 254 objects and void regions.",
    in_front: "Nothing that it touches is in front of it.",
    behind_all: "Nothing that it touches is behind it.",
  },

  finish: {
    title: "Is everything marked?",
    question: "Nothing else of these classes is in the image",
    confirm: "Yes, finish and go on",
    hold: "Let go to confirm",
    back: "Back to the image",
    viewless: (/** @type {number} */ number) =>
      `${count(number, "object has", "objects have")} no view yet`,
    proposed: (/** @type {number} */ number) =>
      `${count(number, "object is", "objects are")} truncated as proposed at the border`,
    unsure: (/** @type {number} */ number) =>
      `${count(number, "object is", "objects are")} marked unsure for the checker`,
    /** Several objects of one class with the same hint. */
    grouped: (/** @type {number} */ number, /** @type {string} */ name, /** @type {Finding} */ { check, message }) =>
      `${number} × ${name}: ${BRIEFLY[check] ?? message}`,
    goTo: (/** @type {number} */ number) => `Show object ${number}`,
    unsureClass: (/** @type {string} */ name) => `Unsure of this class, for the checker: ${name}`,
    button: "Finish",
  },

  problem: {
    title: "An image before this one needs you",
    lead: "Nothing of it is lost: it is kept in this browser, and here it can be put right.",
    go: "Go to it",
    later: "Not now",
  },

  discard: {
    title: "Discard this image?",
    lead: "It leaves the party, with the reason that you give. Press its digit.",
    empty: "Nothing is marked on it.",
    drawn: (/** @type {number} */ number) =>
      `${count(number, "box is", "boxes are")} marked and kept with it. A second key confirms.`,
    confirm: {
      title: (/** @type {number} */ number) => `Discard with ${count(number, "box", "boxes")}?`,
      lead: (/** @type {string} */ reason) => `Reason: ${reason}. The boxes are kept; A opens the image again with them.`,
      yes: "Discard image",
      back: "Keep image",
    },
    back: "Back to the image",
    button: "Discard",
  },

  guide: {
    title: "Guidelines",
    search: "Search the guidelines",
    none: "Nothing there has these words.",
    close: "Close the guidelines",
  },
};

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
    again: (/** @type {string} */ campaign, /** @type {string} */ by) => `Annotate again: ${campaign} (${by})`,
  },

  conflict: {
    title: "Edited in two places",
    lead:
      "Another window of yours, or another person, saved this image after you opened it. Nothing is lost: " +
      "both revisions stay in the history. Which boxes do you want to continue with?",
    mine: "Yours, in this window",
    theirs: "The newest one",
    keep: "Continue with mine",
    both: "Keep the boxes of both",
    take: "Continue with the newest",
  },

  signedOut: {
    title: "You are signed out",
    lead:
      "Open your personal link again, in another tab of this browser. Your work is kept here " +
      "and goes up as soon as you are back.",
    again: "I am back",
  },

  screens: /** @type {Screens} */ ({
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
    too_fast: {
      title: "Slow down, please",
      lead: "You finished more images in one minute than a person can look at; the next one comes when the minute is over.",
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
    otherWindow: "This image is open in another window too. Close one of them.",
    copied: "Copied. Ctrl+V adds a copy, also on the next image.",
    restored: "Work that was not sent before is back.",
    sentEarlier: (/** @type {number} */ number) =>
      `${count(number, "earlier image", "earlier images")} kept in this browser went up.`,
    keptBeside: (/** @type {number | null} */ id) =>
      id === null ? "What you sent is kept." : `What you sent is kept as revision ${id}.`,
    discarded: (/** @type {string} */ reason) =>
      `Discarded: ${reason}. Finish it with a box to bring it back.`,
    noPrevious: "There is no image before this one.",
    historyLater: "The server does not answer: the history can be opened when it is back.",
    previousLater: "The server does not answer: earlier images can be opened when it is back.",
    removed: (/** @type {string} */ name) => `Deleted: ${name}. Ctrl Z brings it back.`,
    pointMissing: "Now the reference point: press P, then click on the person. Without it no list of actions names this person.",
    rejectedFirst: "Select an object first.",
  },
};

export const keys = {
  regions: {
    rail: "Tools",
    stage: "Image",
    stageHelp:
      "Drag to draw a box. Without a pointer: W, arrow keys and Enter set two corners. " +
      "Press the question mark for all keys.",
    panel: "Classes and objects",
    status: "Status",
    guide: "Guidelines",
  },

  rail: { home: "To the first page" },

  commands: /** @type {Record<string, string>} */ ({
    "box.new": "New box: drag, or two clicks, or arrow keys and Enter",
    "corner.set": "Set a corner; without a tool, find a class by name",
    "box.remove": "Delete the selected box",
    "box.copy": "Copy the selected box",
    "box.paste": "Add a copy of it, with its class, view, flags and actions",
    undo: "Undo",
    redo: "Redo",
    "step.back": "Take back the last click, drop what is under way, then select nothing",
    "draw.mode": "Another way to draw: drag, two clicks, four points",
    "side.switch": "Mark the other two sides",
    "object.next": "Next object",
    "object.previous": "Previous object",
    "object.below": "The box below the selected one",
    "object.above": "The box above the selected one",
    "view:Unspecified": "View: unspecified",
    "view:Frontal": "View: frontal",
    "view:Rear": "View: rear",
    "view:Left": "View: left",
    "view:Right": "View: right",
    "flag:truncated": "Truncated",
    "flag:occluded": "Occluded",
    "flag:unsure": "Unsure of this one (for the checker)",
    "point.set": "Set the reference point",
    "class.filter": "Find a class by name",
    "zoom.in": "Zoom in",
    "zoom.out": "Zoom out",
    "zoom.fit": "Whole image",
    "zoom.actual": "One to one",
    "zoom.object": "Zoom to the selected box, and back",
    "show.boxes": "Hide or show boxes",
    "show.labels": "Hide or show labels",
    "class.hide": "Hide or show the boxes of this class",
    magnifier: "Magnifier while drawing, on or off",
    "light.show": "Brightness and contrast",
    "light.brighter": "Brighter",
    "light.darker": "Darker",
    "light.harder": "More contrast",
    "light.softer": "Less contrast",
    "light.reset": "Brightness and contrast as the picture has them",
    guidelines: "Guidelines",
    help: "All keys",
    "image.finish": "Finish: hold until the list is confirmed, or tap and press Enter",
    "image.verify": "Look at the list of classes, then finish",
    "image.previous": "Back to the image before",
    "image.history": "History: all revisions of this image",
    "image.discard": "Discard the image, with a reason",
    "image.unwanted": "Discard the image: none of the wanted classes is there",
    "finding.wrong": "What the check says of it is wrong",
    "finding.right": "What the check says of it is right",
    "verdict.accept": "Accept the object, on to the next",
    "verdict.reject": "Reject the object, with a comment",
    "verdict.remark": "Accept the object, with a remark to its author",
  }),

  arrows: /** @type {Record<string, string>} */ ({
    nudge: "Move the box by 1 px",
    nudge10: "Move the box by 10 px",
    leap: "Move the box by a tenth of the image",
    side: "Move the marked side by 1 px; held, faster. While drawing: the cross to the border",
    other: "Move the opposite side",
  }),

  groups: /** @type {Record<string, string>} */ ({
    draw: "Draw",
    object: "Say what it is like",
    class: "Classes",
    part: "Parts, inside the selected person",
    action: "Actions of the selected person",
    select: "Select",
    correct: "Mend by keyboard",
    see: "See",
    image: "The image",
  }),

  maps: { labelimg: "like labelImg", cvat: "like CVAT" },

  help: {
    title: "Keys",
    close: "Close",
    map: "Key map",
    change: (/** @type {string} */ what) => `Another key for: ${what}`,
    hint: "Click a key to change it.",
    press: "press a key",
    reset: "All keys as they came",
    changed: (/** @type {string} */ what, /** @type {string} */ key) => `${key} is now: ${what}.`,
    obstacles: {
      reserved: (/** @type {string} */ key) =>
        `${key} belongs to the browser or the system. Choose another one.`,
      deletes: () => "Nothing is deleted by a single letter or sign. Add Ctrl, or choose another key.",
      taken: (/** @type {string} */ key, /** @type {string} */ what) =>
        `${key} is already: ${what}. Give that another key first.`,
    },
    pointer:
      "Wheel: zoom at the pointer. Space and drag, or the middle button: move the image. " +
      "Click: select; again: the box below. Drag a handle: reshape; drag the outline: move. " +
      "Ctrl and a click selects, however you draw.",
  },
};
