/** Commands, their keys, and the help. */

import { t } from "../translate.js";

const [homeKey, endKey] = t`Home, End`.split(", ");

/** The keys whose names depend on the language. A key with another is followed by a blank. */
const keyNames = {
  Ctrl: `${t`Ctrl`} `,
  Space: t`Space`,
  Delete: t`Del`,
  PageUp: t`PageUp`,
  PageDown: t`PageDown`,
  Home: homeKey,
  End: endKey,
};

export const keys = {
  keyNames,

  view: (/** @type {string} */ display) => t`View: ${display}`,
  commands: /** @type {Record<string, string>} */ ({
    "box.new": t`New box (drag, two clicks, or arrow keys and Enter)`,
    "corner.set": t`Set a corner. Without a tool: find a class by name`,
    "box.remove": t`Delete the selected box`,
    "box.copy": t`Copy the selected box`,
    "box.paste": t`Paste the box with its class, view, flags and actions`,
    "box.repeat": t`Repeat the box: each click adds one like it, a drag a row of them`,
    undo: t`Undo`,
    redo: t`Redo`,
    "step.back": t`Cancel / deselect`,
    "draw.mode": t`Drawing mode: drag, two clicks, four points`,
    "side.switch": t`Select the other two sides`,
    "object.next": t`Next object`,
    "object.previous": t`Previous object`,
    "object.below": t`The box below the selected one`,
    "object.above": t`The box above the selected one`,
    "flag:truncated": t`Truncated`,
    "flag:occluded": t`Occluded`,
    "flag:unsure": t`Unsure (for the checker)`,
    "flag:group_of": t`Group: one box around more than ten that touch`,
    "point.set": t`Set the reference point`,
    "class.filter": t`Find a class by name`,
    "zoom.in": t`Zoom in`,
    "zoom.out": t`Zoom out`,
    "zoom.fit": t`Whole image`,
    "zoom.actual": t`Actual size`,
    "zoom.object": t`Zoom to the selected box, and back`,
    "show.boxes": t`Hide or show boxes`,
    "show.labels": t`Hide or show labels`,
    "colours.switch": t`Own colour for each object, on or off`,
    "suggestion.accept": t`Accept the suggestion, next suggestion. The key of a view does the same, with the view`,
    "suggestion.reject": t`Reject the suggestion, next suggestion`,
    "suggestion.show": t`Hide or show suggestions`,
    "event.copy": t`Copy the boxes of the previous image of the same event`,
    "class.hide": t`Hide or show the boxes of this class`,
    magnifier: t`Magnifier while drawing, on or off`,
    "light.show": t`Brightness and contrast`,
    "light.brighter": t`Brighter`,
    "light.darker": t`Darker`,
    "light.harder": t`More contrast`,
    "light.softer": t`Less contrast`,
    "light.reset": t`Reset brightness and contrast`,
    guidelines: t`Guidelines`,
    help: t`Keyboard shortcuts`,
    "image.finish": t`Finish: hold to confirm the list, or tap and press Enter`,
    "image.verify": t`Show the list of classes, then finish`,
    "image.previous": t`Previous image`,
    "image.history": t`History: all revisions of this image`,
    "image.discard": t`Discard the image, with a reason`,
    "image.unwanted": t`Discard the image: no wanted class`,
    "finding.wrong": t`Finding: false alarm`,
    "finding.right": t`Finding: real problem`,
    "verdict.accept": t`Accept the object, next object`,
    "verdict.reject": t`Reject the object, with a comment`,
    "verdict.remark": t`Accept the object with a note to its author`,
  }),

  arrows: /** @type {Record<string, string>} */ ({
    nudge: t`Move the box by 1 px`,
    nudge10: t`Move the box by 10 px`,
    leap: t`Move the box by a tenth of the image`,
    side: t`Move the selected side by 1 px; hold to go faster. While drawing: crosshair to the border`,
    other: t`Move the opposite side`,
  }),

  groups: /** @type {Record<string, string>} */ ({
    draw: t`Draw`,
    suggest: t`Suggestions`,
    object: t`Attributes`,
    class: t`Classes`,
    part: t`Parts of the selected person`,
    action: t`Actions of the selected person`,
    select: t`Select`,
    correct: t`Adjust by keyboard`,
    see: t`View`,
    image: t`Image`,
  }),

  maps: { labelimg: t`labelImg style`, cvat: t`CVAT style` },

  help: {
    title: t`Keyboard shortcuts`,
    close: t`Close`,
    map: t`Preset`,
    change: (/** @type {string} */ what) => t`Change the shortcut for: ${what}`,
    hint: t`Click a shortcut to change it.`,
    press: t`press a key`,
    reset: t`Reset shortcuts`,
    changed: (/** @type {string} */ what, /** @type {string} */ key) => t`${key} is now: ${what}.`,
    obstacles: {
      reserved: (/** @type {string} */ key) => t`The browser or the system uses ${key}. Choose another key.`,
      deletes: () => t`A single letter must not delete. Add Ctrl, or choose another key.`,
      taken: (/** @type {string} */ key, /** @type {string} */ what) =>
        t`${key} is already used for: ${what}. Change that shortcut first.`,
    },
    pointer: t`Wheel: zoom. Space and drag, or middle button: move the image. Click: select. Click again: select the box below. Drag a handle: resize. Drag the outline: move. Ctrl and click: select in every drawing mode. Shift and click, or Shift and drag: select several.`,
  },
};
