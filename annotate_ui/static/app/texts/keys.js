/** What keys do, and how they are told. */

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

  rail: {
    home: "To the first page",
  },

  commands: /** @type {Record<string, string>} */ ({
    "box.new": "New box: drag, or two clicks, or arrow keys and Enter",
    "corner.set": "Set a corner; without a tool, find a class by name",
    "box.remove": "Delete the selected box",
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
    mend: "Mend by keyboard",
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
