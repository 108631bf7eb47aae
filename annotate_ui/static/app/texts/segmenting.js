/** The segmentation pages: outlines, proposals, finishing and checking. */

import { t } from "../translate.js";
import { count } from "./words.js";

export const segment = {
  noPixels: t`No visible pixels.`,
  outside: (/** @type {number} */ px) => t`Extends ${count(px, t`pixel`, t`pixels`)} beyond its box.`,
  differs: (/** @type {number} */ share) =>
    t`Differs from its box by ${Math.round(share * 100)} % of a side.`,
  crossed: t`The outline crosses itself. Check what is filled.`,
  said: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ comment) =>
    `${number} ${name}: ${comment}`,
  voidRegion: t`void region`,
  difficultVoid: t`Difficult: released as void. A rough outline is enough.`,
  proposing: t`Computing an outline from the box…`,
  noProposal: t`The server does not answer, so there is no proposal. Draw the outline, or try again.`,
  proposeOnDrawn: t`This object has an outline already, and a proposal never replaces what was drawn. Delete the outline first.`,
  uncertain: t`Uncertain: the proposal is nearly the whole box, or leaves little of it. Look closely, or draw it yourself.`,
  proposeFirst: t`Select an object first. The proposal starts from its box.`,
  noEdges: t`The edges of the picture could not be read, so lines are straight. Reload the page to try again.`,
  now: {
    draw: (/** @type {string} */ name) =>
      t`Outline the ${name}: click its corners or drag along its edge. Enter closes.`,
    open: (/** @type {number} */ corners) =>
      t`${count(corners, t`corner`, t`corners`)}. Enter closes the outline. Delete removes the last corner.`,
    wireStart: (/** @type {string} */ name) =>
      t`Click on the edge of the ${name}, then move along it: the line follows the edge.`,
    wire: t`The line follows the edge. A click fixes it, Esc takes the last piece back, Enter closes. W: straight lines.`,
    piece: t`Outline another piece of the object. Enter closes.`,
    hole: t`Outline the hole. Enter closes and cuts it out.`,
    brush: (/** @type {number} */ px) =>
      t`Brush, ${px} px wide. Drag to add pixels; [ and ] change the width.`,
    eraser: (/** @type {number} */ px) =>
      t`Eraser, ${px} px wide. Drag to remove pixels; [ and ] change the width.`,
    drawn: t`Drawn. Drag a corner to move it, or an edge to add one. Enter selects the next object.`,
    proposal: t`Enter accepts the proposal, Esc drops it. Drag over the parts that belong to the object. S switches to removing.`,
    removing: t`Enter accepts the proposal, Esc drops it. Drag over the parts that do not belong to the object. S switches to adding.`,
    click: (/** @type {string} */ name) =>
      t`Click on the ${name}: the model proposes its outline. Shift and click on what does not belong to it.`,
    clicked: t`Proposed by the model. Click to add to it, Shift and click to take away. Enter accepts it, Esc rejects it; a drag accepts it and adds pixels. S switches to removing.`,
    clickedRemoving: t`Proposed by the model. Click on what does not belong to it. Enter accepts it, Esc rejects it; a drag accepts it and removes pixels. S switches to adding.`,
    suggested: t`Suggested by a model. Enter accepts it, Esc rejects it. Drag to accept and add pixels. S switches to removing.`,
    suggestedRemoving: t`Suggested by a model. Enter accepts it, Esc rejects it. Drag to accept and remove pixels. S switches to adding.`,
    nothing: t`Select an object in the list, or click it.`,
  },
  pointer: t`Click: set a corner. Drag: draw freehand. Click the first corner: close. Then: drag a corner to move it, drag an edge to add one, click another object to select it; Ctrl and click always selects. Wheel: zoom. Space and drag, or the middle button: move the image.`,
  propose: t`Propose outline`,
  model: {
    click: t`Outline by clicks`,
    none: t`The party has no model that outlines what is clicked on.`,
    notReady: t`The model has not looked at this image yet; draw it by hand meanwhile.`,
    nothing: t`The model outlines nothing there. Click again, or draw it by hand.`,
    preparing: (/** @type {string} */ name) =>
      t`${name} is looking at this image. Draw by hand, or wait a moment.`,
    slow: (/** @type {string} */ name) =>
      t`${name} is slow on this server and still looking. Draw by hand; nothing waits for it.`,
    ready: (/** @type {string} */ name) => t`${name} is ready to outline what you click on.`,
    failed: (/** @type {string} */ name, /** @type {string} */ reason) =>
      t`${name} gives no outlines here: ${reason}`,
  },
  voids: t`Add void region`,
  finish: {
    title: t`Finish this image?`,
    clean: t`Every object is drawn and fits its box.`,
    lead: t`Please look at these before you finish:`,
    anyway: t`Finish anyway`,
    open: t`An outline is not closed yet. Press Enter to close it, or Esc to drop it.`,
  },
  screens: /** @type {import("./annotating.js").Screens} */ ({
    nothing_to_segment: {
      title: t`No image is waiting to be segmented`,
      lead: t`All chosen images are drawn or open. An organiser chooses more with “vocparty segment choose”.`,
      button: t`Check again`,
      link: { text: t`Annotate boxes instead`, href: "/annotate" },
    },
    nothing_drawn: {
      title: t`No segmentation is waiting to be checked`,
      lead: t`Segmentations appear here when another person has finished them.`,
      button: t`Check again`,
      link: { text: t`Segment an image yourself`, href: "/segment" },
    },
  }),
  regions: {
    stageHelp: t`Click corners or drag along the object's edge. Without a pointer: arrow keys move a crosshair, C sets a corner, Enter closes.`,
  },
  commands: /** @type {Record<string, string>} */ ({
    "outline.close": t`Close the outline, accept a proposal, or select the next object`,
    "outline.corner": t`Set a corner at the crosshair`,
    wire: t`Follow edges (live-wire), on or off`,
    "piece.add": t`Add a piece to the object`,
    "hole.cut": t`Cut a hole`,
    brush: t`Brush, on or off`,
    eraser: t`Eraser, on or off`,
    "brush.smaller": t`Narrower brush`,
    "brush.larger": t`Wider brush`,
    "void.new": t`Add a void region (a crowd, or something unrecognisable)`,
    propose: t`Propose an outline from the box`,
    "propose.switch": t`Proposal: switch between adding and removing strokes`,
    "model.click": t`Outline by clicks with the party's model, on or off`,
    "corner.remove": t`Delete the selected or last corner, otherwise the outline`,
    "corner.next": t`Select the next corner`,
    "corner.previous": t`Select the previous corner`,
    "depth.forward": t`Bring the object forward`,
    "depth.back": t`Send the object backward`,
    "show.masks": t`Show or hide masks`,
  }),
  arrows: /** @type {Record<string, string>} */ ({
    cross: t`Move the selected corner or the crosshair by 1 px`,
    cross10: t`Move the selected corner or the crosshair by 10 px`,
  }),
};
