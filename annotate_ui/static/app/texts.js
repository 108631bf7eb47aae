/** Every word that the pages say to people, in one place, so that they can be translated. */

/**
 * @param {number} count
 * @param {string} one
 * @param {string} many
 */
const count = (count, one, many) => `${count} ${count === 1 ? one : many}`;

export const texts = {
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
    side: "Move the marked side by 1 px; held, faster",
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

  drawing: {
    chosen: {
      drag: "Drawing by dragging. A click selects.",
      clicks: "Drawing by two clicks, corner and corner. Ctrl and a click selects.",
      extremes: "Drawing by four points: top, left, bottom, right of the object, in any order. Ctrl and a click selects.",
    },
    short: { drag: "drag", clicks: "two clicks", extremes: "four points" },
    corner: "Now the opposite corner. Esc takes it back.",
    byKeys: "Arrow keys move the cross, with Shift by 10 pixels. Enter sets a corner.",
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

  wanted: {
    title: "Wanted now",
    button: "None of them: discard",
    none: "None of the wanted classes is marked",
    off: "Every class is wanted at the moment.",
    marked: (/** @type {number} */ number) =>
      `${count(number, "object", "objects")} of the wanted classes marked: the image stays.`,
    discarded: "Discarded: none of the wanted classes. The key for the image before brings it back.",
  },

  plan: {
    title: "The queue",
    lead: "What is set here holds from the next image on that anybody is given.",
    first: "What comes first",
    rest: "then every other image, at random",
    returned: "Work that a checker returned, to its author",
    ofClass: (/** @type {string} */ name, /** @type {number} */ waiting) =>
      `Class ${name}: images of its queries (${waiting} waiting)`,
    ofQuery: (/** @type {string} */ keyword, /** @type {number} */ waiting) =>
      `Query "${keyword}" (${waiting} waiting)`,
    choose: "A set of images",
    add: "Add",
    raise: "Earlier",
    remove: "Remove",
    wanted: "Rare-class mode",
    mode: (/** @type {number} */ number) =>
      number === 0
        ? "Off: every class is wanted. Tick classes to switch it on."
        : `On: ${count(number, "class is", "classes are")} wanted. Images without one are discarded by one key.`,
    supply: (/** @type {number} */ objects, /** @type {number} */ waiting) =>
      `${count(objects, "object", "objects")}, ${waiting} waiting`,
    save: "Save",
    saved: "Saved.",
    unsaved: "Not saved yet.",
    noServer: "The server does not answer; nothing is lost here, try again.",
    conflict: "Somebody else changed the queue in between. Save once more to put yours in its place.",
    newest: "As it is now",
    newestFirst: (/** @type {string[]} */ sets) => `First: ${sets.join(", ") || "nothing in particular"}.`,
    newestWanted: (/** @type {string[]} */ names) => `Wanted: ${names.join(", ") || "every class"}.`,
    take: "Take it over",
  },

  editor: {
    title: "Edit the guidelines",
    lead:
      "Markdown. A heading with a class's name begins what the page shows on top while that class is " +
      "selected. People at work have the new text with their next image.",
    label: "The guidelines as Markdown",
    preview: "Preview",
    save: "Save",
    saved: "Saved.",
    unsaved: "Not saved yet.",
    noServer: "The server does not answer; your text stays here, try again.",
    conflict: "Somebody else saved in between. Save once more to put your text on top of theirs; both are kept.",
    theirs: "The newest version",
    take: "Take the newest",
    versions: "Versions",
    version: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ at) =>
      `Version ${number} by ${name}, ${at}`,
    preset: "What the party came with",
    open: "Open",
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
    empty: "Nothing is marked. Discard the image, with the reason that fits best?",
    drawn: (/** @type {number} */ number) =>
      `${count(number, "object is", "objects are")} marked; saved revisions stay in the record.`,
    back: "Back to the image",
    button: "Discard",
  },

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

  guide: {
    title: "Guidelines",
    search: "Search the guidelines",
    none: "Nothing there has these words.",
    close: "Close the guidelines",
  },

  clusters: {
    title: "Near-duplicates",
    waiting: (/** @type {number} */ clusters) =>
      clusters ? `${count(clusters, "cluster", "clusters")} to look at, the most doubtful first` : "nothing left to look at",
    kept: "kept",
    other: { duplicate: "put aside", same_event: "same event", collage: "collage" },
    relations: {
      duplicate: "Held to be one photograph",
      same_event: "Held to be of one event",
      collage: "Held to be a collage with it",
    },
    image: (/** @type {number} */ id) => `image ${id}`,
    pair: (/** @type {number} */ kept, /** @type {number} */ other) => `${kept} and ${other}`,
    states: /** @type {Record<string, string>} */ ({
      pool: "in the pool",
      hashed: "to be matched again",
      duplicate: "near-duplicate",
    }),
    missing: "The file is missing.",
    doubt: (/** @type {number} */ doubt) => `doubt ${doubt.toFixed(2)}`,
    similarity: (/** @type {number} */ value) => `similarity ${value.toFixed(2)}`,
    distances: (/** @type {number} */ of64, /** @type {number} */ of256) =>
      `${of64}/64 and ${of256}/256 bits apart`,
    how: (/** @type {string} */ how, /** @type {boolean} */ isPerson) =>
      isPerson ? "decided by a person" : `by ${how}`,
    view: "How to look at them",
    modes: { side: "Side by side", flicker: "Flicker", difference: "Difference", cluster: "Cluster" },
    hints: {
      flicker: "Both in one frame, in turn; Space shows the other one.",
      difference: "Black where both agree, brightened two and a half times.",
    },
    gap: (/** @type {number} */ secs) =>
      secs < 90 ? `${Math.round(secs)} s apart` : `${Math.round(secs / 60)} min apart`,
    members: (/** @type {number} */ shown, /** @type {number} */ more) =>
      more ? `${shown} of ${shown + more} images` : count(shown, "image", "images"),
    more: (/** @type {number} */ pairs) => `${pairs} more come when these are looked at.`,
    filters: {
      showLabel: "Which decisions",
      relationLabel: "Of which relation",
      show: { waiting: "To look at", seen: "Looked at", split: "Split", all: "All that hold" },
      relation: {
        any: "Any relation",
        duplicate: "One photograph",
        same_event: "Same event",
        collage: "Collage",
      },
    },
    credits: {
      none: "Nothing is known of where it came from.",
      noOwner: "owner unknown",
      noLicence: "licence unknown",
      taken: (/** @type {string} */ at) => `taken ${at}`,
      notTaken: "time of taking unknown",
      uploaded: (/** @type {string} */ day) => `uploaded ${day}`,
      page: (/** @type {string} */ source) => `source: ${source}`,
      more: (/** @type {number} */ photos) => `and ${count(photos, "more photo", "more photos")}`,
    },
    say: {
      duplicate: "One photograph",
      same_event: "Same event",
      collage: "Collage",
      different: "Split",
    },
    said: {
      duplicate: "one photograph",
      same_event: "same event",
      collage: "collage",
      different: "split",
    },
    done: {
      duplicate: "Saved: one photograph.",
      same_event: "Saved: of one event; both stay, and always in one set.",
      collage: "Saved: a collage; both stay.",
      different: "Split: the next vocparty dedup puts the image back into the pool.",
    },
    confirmAll: (/** @type {number} */ pairs) => `Confirm all ${pairs}`,
    doneAll: (/** @type {number} */ pairs) => `Confirmed: ${count(pairs, "pair", "pairs")}.`,
    undone: "Taken back.",
    back: "Back",
    on: "Next",
    undo: "Undo",
    keys: "Keys",
    help: {
      title: "Keys",
      close: "Close",
      keys: /** @type {readonly (readonly [string, string])[]} */ ([
        ["C", "confirm: it is what the rules say"],
        ["S", "split: the two have nothing to do with one another"],
        ["E", "the other word: same event for a copy, one photograph for a link"],
        ["⇧C", "confirm all that is left of the cluster"],
        ["Z U", "take the last word back, and the one before it"],
        ["→ ↓ J", "the next pair"],
        ["← ↑ K", "the pair before"],
        ["1", "side by side"],
        ["2", "flicker; Space shows the other image"],
        ["3", "difference"],
        ["4", "the whole cluster"],
        ["F", "choose what is shown"],
        ["?", "these keys"],
      ]),
    },
    precisionTitle: "Right so far",
    noPrecision: "Nobody has looked yet.",
    precision: (
      /** @type {{relation: string, confirmed: number, looked_at: number, low: number, high: number}} */ it,
    ) =>
      `${it.relation.replace("_", " ")}: ${it.confirmed} of ${it.looked_at} ` +
      `(${Math.round(it.low * 100)} to ${Math.round(it.high * 100)} %)`,
    noAnswer: "The server does not answer; press the key again in a moment.",
    noServer: {
      title: "The clusters cannot be shown",
      lead: "The server does not answer. Nothing that was said is lost.",
    },
    again: "Try again",
    noneSuch: {
      title: "None of these",
      lead: "No cluster is like that. Choose something else at the left.",
    },
    none: {
      title: "No near-duplicates",
      lead: "vocparty dedup has put nothing together yet. Run it after collecting; its doubtful decisions come here.",
    },
    allSeen: {
      title: "All looked at",
      lead: "Somebody has looked at every decision. What vocparty dedup decides next comes here.",
    },
  },

  findings: {
    title: "Findings",
    lead: "What the automatic checks found. Say of each whether it is right.",
    all: "All",
    right: "Right",
    wrong: "Wrong",
    open: "Open to mend",
    said: { right: "right", wrong: "wrong", mended: "mended" },
    switch: "Check is on",
    takenBack: "Taken back.",
    nothingToTakeBack: "Nothing to take back.",
    undo: "Undo",
    gold: "Make it gold",
    more: (/** @type {number} */ number) => `Show more (${number} of them are here)`,
    meanwhile: (/** @type {string | null} */ name, /** @type {string | null} */ verdict) =>
      verdict === "mended"
        ? "It was mended meanwhile."
        : `${name ?? "Somebody"} ${verdict === null ? "took a verdict back" : `said ${verdict}`} meanwhile; press the key again to say otherwise.`,
    turnedOff: (/** @type {string} */ name) => `${name} is off from now on.`,
    turnedOn: (/** @type {string} */ name) => `${name} is on; vocparty qa runs it over everything.`,
    precision: (/** @type {import("./types.js").CheckRow} */ { right, wrong, mended, precision }) =>
      precision === null
        ? "nobody judged it yet"
        : `${right + mended} of ${right + mended + wrong} right (${Math.round(precision[1] * 100)} to ` +
          `${Math.round(precision[2] * 100)} %)`,
    none: {
      title: "No open findings",
      lead: "The checks run when work is finished; run vocparty qa to check the whole party now.",
    },
    noneHere: { title: "Nothing open here", lead: "Choose another check, or another severity." },
    noAnswer: "The server does not answer; press the key again in a moment.",
  },

  difficult: {
    title: "Difficult",
    lead: "Judge each object by its crop alone: a class in one sitting, the smallest first.",
    left: (/** @type {number} */ number) => `${number} left`,
    toggle: "Difficult",
    isDifficult: "difficult",
    changed: "changed since",
    judged: (/** @type {number} */ number) => (number === 1 ? "Judged, next" : `Judged all ${number}, next`),
    grid: "Grid",
    oneByOne: "One by one",
    size: (/** @type {[number, number]} */ [wide, high]) => `${wide} × ${high} px`,
    heldBy: (/** @type {string} */ name) => `with ${name}`,
    saved: (/** @type {number} */ number) => `${count(number, "object", "objects")} judged.`,
    late: (/** @type {number} */ number) =>
      `${count(number, "object was", "objects were")} changed or removed meanwhile; the others are judged.`,
    taken: "Another organiser took this class meanwhile.",
    choose: { title: "Choose a class", lead: "It is yours until you leave it, so that one person judges it all." },
    classDone: { title: "This class is done", lead: "Objects that somebody changes come back. Choose another class." },
    none: { title: "Nothing to judge", lead: "Objects come here as soon as their image is annotated." },
    noAnswer: "The server does not answer; press the key again in a moment.",
  },

  review: {
    by: (/** @type {string} */ name) => `drawn by ${name}`,
    unsureClass: (/** @type {string} */ name) => `The author was unsure of this class: ${name}`,
    unsureOf: (/** @type {string} */ names) => `The author was unsure whether there is more of: ${names}`,
    accept: "Accept",
    reject: "Reject",
    remarked: "Remark",
    comment: "What is wrong with it?",
    remarkOn: "A remark to its author; the object is accepted",
    remarks: (/** @type {number} */ number) => `Its author is told ${count(number, "remark", "remarks")}.`,
    commentDone: "Enter: on to the next",
    looked: (/** @type {number} */ done, /** @type {number} */ all) => `${done} of ${all} looked at`,
    finish: "Verdict",
    question: "Is every object of the classes marked?",
    yes: "Yes, everything is there",
    no: "No, something is missing",
    outcome: {
      accept: "The image is accepted as it is.",
      mended: "Your mended revision is accepted; the author's stays in the record.",
      returned: "The image goes back to its author, with your comments.",
    },
    mendsStay: "What you mended is not sent with a returned image; it stays out.",
    words: "Say what is missing or wrong",
    unjudged: (/** @type {number} */ number) => `${count(number, "finding", "findings")} not judged`,
    wordsNeeded: "A returned image needs a word for its author.",
    send: { accept: "Accept and go on", mended: "Save the mended and go on", returned: "Return" },
    hold: "Let go to accept",
    back: "Back to the image",
  },

  found: {
    title: { right: "The check is right; mend it", wrong: "The check is wrong; it goes" },
    right: "right",
    wrong: "wrong",
    /** @type {Readonly<Record<string, string>>} */
    severity: { error: "Error", warning: "Warning", hint: "Hint" },
    elsewhere: (/** @type {number} */ number) => `${count(number, "more", "more")} at other objects`,
    none: "No finding waits on this image.",
    unsaid: "The server does not answer; say it again in a moment.",
  },

  hints: {
    number: (/** @type {number} */ number) => count(number, "hint", "hints"),
    line: (/** @type {string} */ severity, /** @type {string} */ about, /** @type {string} */ message) =>
      `${severity}${about && `, ${about}`}: ${message}`,
    about: (/** @type {number} */ number, /** @type {string} */ name) => `object ${number} (${name})`,
  },

  rounds: {
    title: "Said before",
    said: (/** @type {string} */ checker, /** @type {string} */ verdict) =>
      `${checker} ${{ returned: "returned it", mended: "mended it" }[verdict] ?? "accepted it"}`,
    settle: "It went back as often as is allowed: your word settles it.",
  },

  disputes: {
    title: "Disputes",
    lead: (/** @type {number} */ most) =>
      `What went back ${count(most, "time", "times")} waits for an organiser's word: accept it, mend it, or return it once more.`,
    settle: "Settle",
    back: "Go on settling",
    /** @type {Readonly<Record<string, string>>} */
    state: {
      annotated: "waits for you",
      checking: "being settled",
      returned: "with its author, once more",
      annotating: "with its author, once more",
    },
    own: "yours to draw, so another organiser's to settle",
    holder: (/** @type {string} */ name) => `with ${name}`,
    drawn: (/** @type {string} */ name) => `drawn by ${name}`,
    none: { title: "Nothing is disputed", lead: "Images come here that went back and forth too often." },
    noServer: "The server does not answer; the page tries again by itself.",
  },

  gold: {
    title: "Gold and training images",
    lead: "Gold comes unseen between other images; training images are passed first.",
    choose: "Make it gold",
    button: "Gold…",
    isGold: "It is a gold image from now on.",
    isTraining: "It is a training image from now on.",
    chosen: { gold: "Gold", training: "Training" },
    kinds: {
      gold: "Gold: mixed unseen into everybody's work",
      training: "Training: given to new people before they begin",
    },
    note: "A note (trainees read it afterwards)",
    save: "Save",
    cancel: "Cancel",
    end: "End",
    sure: "Sure?",
    edit: "Change",
    refresh: "Take the newest",
    changed: "saved since; the reference is older",
    by: (/** @type {string} */ name) => `chosen by ${name}`,
    imageTitle: (/** @type {number} */ id) => `Image ${id}`,
    noObjects: "Nobody finished this image with objects, so nothing could be the reference.",
    passed: (/** @type {number} */ passed, /** @type {number} */ all) =>
      all === 0 ? "nobody had it yet" : `${passed} of ${all} passed`,
    answer: (/** @type {import("./state/gold.js").GoldAnswer} */ one) =>
      `${one.person.name} found ${one.found} of ${one.objects}${one.drawn > one.found ? `, drew ${one.drawn}` : ""}`,
    none: "None yet. Choose one from the wall, the findings or the checking page.",
    saved: "Saved.",
    ended: "Ended; the answers so far stay.",
    trainees: "Waiting to begin",
    noTrainees: "Nobody is in training.",
    trainee: (/** @type {import("./state/gold.js").TraineeRow} */ one) =>
      `${one.passed} of ${one.needed} passed${one.failed ? `, ${one.failed} not` : ""}`,
    stuck: "no image left to try",
    letBegin: "Let begin",
    letIn: (/** @type {string} */ name) => `${name} may begin now.`,
    asked: "Training images to pass first",
    tooFew: (/** @type {number} */ needed, /** @type {number} */ offered) =>
      needed > offered
        ? `There are only ${count(offered, "training image", "training images")}, so no more are asked for; whoever fails one waits for you.`
        : needed === offered && needed > 0
          ? "Whoever fails one has none left to try and waits for you; a few more images help."
          : "",
    share: "Share of gold in everybody's work (%)",
    people: "How people did on gold images",
    noPeople: "Nobody had a gold image yet.",
    heads: ["", "images", "passed", "found of what is there", "right of what was drawn"],
    stale: "Somebody else changed it meanwhile; this is what holds now.",
    noServer: "The server does not answer; try again in a moment.",
  },

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
    noPrevious: "There is no image before this one.",
    previousLater: "The server does not answer: earlier images can be opened when it is back.",
    removed: (/** @type {string} */ name) => `Deleted: ${name}. Ctrl Z brings it back.`,
    rejectedFirst: "Select an object first.",
  },

  board: {
    title: "The party now",
    images: "Images on their way",
    live: (/** @type {string} */ clock, /** @type {number} */ perHour) =>
      `${clock} · ${perHour < 10 ? perHour.toFixed(1) : Math.round(perHour)} images an hour in the last hours of work`,
    noServer: "The server does not answer; the numbers are those of the last answer.",
    steps: /** @type {Record<string, string>} */ ({
      pool: "in the pool",
      leased: "in people's hands",
      annotated: "to be checked",
      returned: "returned",
      checked: "checked",
      released: "released",
      discarded: "discarded",
    }),
    leasedDetail: (/** @type {number} */ drawing, /** @type {number} */ checking, /** @type {number} */ reserved) =>
      [
        drawing > 0 ? `${drawing} drawn` : "",
        checking > 0 ? `${checking} checked` : "",
        reserved > 0 ? `${reserved} reserved` : "",
      ]
        .filter(Boolean)
        .join(" · "),
    plots: {
      classes: "Classes against their targets",
      hours: "Images finished so far",
      seconds: "Seconds per object",
      agreement: "Who agrees with whom",
    },
    lines: { annotated: "annotated", checked: "checked" },
    classesNote:
      "Log scale. Pale: objects; strong: images; the mark: images wanted. Right: images of the target, and when it is met at the party's pace.",
    secondsNote: "Half of the objects lie on the line, the dot is the median; over the latest 4,000 finished images.",
    agreementNote: "Of the objects that either of two people drew on an image, the share that both drew; images annotated twice, blind.",
    nobodyTwice: "No image was annotated twice yet; set a share below.",
    nothingYet: "Nothing yet.",
    noForecast: "not in sight",
    inHours: (/** @type {number} */ hours) => (hours < 1 ? "< 1 h" : `~${hours < 100 ? Math.round(hours) : Math.round(hours / 10) * 10} h`),
    classTitle: (/** @type {import("./state/board.js").ClassProgress} */ { display, images, objects, target, forecast }) =>
      `${display}: ${objects} objects on ${images} images of ${target} wanted` +
      (forecast.low_hours !== null && forecast.high_hours !== null && forecast.high_hours > 0
        ? `; in ${Math.round(forecast.low_hours)} to ${Math.round(forecast.high_hours)} hours of work`
        : ""),
    secsTitle: (/** @type {import("./state/board.js").ClassSecs} */ one) =>
      `${one.display}: ${one.objects} objects, half of them in ${one.quarter_secs} to ${one.three_quarter_secs} s`,
    cellTitle: (/** @type {import("./state/board.js").Cell} */ { first, second, both, images }) =>
      `${first} and ${second}: ${Math.round(both.value * 100)} % of ${both.count} objects on ${images} images`,
    matrixEnds: ["50 % and less", "92 % and more"],
    discardedTitle: "Discarded because",
    people: "People",
    peopleNote: "An hour is one of active time. Corrected: of the images that a checker looked at, those mended or returned. A click on what somebody holds takes it back; what they saved stays.",
    heads: ["name", "role", "images", "checked", "an hour", "active", "agreement", "corrected", "last seen", "holds"],
    ended: "link ended",
    active: (/** @type {number} */ secs) => (secs < 3600 ? `${Math.round(secs / 60)} min` : `${(secs / 3600).toFixed(1)} h`),
    ago: (/** @type {string | null} */ moment, /** @type {string} */ at) => {
      if (moment === null) return "never";
      const secs = Math.max((Date.parse(at) - Date.parse(moment)) / 1000, 0);
      if (secs < 90) return "just now";
      if (secs < 5400) return `${Math.round(secs / 60)} min ago`;
      return secs < 129_600 ? `${Math.round(secs / 3600)} h ago` : `${Math.round(secs / 86_400)} days ago`;
    },
    hold: (/** @type {import("./state/board.js").Hold} */ { kind, image_id, is_opened }) =>
      `${is_opened ? (kind === "check" ? "checks" : "draws") : "reserved"} ${image_id} ×`,
    takeBackTitle: (/** @type {import("./state/board.js").Hold} */ { image_id }, /** @type {number} */ secs) =>
      `Take image ${image_id} back; last sign of the page ${Math.round(secs)} s ago`,
    takenBack: (/** @type {number} */ id, /** @type {string} */ name) =>
      `Image ${id} is taken back from ${name}; what was saved stays.`,
    jobsTitle: "Collecting and near-duplicates",
    jobsNote: "As the rows tell it: jobs run elsewhere, so a job that hangs looks like one that was not started.",
    collect: "Collecting",
    collected: (/** @type {string} */ done, /** @type {string} */ all) => `${done} of ${all} wanted`,
    compared: (/** @type {string} */ done, /** @type {string} */ all) => `${done} of ${all} compared`,
    collecting: (/** @type {string} */ all, /** @type {string} */ fetched, /** @type {string} */ found, /** @type {string} */ gone) =>
      `${all} photos found: ${fetched} fetched, ${found} to fetch, ${gone} gone or broken.`,
    lastSigns: (/** @type {string} */ searched, /** @type {string} */ fetched, /** @type {number} */ now) =>
      `Last search ${searched}, last photo ${fetched}; ${now} being fetched now.`,
    pause: (/** @type {string} */ host, /** @type {string} */ until) => `${host} is left alone until ${until}.`,
    dedup: "Near-duplicates",
    deduping: (/** @type {string} */ hash, /** @type {string} */ compare, /** @type {string} */ duplicates) =>
      `${hash} images to hash, ${compare} hashed and not yet compared, ${duplicates} put aside as near-duplicates.`,
    lastCompared: (/** @type {string} */ ago) => `Last decision ${ago}.`,
    steerTitle: "To set",
    toQueue: "More of the queue",
    steer: {
      first: "Comes first",
      returned: "returned work",
      ofClass: (/** @type {string} */ name) => `images for ${name}`,
      ofQuery: (/** @type {number} */ id) => `query ${id}`,
      addFirst: "Add a class to what comes first",
      nothingFirst: "nothing in particular",
      wanted: "Rare-class mode",
      wants: (/** @type {string} */ name) => `${name} wanted`,
      addWanted: "Add a class that is wanted",
      allWanted: "off: every class is wanted",
      pick: "Add…",
      remove: (/** @type {string} */ what) => `Remove: ${what}`,
    },
    planSaved: "Saved; it holds from the next image on that anybody is given.",
    findings: (/** @type {string} */ open) =>
      open ? `Open findings of the automatic checks: ${open}` : "No open findings of the automatic checks",
    sharesSaved: "Saved; it holds from the next image on.",
    shares: {
      double: "Annotated twice, blind",
      gold: "Gold images mixed in",
      training: "Training images to pass first",
      save: "Save",
    },
  },

  wall: {
    title: "The latest annotations",
    live: (/** @type {string} */ clock) => `Looks for new ones by itself · ${clock}`,
    comment: "Comment",
    sendBack: "Return",
    talk: "Talk",
    talkTitle: "Ask them to come and see you about this image",
    talkText: "Please come to the organisers' desk; let us look at this image together.",
    told: (/** @type {string} */ name) => `${name} will see it on their page.`,
    returned: (/** @type {string} */ name) => `Returned to ${name}, first in their queue.`,
    placeholder: { comment: "What should they know?", sendBack: "What is to be done?" },
    send: "Send",
    cancel: "Cancel",
    remarks: (/** @type {{text: string, is_seen: boolean}} */ { text, is_seen }) => `“${text}” ${is_seen ? "(seen)" : "(not seen yet)"}`,
    discarded: "discarded",
    objects: (/** @type {number} */ number) => count(number, "object", "objects"),
    older: "Older ones",
    nothing: "Nobody has finished an image yet.",
    noServer: "The server does not answer; this page tries again by itself.",
  },

  remark: {
    from: (/** @type {string} */ name) => `${name} says:`,
    about: (/** @type {number} */ id) => `About image ${id}, which you finished`,
    button: "Got it",
  },

  people: {
    title: "People",
    invite: "Invite somebody",
    name: "Name",
    role: "Role",
    roles: /** @type {Record<string, string>} */ ({ annotator: "annotator", checker: "checker", organiser: "organiser" }),
    add: "Make the link",
    linkOf: (/** @type {string} */ name) => `The personal link of ${name}`,
    linkNote: "Shown only now, to be scanned or copied by that person alone. Whoever opens it works under this name.",
    copy: "Copy",
    copied: "Copied.",
    done: "Done",
    full: "Fill the screen",
    heads: ["name", "role", "last seen", "trained", "", ""],
    walkedIn: "by party code",
    renew: "New link",
    renewed: (/** @type {string} */ name) => `The older link of ${name} is void.`,
    end: "End link",
    sure: "Really end it?",
    endedNow: (/** @type {string} */ name) => `${name} can no longer sign in; what they drew stays.`,
    roleSet: (/** @type {string} */ name, /** @type {string} */ role) => `${name} is ${role} from now on.`,
    ended: "link ended",
    codeTitle: "Walk-ins by a party code",
    codeOff: "Off: only personal links let people in.",
    codeNote: "Whoever has the code comes in as an annotator under a name of their own, and gets a personal link.",
    hours: "open for hours",
    most: "people at most",
    open: "Open the door",
    close: "Close the door",
    closed: "The door is closed; who came in stays.",
    codeState: (/** @type {number} */ people, /** @type {number} */ most) => `${people} of ${most} came in`,
    until: (/** @type {string} */ clock) => `open until ${clock}`,
    noServer: "The server does not answer; nothing was changed.",
  },

  training: {
    title: "Before you begin",
    step: (/** @type {number} */ number, /** @type {number} */ all) => `${number} of ${all}`,
    back: "Back",
    next: "Next",
    examples: "Checked examples",
    last: "Ready?",
    noneNeeded: "That is all. The guidelines are always one key away on the page, and your first images need not be quick.",
    needed: (/** @type {number} */ needed, /** @type {number} */ passed) =>
      `Pass ${count(needed, "training image", "training images")} first; you passed ${passed}. They come on the annotation page like any other image.`,
    begin: "Begin",
    toTraining: "To the training images",
    trial: (/** @type {boolean} */ isPassed) => (isPassed ? "Passed" : "Not passed yet"),
    allRight: "All as it should be.",
    noServer: "The server does not answer; try again in a moment.",
  },
};
