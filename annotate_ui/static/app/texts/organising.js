/** What organisers set: the queue, the guidelines, gold and people. */

import { count } from "./count.js";

export const organising = {
  wanted: {
    title: "Wanted now",
    button: "None of them: discard",
    none: "None of the wanted classes is marked",
    reason: "none of the wanted classes",
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
    answer: (/** @type {import("../state/gold.js").GoldAnswer} */ one) =>
      `${one.person.name} found ${one.found} of ${one.objects}${one.drawn > one.found ? `, drew ${one.drawn}` : ""}`,
    none: "None yet. Choose one from the wall, the findings or the checking page.",
    saved: "Saved.",
    ended: "Ended; the answers so far stay.",
    trainees: "Waiting to begin",
    noTrainees: "Nobody is in training.",
    trainee: (/** @type {import("../state/gold.js").TraineeRow} */ one) =>
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
