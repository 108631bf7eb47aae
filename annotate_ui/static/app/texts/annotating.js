/** The annotation page. */

import { count } from "./count.js";

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

  magnifier: {
    on: "The magnifier stands beside the pointer while you draw.",
    off: "No magnifier.",
  },

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

  palette: {
    title: "Classes",
    filter: "Find a class",
    none: "No class has these letters.",
  },

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
      `${count(number, "object is", "objects are")} marked; saved revisions stay in the record.`,
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
