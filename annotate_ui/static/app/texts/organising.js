/** The organisers' pages and the party: queue, board, people, gold, training, wall. */

import { count } from "./annotating.js";

/** @import {Cell, ClassProgress, ClassSecs, Hold} from "../state/board.js" */
/** @import {GoldAnswer, TraineeRow} from "../state/organiser.js" */

/** @param {number} hours */
const inHours = (hours) => (hours < 1 ? "< 1 h" : `~${hours < 100 ? Math.round(hours) : Math.round(hours / 10) * 10} h`);

/** When all images will be there; no hours where nobody is at it. @param {string} word @param {number} left @param {number} hours */
function sayEnd(word, left, hours) {
  if (left === 0) return `all ${word}`;
  return Number.isFinite(hours) ? `all ${word} in ${inHours(hours)}` : `all ${word}: no estimate yet`;
}

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
    answer: (/** @type {GoldAnswer} */ one) =>
      `${one.person.name} found ${one.found} of ${one.objects}${one.drawn > one.found ? `, drew ${one.drawn}` : ""}`,
    none: "None yet. Choose one from the wall, the findings or the checking page.",
    saved: "Saved.",
    ended: "Ended; the answers so far stay.",
    trainees: "Waiting to begin",
    noTrainees: "Nobody is in training.",
    trainee: (/** @type {TraineeRow} */ one) =>
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
    heads: ["name", "role", "last seen", "trained", "", "", ""],
    walkedIn: "by party code",
    renew: "New link",
    renewed: (/** @type {string} */ name) => `The older link of ${name} is void.`,
    end: "End link",
    sure: "Really end it?",
    undo: "Undo work",
    sureUndo: "Really undo it all?",
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

export const party = {
  board: {
    title: "The party now",
    onReleased: "Findings on released images",
    slowed: (/** @type {string} */ ago) => `slowed down ${ago}`,
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
    bins: (/** @type {number} */ secs, /** @type {string} */ zone) =>
      secs >= 86_400
        ? `By days, from midnight to midnight in the time zone ${zone}.`
        : `By ${secs < 3600 ? "five minutes" : "hours"}; the times are those of ${zone}.`,
    classesNote:
      "Log scale. Pale: objects; strong: images; the mark: images wanted. Right: images of the target, and when it is met at the party's pace.",
    secondsNote: "Half of the objects lie on the line, the dot is the median; over the latest 4,000 finished images.",
    agreementNote: "Of the objects that either of two people drew on an image, the share that both drew; images annotated twice, blind.",
    nobodyTwice: "No image was annotated twice yet; set a share below.",
    nothingYet: "Nothing yet.",
    noForecast: "no estimate yet",
    noneIn: (/** @type {number} */ images) => `none in ${count(images, "image", "images")}`,
    /** Hours from now; infinite where nobody is at it. */
    ends: {
      annotated: (/** @type {number} */ left, /** @type {number} */ hours) => sayEnd("annotated", left, hours),
      checked: (/** @type {number} */ left, /** @type {number} */ hours) => sayEnd("checked", left, hours),
    },
    inHours,
    classTitle: (/** @type {ClassProgress} */ { display, images, objects, target, forecast }) =>
      `${display}: ${objects} objects on ${images} images of ${target} wanted` +
      (forecast.low_hours !== null && forecast.high_hours !== null && forecast.high_hours > 0
        ? `; in ${Math.round(forecast.low_hours)} to ${Math.round(forecast.high_hours)} hours of work`
        : ""),
    secsTitle: (/** @type {ClassSecs} */ one) =>
      `${one.display}: ${one.objects} objects, half of them in ${one.quarter_secs} to ${one.three_quarter_secs} s`,
    cellTitle: (/** @type {Cell} */ { first, second, both, images }) =>
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
    hold: (/** @type {Hold} */ { kind, is_opened }) =>
      `${is_opened ? (kind === "check" ? "checks" : "draws") : "reserved"} ×`,
    takeBackTitle: (/** @type {Hold} */ { image_id }, /** @type {number} */ secs) =>
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
    /** What stands behind the number of images in each state. */
    deduping: { fetched: "images to hash,", hashed: "hashed and not yet compared,", duplicate: "put aside as near-duplicates." },
    lastCompared: (/** @type {string} */ ago) => `Last decision ${ago}.`,
    campaigns: {
      title: "Annotated again",
      of: "of",
      stages: /** @type {Record<string, string>} */ ({ done: "done", check: "to check", annotate: "to annotate", taken_down: "taken down" }),
      asked: (/** @type {string} */ by, /** @type {string} */ day, /** @type {string} */ text) => `Asked by ${by} on ${day}: ${text}`,
      end: "End campaign",
      sure: (/** @type {string} */ name) => `End the campaign ${name}? Images not annotated again go back to where they were.`,
      ended: (/** @type {string} */ name) => `The campaign ${name} has ended.`,
    },
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
    findings: "Findings of the automatic checks",
    openFindings: (/** @type {string} */ severity, /** @type {number} */ number) => `${severity}${number === 1 ? "" : "s"} open`,
    sharesSaved: "Saved; it holds from the next image on.",
    shares: {
      double: "Annotated twice, blind",
      gold: "Gold images mixed in",
      training: "Training images to pass first",
      save: "Save",
    },
  },

  images: {
    title: "Images",
    filters: /** @type {Record<string, string>} */ ({
      id: "Image", state: "State", class: "Class", view: "View", flag: "Flag", part: "Part", action: "Action",
      reason: "Reason", person: "Person", annotator: "Drawn by", checker: "Checked by", query: "Query", owner: "Owner", since: "Changed since", until: "Until",
      set: "Set or release", finding: "Finding", text: "Words", campaign: "Campaign",
    }),
    states: /** @type {Record<string, string>} */ ({ pool: "in the pool", annotated: "to be checked", annotating: "being drawn", checking: "being checked", taken_down: "taken down" }),
    find: "Find images",
    clear: "Clear filters",
    more: "Show more",
    open: "Open",
    history: "History",
    choose: (/** @type {number} */ id) => `Select image ${id}`,
    found: (/** @type {number} */ number, /** @type {boolean} */ isMore) =>
      isMore ? `More than ${number.toLocaleString("en")} images` : count(number, "image", "images"),
    nothing: "No image matches these filters; remove one.",
    action: "What to do",
    actions: { return: "Return to author", reopen: "Reopen", discard: "Discard", take_down: "Take down", annotate_again: "Annotate again" },
    campaignName: "Name of the campaign, as dog-views",
    fields: "Fields, as class, view",
    version: "Version",
    guidelines: "Version of the guidelines; empty for the newest",
    why: "Comment or reason",
    toChosen: (/** @type {number} */ number) => `Apply to ${number} selected`,
    toAll: (/** @type {number} */ number) => `Apply to all ${number.toLocaleString("en")} found`,
    sure: (/** @type {string} */ what, /** @type {number} */ number) => `${what}: ${count(number, "image", "images")}. Go on?`,
    noServer: "The server does not answer; nothing was changed.",
  },

  wall: {
    open: "Open the image with its history",
    title: "The latest annotations",
    live: (/** @type {string} */ clock) => `Looks for new ones by itself · ${clock}`,
    comment: "Comment",
    sendBack: "Return",
    talk: "Talk",
    talkTitle: "Ask them to come and see you about this image",
    talkText: "Please come to the organisers' workspace; let us look at this image together.",
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
};
