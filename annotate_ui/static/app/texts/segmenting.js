/** The segmentation pages: outlines, proposals, finishing and checking. */

import { count } from "./annotating.js";

export const segmenting = {
  segment: {
    noPixels: "It has no visible pixels.",
    outside: (/** @type {number} */ px) => `It reaches ${count(px, "pixel", "pixels")} out of its box.`,
    differs: (/** @type {number} */ share) => `It differs from its box by ${Math.round(share * 100)} % of a side.`,
    crossed: "Its outline crosses itself; look at what is filled.",
    said: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ comment) => `${number} ${name}: ${comment}`,
    proposing: "Computing an outline from the box…",
    noProposal: "The server does not answer, so there is no proposal. Draw the outline, or try again.",
    proposeFirst: "Select an object first; its box is what the proposal starts from.",
    now: {
      draw: (/** @type {string} */ name) => `Outline the ${name}: click its corners or drag along its edge. Enter closes.`,
      open: (/** @type {number} */ corners) => `${count(corners, "corner", "corners")}. Enter closes the outline, Delete takes the last corner back.`,
      piece: "Outline another piece of the object. Enter closes.",
      hole: "Outline the hole. Enter closes and cuts it out.",
      brush: (/** @type {number} */ px) => `Brush, ${px} px wide. Drag to add pixels; [ and ] change the width.`,
      eraser: (/** @type {number} */ px) => `Eraser, ${px} px wide. Drag to take pixels away; [ and ] change the width.`,
      drawn: "Drawn. Drag a corner to move it, an edge to add one. Enter goes on to the next object.",
      proposal: "Enter accepts the proposal, Esc drops it. Drag over what belongs to the object; S for what does not.",
      removing: "Enter accepts the proposal, Esc drops it. Drag over what does not belong to the object; S for what does.",
      nothing: "Select an object in the list, or click it.",
    },
    pointer:
      "Click: set a corner. Drag: draw freehand. Click the first corner: close. Then drag a corner to move it, drag an edge to " +
      "add one, click another object to select it; Ctrl and a click always selects. Wheel: zoom at the pointer. " +
      "Space and drag, or the middle button: move the image.",
    propose: "Propose outline",
    voids: "Add void region",
    finish: {
      title: "Finish this image?",
      clean: "Every object is drawn and fits its box.",
      lead: "Please look at these before you finish:",
      goTo: (/** @type {number} */ number) => `Show object ${number}`,
      confirm: "Finish, next image",
      anyway: "Finish anyway",
      back: "Back to the image",
      open: "An outline is not closed yet. Press Enter to close it, or Esc to drop it.",
    },
    screens: /** @type {import("./annotating.js").Screens} */ ({
      nothing_to_segment: {
        title: "No image is waiting to be segmented",
        lead: "All chosen images are drawn or taken. An organiser chooses more with “vocparty segment choose”.",
        button: "Look again",
        link: { text: "Annotate boxes instead", href: "/annotate" },
      },
      nothing_drawn: {
        title: "No segmentation is waiting to be checked",
        lead: "Segmentations appear here when another person has finished them.",
        button: "Look again",
        link: { text: "Segment an image yourself", href: "/segment" },
      },
    }),
    regions: {
      stageHelp: "Click corners or drag along the object's edge. Without a pointer: arrow keys move a cross, C sets a corner, Enter closes.",
    },
    commands: /** @type {Record<string, string>} */ ({
      "outline.close": "Close the outline, accept a proposal, or go on to the next object",
      "outline.corner": "Set a corner at the cross",
      "piece.add": "Add a piece to the object",
      "hole.cut": "Cut a hole",
      brush: "Brush, on or off",
      eraser: "Eraser, on or off",
      "brush.smaller": "Narrower brush",
      "brush.larger": "Wider brush",
      "void.new": "Add a void region: a crowd, or what no one can identify",
      propose: "Propose an outline from the box",
      "propose.switch": "Proposal: strokes add or remove",
      "corner.remove": "Delete the last or the selected corner, else the object's outline",
      "corner.next": "Select the next corner",
      "corner.previous": "Select the previous corner",
      "depth.forward": "Bring the object forward",
      "depth.back": "Send the object backward",
      "show.masks": "Show or hide masks",
    }),
    arrows: /** @type {Record<string, string>} */ ({
      cross: "Move the selected corner, or the cross, by 1 px",
      cross10: "Move the selected corner, or the cross, by 10 px",
    }),
  },
};
