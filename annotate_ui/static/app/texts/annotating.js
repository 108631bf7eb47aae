/** The annotation page: work, sending and losing. */

import { t } from "../translate.js";
import { count, flags } from "./words.js";

/** @import {Finding} from "../types.js" */

/** What hints of several objects say, by check. @type {Readonly<Record<string, string>>} */
const BRIEFLY = {
  actions_missing: t`no action set`,
  border_not_truncated: t`touches the border, but is not truncated`,
  truncated_inside: t`truncated, but not cut off`,
  same_class_overlap: t`overlaps another object of the same class`,
  small_box: t`very small box`,
};

/** @typedef {Record<string, {title: string, lead: string, button?: string, link?: {text: string, href: string}}>} Screens */

export const annotating = {
  drawing: {
    chosen: {
      drag: t`Drawing mode: drag. A click selects.`,
      clicks: t`Drawing mode: two clicks on opposite corners. Ctrl and click selects.`,
      extremes: t`Drawing mode: four points. Click the top, left, bottom and right of the object in any order. Ctrl and click selects.`,
    },
    short: { drag: t`drag`, clicks: t`two clicks`, extremes: t`four points` },
    corner: t`Click the opposite corner. Esc cancels.`,
    byKeys: t`Arrow keys move the crosshair: with Shift by 10 pixels, with Ctrl and Shift by a tenth of the image, with Alt to the border. Enter sets a corner.`,
    repeat: t`Click to add the same box, drag for a row of them. Esc ends.`,
    points: (/** @type {number} */ set, /** @type {number} */ all) =>
      t`${set} of ${all} points. Click the outermost points of the object in any order. Esc removes the last point.`,
  },

  colours: { class: t`Each class has its colour.`, object: t`Each object has its colour.` },

  magnifier: { on: t`Magnifier on: it follows the pointer while you draw.`, off: t`Magnifier off.` },

  light: {
    title: t`Brightness and contrast`,
    brightness: t`Brightness`,
    contrast: t`Contrast`,
    percent: (/** @type {number} */ value) => `${value} %`,
    reset: t`Reset`,
    close: t`Close`,
    changed: t`Brightness or contrast is changed`,
  },

  hidden: {
    shown: (/** @type {string} */ name) => t`Hidden: ${name}`,
    show: (/** @type {string} */ name) => t`Show ${name} again`,
  },

  palette: {
    title: t`Classes`,
    filter: t`Find a class`,
    none: t`No class matches.`,
    more: (/** @type {number} */ number) => t`${number} more match. Type more letters.`,
    shown: (/** @type {number} */ shown, /** @type {number} */ all) =>
      t`${shown} of ${all} classes. Type letters to find others.`,
    recent: t`Used last`,
    ungrouped: t`Other classes`,
  },

  inspector: {
    nothing: (/** @type {string} */ name) => t`Drag on the image to draw: ${name}.`,
    nothingCheck: t`Select an object.`,
    view: t`View`,
    flags: t`Flags`,
    parts: t`Parts`,
    actions: t`Actions`,
    point: t`reference point`,
    origin: (/** @type {string} */ tool, /** @type {string} */ place) => t`From ${tool}: ${place}`,
    ...flags,
    groupHelp: t`One box around more than ten that touch. Groups count as difficult.`,
    many: (/** @type {number} */ number) => t`${number} boxes selected`,
    manyHelp: t`Changes apply to all.`,
    mixed: t`Some of them`,
    difficultHelp: t`Organisers set this in a separate pass.`,
    proposed: t`Set automatically, because the box touches the border`,
    laidAside: (/** @type {string} */ name, /** @type {string} */ what) =>
      t`Finishing as ${name} drops: ${what}. The earlier class brings it back.`,
  },

  objects: {
    title: (/** @type {number} */ number) => count(number, t`object`, t`objects`),
    size: (/** @type {number} */ width, /** @type {number} */ height) => `${width} × ${height}`,
    verdicts: { accept: t`accepted`, reject: t`rejected` },
    letters: { truncated: "T", occluded: "O", unsure: "?", difficult: "D", group_of: "G" },
  },

  status: {
    saved: t`Saved`,
    unsaved: t`Not saved yet`,
    saving: t`Saving…`,
    offline: t`Offline. Saved on this computer; will sync`,
    busy: t`Busy. Saved on this computer; will sync`,
    signed_out: t`Signed out. Saved on this computer`,
    stale: t`Changed in another window`,
    lease_lost: t`Reassigned`,
    refused: t`The server refused this image`,
    offlineWith: (/** @type {number} */ number) =>
      t`Offline. ${count(number, t`finished image`, t`finished images`)} saved on this computer; will sync`,
    local: t`Not sent yet`,
    fleeting: t`This browser cannot keep unsent work. Keep the page open until it says Saved.`,
    left: (/** @type {number} */ number) => t`${number} left`,
    credit: (/** @type {string} */ title, /** @type {string} */ owner) =>
      [title, owner && t`by ${owner}`].filter(Boolean).join(" "),
    size: (/** @type {number} */ width, /** @type {number} */ height) => `${width} × ${height} px`,
    zoom: (/** @type {number} */ scale) => `${Math.round(scale * 100)} %`,
  },

  refusals: {
    too_small: (/** @type {number} */ minPx) =>
      t`Too small: each side of a box needs at least ${minPx} pixels.`,
    too_many: (/** @type {number} */ most) => t`This image has the maximum of ${most} objects.`,
    all_there: t`These boxes are on this image already. Delete them to copy them again.`,
    none_to_repeat: t`Draw the first box. Then you can repeat it.`,
    none_suggested: t`No suggestion is left on this image.`,
    parts_full: t`This object has the maximum number of these parts.`,
    none_selected: t`Select an object first.`,
    class_has_none: t`Objects of this class do not have that.`,
    flag_unknown: t`This party does not use that flag.`,
    no_outline: t`Draw the outline of the object first, then cut a hole into it.`,
    few_corners: t`An outline needs three corners or more.`,
    many_segments: t`An image can hold 254 objects and void regions.`,
    in_front: t`Nothing that it touches is in front of it.`,
    behind_all: t`Nothing that it touches is behind it.`,
  },

  finish: {
    title: t`Is every object marked?`,
    question: t`No other object of these classes is in the image`,
    confirm: t`Finish, next image`,
    hold: t`Release to confirm`,
    back: t`Back to the image`,
    viewless: (/** @type {number} */ number) => t`${count(number, t`object has`, t`objects have`)} no view`,
    proposed: (/** @type {number} */ number) =>
      t`${count(number, t`object was`, t`objects were`)} auto-marked truncated at the border`,
    unsure: (/** @type {number} */ number) =>
      t`${count(number, t`object is`, t`objects are`)} marked unsure for the checker`,
    undecided: (/** @type {number} */ number) =>
      t`${count(number, t`suggestion was`, t`suggestions were`)} neither accepted nor rejected, and will not be in the annotation`,
    /** Several objects of one class with the same hint. */
    grouped: (
      /** @type {number} */ number,
      /** @type {string} */ name,
      /** @type {Finding} */ { check, message },
    ) => `${number} × ${name}: ${BRIEFLY[check] ?? message}`,
    goTo: (/** @type {number} */ number) => t`Show object ${number}`,
    unsureClass: (/** @type {string} */ name) => t`Unsure of this class (for the checker): ${name}`,
    button: t`Finish`,
  },

  suggestions: {
    title: t`Suggestions`,
    left: (/** @type {number} */ number) => t`${number} left`,
    none: t`None selected`,
    done: t`All decided`,
    accept: t`Accept`,
    reject: t`Reject`,
    next: t`Next`,
    hide: t`Hide`,
    show: t`Show`,
    outdated: (/** @type {number} */ number) =>
      t`An organiser switched off the model that suggested ${count(number, t`box`, t`boxes`)} of yours. Your work is saved; look at it again.`,
  },

  problem: {
    title: t`An earlier image needs your attention`,
    lead: t`Your work on it is saved in this browser. Open the image to fix the problem.`,
    go: t`Open image`,
    later: t`Not now`,
  },

  discard: {
    title: t`Discard this image?`,
    lead: t`The image will not be in the dataset. Press the digit of the reason.`,
    empty: t`Nothing is marked.`,
    drawn: (/** @type {number} */ number) =>
      t`${count(number, t`box is`, t`boxes are`)} marked and will be kept. The next step asks you to confirm.`,
    confirm: {
      title: (/** @type {number} */ number) => t`Discard with ${count(number, t`box`, t`boxes`)}?`,
      lead: (/** @type {string} */ reason) =>
        t`Reason: ${reason}. The boxes are kept. Press A to open the image again with them.`,
      yes: t`Discard image`,
      back: t`Keep image`,
    },
    button: t`Discard`,
  },

  guide: {
    title: t`Guidelines`,
    search: t`Search the guidelines`,
    none: t`No section contains these words.`,
    close: t`Close the guidelines`,
    ofClasses: (/** @type {number} */ number) => t`Search to read the rules of ${number} classes.`,
  },

  feedback: {
    title: { true: t`Passed`, false: t`Not passed` },
    allRight: t`Everything is right.`,
    progress: (/** @type {number} */ passed, /** @type {number} */ needed) =>
      t`${passed} of ${count(needed, t`training image`, t`training images`)} passed`,
    done: t`Training is complete. From now on your work counts.`,
    next: t`Next image`,
    note: t`Note from the organiser`,
  },

  tasters: {
    title: { layout: t`Layout only`, action: t`Actions only` },
    text: {
      layout: t`Choose the people whose body parts can be seen well. Draw a box around each and around their parts. Leave everything else.`,
      action: t`Choose the people whose action can be seen well. Draw a box around each, set their actions and a point on the body. Leave everything else.`,
    },
    /** @type {Readonly<Record<import("../state/tasters.js").Lack, string>>} */
    lacks: {
      empty: t`Choose at least one person, or discard the image.`,
      class: t`On this image only people are marked. Change the class, or delete the box.`,
      parts: t`Draw at least one part of this person, or delete the box.`,
      actions: t`Set the action of this person, or delete the box.`,
      point: t`Set the point of this person, or delete the box.`,
      other_task: t`This belongs to another task. Remove the parts of this person, or the actions and the point, as the task says.`,
    },
  },

  returned: {
    title: (/** @type {string} */ checker) => t`Returned by ${checker}`,
    again: (/** @type {string} */ campaign, /** @type {string} */ person) =>
      t`Annotate again: ${campaign} (${person})`,
  },

  conflict: {
    title: t`Edited in two places`,
    lead: t`Another window of yours, or another person, saved this image after you opened it. Nothing is lost: both revisions stay in the history. Which boxes do you want to keep?`,
    mine: t`Yours, in this window`,
    theirs: t`The other one`,
    keep: t`Keep mine`,
    both: t`Keep both`,
    take: t`Use the other`,
  },

  stopped: {
    title: t`This page has stopped`,
    again: t`Reload the page`,
  },

  signedOut: {
    title: t`You are signed out`,
    lead: t`Open your personal link in another tab of this browser. Your work is saved on this computer and is sent when you are signed in again.`,
    again: t`I am signed in`,
  },

  screens: /** @type {Screens} */ ({
    loading: { title: t`One moment`, lead: t`The next image is loading.` },
    ending: {
      title: t`Waiting for the network`,
      lead: t`Your finished images are saved in this browser. They are sent when the network is back; then the next image opens. Keep this page open, or come back later.`,
      button: t`Try now`,
    },
    empty: {
      title: t`All done for now`,
      lead: t`No image is waiting. New images may appear while collecting runs.`,
      button: t`Check again`,
    },
    untrained: {
      title: t`Please ask an organiser`,
      lead: t`You have tried every training image. An organiser can approve you or add more training images.`,
      link: { text: t`Your training results`, href: "/training" },
      button: t`Check again`,
    },
    too_fast: {
      title: t`Please slow down`,
      lead: t`You finished more images in one minute than a person can look at. The next image opens after this minute.`,
      button: t`Check again`,
    },
    nothing_of_others: {
      title: t`Nothing for you to check yet`,
      lead: t`You cannot check your own work. Come back when others have finished images.`,
      button: t`Check again`,
    },
    broken: {
      title: t`This image does not open`,
      lead: t`The file cannot be shown. Try again, or skip the image.`,
      button: t`Try again`,
    },
    lease_lost: {
      title: t`Reassigned`,
      lead: t`You were away too long, so this image was reassigned to someone else. Everything you sent is saved.`,
      button: t`Next image`,
    },
    taken: {
      title: t`This image cannot be opened again`,
      lead: t`Someone else has it open, or it is already checked.`,
      button: t`Next image`,
    },
    no_server: {
      title: t`Cannot reach the server`,
      lead: t`The server does not answer. This page tries again automatically.`,
      button: t`Try now`,
    },
    signed_out: {
      title: t`You are signed out`,
      lead: t`Open your personal link again, then come back to this page.`,
      button: t`I am signed in`,
    },
  }),

  skip: t`Skip, next image`,

  notices: {
    otherWindow: t`This image is open in another window too. Close one of them.`,
    copied: t`Copied. Ctrl+V adds a copy, also on the next image.`,
    restored: t`Your unsent work is restored.`,
    shows: (/** @type {string} */ name) => t`Seen on this image: ${name}.`,
    confirmed: (/** @type {number} */ number) =>
      t`${count(number, t`box`, t`boxes`)} here already, confirmed by two people. Draw the rest.`,
    seenMore: (/** @type {string} */ names) => t`Seen without a box: ${names}.`,
    sentEarlier: (/** @type {number} */ number) =>
      t`${count(number, t`earlier image was`, t`earlier images were`)} sent from this browser.`,
    keptBeside: (/** @type {number | null} */ id) =>
      id === null ? t`Your version is kept.` : t`Your version is kept as revision ${id}.`,
    discarded: (/** @type {string} */ reason) =>
      t`Discarded: ${reason}. To bring it back, draw a box and finish the image.`,
    eventCopied: (/** @type {number} */ number, /** @type {number} */ id) =>
      t`${count(number, t`box`, t`boxes`)} copied from image ${id}. Adjust each one.`,
    eventNone: t`Your images before this one show no other moment of the same event.`,
    noPrevious: t`There is no previous image.`,
    historyLater: t`The server does not answer. Open the history again when it is back.`,
    previousLater: t`The server does not answer. Open earlier images again when it is back.`,
    removed: (/** @type {string} */ name) => t`Deleted: ${name}. Ctrl+Z restores it.`,
    removedMany: (/** @type {number} */ number) => t`${number} boxes deleted. Ctrl+Z restores them.`,
    pointMissing: t`Set the reference point: press P, then click the person. Without it, the action lists leave this person out.`,
    rejectedFirst: t`Select an object first.`,
  },

  regions: {
    rail: t`Tools`,
    stage: t`Image`,
    stageHelp: t`Drag to draw a box. Without a pointer, press W, then set two corners with the arrow keys and Enter. Press the question mark for all keyboard shortcuts.`,
    panel: t`Classes and objects`,
    status: t`Status`,
    guide: t`Guidelines`,
  },

  rail: { home: t`Home` },
};
