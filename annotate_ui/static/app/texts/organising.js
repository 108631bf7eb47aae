/** The organisers' pages and the party: queue, board, people, gold, training, wall. */

import { agoSecs } from "../state/board.js";
import { decimal, language, t } from "../translate.js";
import { count, flags } from "./annotating.js";

/** @import {Cell, ClassProgress, ClassSecs, Hold} from "../state/types.js" */
/** @import {GoldAnswer, TraineeRow} from "../types.js" */

/** @param {number} hours */
const inHours = (hours) =>
  hours < 1 ? t`< 1 h` : t`~${hours < 100 ? Math.round(hours) : Math.round(hours / 10) * 10} h`;

/**
 * When all images are done; infinite hours if no one works.
 * @param {string} word
 * @param {number} left
 * @param {number} hours
 */
function sayEnd(word, left, hours) {
  if (left === 0) return t`all ${word}`;
  return Number.isFinite(hours) ? t`all ${word} in ${inHours(hours)}` : t`all ${word}: no estimate yet`;
}

/** One open finding, and several, by severity. @type {Readonly<Record<string, readonly [string, string]>>} */
const OPEN = {
  error: [t`open error`, t`open errors`],
  warning: [t`open warning`, t`open warnings`],
  hint: [t`open hint`, t`open hints`],
};

export const organising = {
  wanted: {
    title: t`Wanted now`,
    button: t`None: discard`,
    none: t`No wanted class is marked`,
    reason: t`no wanted class`,
    off: t`Every class is wanted now.`,
    marked: (/** @type {number} */ number) =>
      t`${count(number, t`object`, t`objects`)} of the wanted classes marked. The image stays.`,
    discarded: t`Discarded: no wanted class. Go to the previous image to restore it.`,
  },

  plan: {
    rest: t`then all other images, in random order`,
    returned: t`Returned images, to their authors`,
    ofClass: (/** @type {string} */ name, /** @type {number} */ waiting) =>
      t`Class ${name}: images from its queries (${waiting} waiting)`,
    ofQuery: (/** @type {string} */ keyword, /** @type {number} */ waiting) =>
      t`Query "${keyword}" (${waiting} waiting)`,
    raise: t`Move up`,
    remove: t`Remove`,
    mode: (/** @type {number} */ number) =>
      number === 0
        ? t`Off: every class is wanted. Tick classes to switch it on.`
        : t`On: ${count(number, t`class is`, t`classes are`)} wanted. One key discards an image without them.`,
    supply: (/** @type {number} */ objects, /** @type {number} */ waiting) =>
      t`${count(objects, t`object`, t`objects`)}, ${waiting} waiting`,
    saved: t`Saved.`,
    unsaved: t`Not saved yet.`,
    noServer: t`The server does not answer. Your changes are still here; save again.`,
    conflict: t`Someone else changed the queue meanwhile. Save again to replace it with yours.`,
    newest: t`Current queue`,
    newestFirst: (/** @type {string[]} */ sets) => t`Priority: ${sets.join(", ") || t`none`}.`,
    newestWanted: (/** @type {string[]} */ names) => t`Wanted: ${names.join(", ") || t`every class`}.`,
    take: t`Use this one`,
  },

  editor: {
    saved: t`Saved.`,
    unsaved: t`Not saved yet.`,
    noServer: t`The server does not answer. Your text is still here; save again.`,
    conflict: t`Someone else saved meanwhile. Save again to make your text the newest version; both are kept.`,
    version: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ at) =>
      t`Version ${number} by ${name}, ${at}`,
    preset: t`Original version`,
    open: t`Open`,
  },

  gold: {
    title: t`Gold and training images`,
    lead: t`Gold images are mixed secretly into everyone's work. New people pass training images first.`,
    choose: t`Make gold`,
    button: t`Gold…`,
    isGold: t`Saved as a gold image.`,
    isTraining: t`Saved as a training image.`,
    chosen: { gold: t`Gold`, training: t`Training` },
    kinds: {
      gold: t`Gold: mixed secretly into everyone's work`,
      training: t`Training: new people pass it before they begin`,
    },
    note: t`Note (trainees read it afterwards)`,
    save: t`Save`,
    cancel: t`Cancel`,
    end: t`End`,
    sure: t`Really end it?`,
    edit: t`Edit`,
    refresh: t`Use newest revision`,
    changed: t`a newer revision exists; the reference is older`,
    by: (/** @type {string} */ name) => t`chosen by ${name}`,
    imageTitle: (/** @type {number} */ id) => t`Image ${id}`,
    noObjects: t`This image has no finished annotation with objects. Finish it first; it then serves as the reference.`,
    passed: (/** @type {number} */ passed, /** @type {number} */ all) =>
      all === 0 ? t`not used yet` : t`${passed} of ${all} passed`,
    answer: (/** @type {GoldAnswer} */ answer) =>
      t`${answer.person.name} found ${answer.matched} of ${answer.objects}${answer.drawn > answer.matched ? t`, drew ${answer.drawn}` : ""}`,
    none: t`No images yet. Choose one on the wall, the findings page or the checking page.`,
    saved: t`Saved.`,
    ended: t`Ended. The answers so far are kept.`,
    trainees: t`In training`,
    noTrainees: t`No one is in training.`,
    trainee: (/** @type {TraineeRow} */ trainee) =>
      t`${trainee.passed} of ${trainee.needed} passed${trainee.failed ? t`, ${trainee.failed} failed` : ""}`,
    stuck: t`no training image left to try`,
    letBegin: t`Approve`,
    letIn: (/** @type {string} */ name) => t`${name} can begin now.`,
    asked: t`Training images to pass first`,
    tooFew: (/** @type {number} */ needed, /** @type {number} */ offered) =>
      needed > offered
        ? t`Only ${count(offered, t`training image exists`, t`training images exist`)}, so no more are required. A person who fails one waits for your approval.`
        : needed === offered && needed > 0
          ? t`A person who fails one has no other to try and waits for your approval. Add a few more training images.`
          : "",
    share: t`Gold images in everyone's work (%)`,
    people: t`Results on gold images`,
    noPeople: t`No results yet.`,
    heads: ["", t`images`, t`passed`, t`recall`, t`precision`],
    stale: t`Someone else changed this meanwhile. You see the current state.`,
    noServer: t`The server does not answer. Try again in a moment.`,
  },

  people: {
    title: t`People`,
    role: t`Role`,
    roles: /** @type {Record<string, string>} */ ({
      annotator: t`annotator`,
      checker: t`checker`,
      organiser: t`organiser`,
    }),
    linkOf: (/** @type {string} */ name) => t`Personal link of ${name}`,
    copy: t`Copy`,
    copied: t`Copied.`,
    full: t`Full screen`,
    walkedIn: t`by party code`,
    renew: t`New link`,
    renewed: (/** @type {string} */ name) => t`The old link of ${name} is revoked.`,
    end: t`Revoke link`,
    sure: t`Really revoke?`,
    undo: t`Undo work`,
    sureUndo: t`Really undo all work?`,
    endedNow: (/** @type {string} */ name) => t`${name} can no longer sign in. Their annotations are kept.`,
    roleSet: (/** @type {string} */ name, /** @type {string} */ role) => t`${name} is now ${role}.`,
    ended: t`link revoked`,
    close: t`Close sign-up`,
    closed: t`Sign-up is closed. People who signed up keep their links.`,
    codeState: (/** @type {number} */ people, /** @type {number} */ most) =>
      t`${people} of ${most} signed up`,
    until: (/** @type {string} */ clock) => t`open until ${clock}`,
    noServer: t`The server does not answer. Nothing was changed; try again.`,
  },

  training: {
    title: t`Before you begin`,
    step: (/** @type {number} */ number, /** @type {number} */ all) => t`${number} of ${all}`,
    back: t`Back`,
    next: t`Next`,
    right: t`Right`,
    wrong: t`Wrong`,
    /** Each with its drawings in lessons.svg. */
    lessons: [
      {
        scene: "many",
        title: t`Draw every object`,
        text: t`Look for each class on the list, also in the background.`,
        right: t`Person, dog, and the car at the back.`,
        wrong: t`The dog and the car are missing.`,
      },
      {
        scene: "pair",
        title: t`One box for each object`,
        text: t`Objects that touch or overlap get a box each.`,
        right: t`Two people, two boxes.`,
        wrong: t`One box around two people.`,
      },
      {
        scene: "tight",
        title: t`The sides touch the object`,
        text: t`All visible pixels are inside the box, and nothing else.`,
        right: t`Nose, paws and tail touch the sides.`,
        wrong: t`Too much space on the left, and the tail is outside.`,
      },
      {
        scene: "seen",
        title: t`Draw only what you see`,
        text: t`Do not guess what is hidden or outside the image.`,
        right: t`The box ends at the wall.`,
        wrong: t`The box guesses where the legs are.`,
      },
      {
        scene: "view",
        title: t`View: the side that you see`,
        text: t`Left and right are those of the image. Anything in between is unspecified.`,
        right: t`Left: the car points to the left edge.`,
        wrong: t`Right: that is the driver's right.`,
      },
      {
        scene: "truncated",
        title: t`Truncated: a part is outside the box`,
        text: t`Set it if more than about 15 % of the object is outside the box.`,
        right: t`Truncated: half of the bus is outside the image.`,
        wrong: t`Truncated, but only the bumper is cut off.`,
      },
      {
        scene: "occluded",
        title: t`Occluded: something hides a part inside the box`,
        text: t`Set it if more than 5 % is hidden. Clothes, mud and snow hide nothing.`,
        right: t`Occluded: a lamp post is in front of the person.`,
        wrong: t`Occluded, but the coat belongs to the dog.`,
      },
      {
        scene: "mirror",
        title: t`Mirrors, glass and posters count`,
        text: t`Draw objects in mirrors, behind glass and on photographic posters.`,
        right: t`The person and the mirror image.`,
        wrong: t`The mirror image is missing.`,
      },
      {
        scene: "tell",
        title: t`Leave out what you cannot tell`,
        text: t`If you cannot tell the class, draw no box. If you are not sure, mark the object unsure.`,
        right: t`Two feet can only be a person's.`,
        wrong: t`A tyre alone could be a lorry's.`,
      },
      {
        scene: "discard",
        title: t`All objects, or discard the image`,
        text: t`Discard images with too many objects, collages and images that are too blurred.`,
        right: t`Too many people: discarded with this reason.`,
        wrong: t`Two people drawn, the others missing.`,
      },
    ],
    classes: t`The classes`,
    last: t`Ready?`,
    noneNeeded: t`The first image is for practice. One key opens the guidelines on the annotation page.`,
    needed: (/** @type {number} */ needed, /** @type {number} */ passed) =>
      t`First pass ${count(needed, t`training image`, t`training images`)}; you have passed ${passed}. They open on the annotation page like any other image.`,
    begin: t`Begin`,
    practise: t`Start with a practice image`,
    rules: t`All rules in detail`,
    toTraining: t`Start training images`,
    trial: (/** @type {boolean} */ isPassed) => (isPassed ? t`Passed` : t`Not passed yet`),
    allRight: t`Everything is right.`,
    noServer: t`The server does not answer. Try again in a moment.`,
  },

  practice: {
    title: t`Practice`,
    step: (/** @type {number} */ number, /** @type {number} */ all) => t`Practice: step ${number} of ${all}`,
    draw: t`Drag a box around the dog. The box ends at the wall.`,
    closer: t`Not close enough: each side touches the dog. Drag a corner of the box.`,
    class: (/** @type {string} */ name, /** @type {string} */ key) =>
      t`Choose its class: click ${name} in the list, or press ${key}.`,
    view: (/** @type {string} */ name, /** @type {string} */ key) =>
      t`The dog looks to the left edge. Click ${name}, or press ${key}.`,
    flag: (/** @type {string} */ key) =>
      t`A part of the dog is outside the box. Click truncated, or press ${key}.`,
    finish: (/** @type {string} */ key) => t`Click Finish, or press ${key}. Read the list, then confirm.`,
    skip: t`Skip practice`,
  },

  board: {
    title: t`Progress`,
    onReleased: t`Findings on released images`,
    slowed: (/** @type {string} */ ago) => t`too fast, paused ${ago}`,
    images: t`Images by state`,
    live: (/** @type {string} */ clock, /** @type {number} */ perHour) =>
      t`${clock} · ${perHour < 10 ? decimal(perHour, 1) : Math.round(perHour)} images per hour recently`,
    noServer: t`The server does not answer. You see the last numbers received.`,
    steps: /** @type {Record<string, string>} */ ({
      pool: t`to annotate`,
      leased: t`open now`,
      annotated: t`to be checked`,
      returned: t`returned`,
      checked: t`checked`,
      released: t`released`,
      discarded: t`discarded`,
    }),
    leasedDetail: (
      /** @type {number} */ drawing,
      /** @type {number} */ checking,
      /** @type {number} */ reserved,
    ) =>
      [
        drawing > 0 ? t`${drawing} annotating` : "",
        checking > 0 ? t`${checking} checking` : "",
        reserved > 0 ? t`${reserved} reserved` : "",
      ]
        .filter(Boolean)
        .join(" · "),
    plots: {
      classes: t`Classes and targets`,
      hours: t`Finished images`,
      seconds: t`Seconds per object`,
      agreement: t`Agreement between annotators`,
    },
    lines: { annotated: t`annotated`, checked: t`checked` },
    bins: (/** @type {number} */ secs, /** @type {string} */ zone) =>
      secs >= 86_400
        ? t`Per day, midnight to midnight, time zone ${zone}.`
        : t`Per ${secs < 3600 ? t`five minutes` : t`hour`}, time zone ${zone}.`,
    classesNote: t`Log scale. Pale bar: objects. Strong bar: images. Mark: target. Right: images, target, and time left at the current pace.`,
    secondsNote: t`Dot: median. Line: the middle half of the objects. Based on the latest 4,000 finished images.`,
    agreementNote: t`Share of objects that both annotators drew, on images annotated twice without knowing it.`,
    ofObjects: (/** @type {number} */ number) => t`of ${count(number, t`object`, t`objects`)}`,
    nobodyTwice: t`No image was annotated twice yet. Set a share below.`,
    nothingYet: t`Nothing yet.`,
    noForecast: t`no estimate yet`,
    noneIn: (/** @type {number} */ images) => t`none in ${count(images, t`image`, t`images`)}`,
    /** Hours from now; infinite where no one works on it. */
    ends: {
      annotated: (/** @type {number} */ left, /** @type {number} */ hours) =>
        sayEnd(t`annotated`, left, hours),
      checked: (/** @type {number} */ left, /** @type {number} */ hours) => sayEnd(t`checked`, left, hours),
    },
    inHours,
    classTitle: (/** @type {ClassProgress} */ { display, images, objects, target, forecast }) =>
      t`${display}: ${objects} objects on ${images} images, target ${target} images` +
      (forecast.low_hours !== null && forecast.high_hours !== null && forecast.high_hours > 0
        ? t`; ${Math.round(forecast.low_hours)} to ${Math.round(forecast.high_hours)} hours of work left`
        : ""),
    secsTitle: (/** @type {ClassSecs} */ secs) =>
      t`${secs.display}: ${secs.objects} objects, the middle half took ${secs.quarter_secs} to ${secs.three_quarter_secs} s`,
    cellTitle: (/** @type {Cell} */ { first, second, both, images }) =>
      t`${first} and ${second}: ${Math.round(both.value * 100)} % of ${both.count} objects on ${images} images`,
    matrixEnds: [t`50 % and less`, t`92 % and more`],
    discardedTitle: t`Discarded: reasons`,
    people: t`People`,
    peopleNote: t`Per hour: per hour of active time. Fixed or returned: share of the checked images. Click an open image to take it back; saved work is kept.`,
    heads: [
      t`name`,
      t`role`,
      t`images`,
      t`checked`,
      t`per hour`,
      t`active`,
      t`agreement`,
      t`fixed or returned`,
      t`last seen`,
      t`open images`,
    ],
    ended: t`link revoked`,
    active: (/** @type {number} */ secs) =>
      secs < 3600 ? t`${Math.round(secs / 60)} min` : t`${decimal(secs / 3600, 1)} h`,
    ago: (/** @type {string | null} */ moment, /** @type {string} */ at) => {
      const secs = agoSecs(moment, at);
      if (secs === null) return t`never`;
      if (secs < 90) return t`just now`;
      if (secs < 5400) return t`${Math.round(secs / 60)} min ago`;
      return secs < 129_600 ? t`${Math.round(secs / 3600)} h ago` : t`${Math.round(secs / 86_400)} days ago`;
    },
    hold: (/** @type {Hold} */ { kind, is_opened }) => {
      if (!is_opened) return `${t`reserved`} ×`;
      if (kind === "segment") return `${t`segmenting`} ×`;
      return `${kind.startsWith("check") ? t`checking` : t`annotating`} ×`;
    },
    takeBackTitle: (/** @type {Hold} */ { image_id }, /** @type {number} */ secs) =>
      t`Take image ${image_id} back. Last activity ${Math.round(secs)} s ago`,
    takeBack: t`Take image back`,
    takeBackSure: (/** @type {number} */ id, /** @type {string} */ name) =>
      t`Take image ${id} back from ${name}? Saved work is kept.`,
    idle: (/** @type {number} */ minutes) => t`no activity for ${minutes} min ×`,
    unusual: (/** @type {number} */ times) =>
      t`${times < 1 ? decimal(times, 1) : Math.round(times)} × the usual pace`,
    takenBack: (/** @type {number} */ id, /** @type {string} */ name) =>
      t`Image ${id} was taken back from ${name}. Saved work is kept.`,
    jobsTitle: t`Collecting and near-duplicates`,
    jobsNote: t`Based on the catalogue. Jobs run in other processes, so a job that hangs looks like one that was not started.`,
    collect: t`Collecting`,
    collected: (/** @type {string} */ done, /** @type {string} */ all) => t`${done} of ${all} (target)`,
    compared: (/** @type {string} */ done, /** @type {string} */ all) => t`${done} of ${all} compared`,
    collecting: (
      /** @type {string} */ all,
      /** @type {string} */ fetched,
      /** @type {string} */ waiting,
      /** @type {string} */ gone,
    ) => t`${all} photos found: ${fetched} fetched, ${waiting} to fetch, ${gone} gone or broken.`,
    lastSigns: (/** @type {string} */ searched, /** @type {string} */ fetched, /** @type {number} */ now) =>
      t`Last search ${searched}, last photo ${fetched}. Fetching ${now} now.`,
    pause: (/** @type {string} */ host, /** @type {string} */ until) =>
      t`Waiting for ${host} until ${until}.`,
    dedup: t`Near-duplicates`,
    /** What follows the number of images in each state. */
    deduping: {
      fetched: t`images to hash,`,
      hashed: t`hashed, not yet compared,`,
      duplicate: t`removed as near-duplicates.`,
    },
    lastCompared: (/** @type {string} */ ago) => t`Last decision ${ago}.`,
    campaigns: {
      title: t`Campaigns: annotate again`,
      of: t`of`,
      stages: /** @type {Record<string, string>} */ ({
        done: t`done`,
        check: t`to check`,
        annotate: t`to annotate`,
        taken_down: t`taken down`,
      }),
      asked: (/** @type {string} */ person, /** @type {string} */ day, /** @type {string} */ text) =>
        t`Started by ${person} on ${day}: ${text}`,
      end: t`End campaign`,
      sure: (/** @type {string} */ name) =>
        t`End the campaign ${name}? Images not annotated again return to their earlier state.`,
      ended: (/** @type {string} */ name) => t`Campaign ${name} has ended.`,
    },
    stuck: {
      title: t`Stuck images`,
      note: t`No queue gives these images out. Putting one right moves it to where its own revisions and checks say, and ends a person's hold on it; nothing that was drawn is lost. The server's log has more.`,
      settle: (/** @type {number} */ id) => t`Put image ${id} right`,
      settled: (/** @type {number} */ id) => t`Image ${id} is back in its queue.`,
    },
    steerTitle: t`Settings`,
    toQueue: t`Open queue`,
    steer: {
      first: t`Priority`,
      returned: t`returned images`,
      ofClass: (/** @type {string} */ name) => t`images for ${name}`,
      ofQuery: (/** @type {number} */ id) => t`query ${id}`,
      addFirst: t`Add a priority class`,
      nothingFirst: t`none`,
      wanted: t`Rare-class mode`,
      wants: (/** @type {string} */ name) => t`${name} wanted`,
      addWanted: t`Add a wanted class`,
      allWanted: t`off: every class is wanted`,
      pick: t`Add…`,
      remove: (/** @type {string} */ what) => t`Remove: ${what}`,
    },
    planSaved: t`Saved. Applies from the next image that anyone opens.`,
    findings: t`Findings of the automatic checks`,
    openFindings: (/** @type {string} */ severity, /** @type {number} */ number) =>
      OPEN[severity]?.[number === 1 ? 0 : 1] ?? severity,
    sharesSaved: t`Saved. Applies from the next image.`,
    shares: {
      double: t`Annotated twice (blind)`,
      gold: t`Gold images`,
      training: t`Training images to pass`,
      save: t`Save`,
    },
  },

  sure: { back: t`Change nothing` },

  images: {
    title: t`Images`,
    filters: /** @type {Record<string, string>} */ ({
      id: t`Image`,
      state: t`State`,
      class: t`Class`,
      view: t`View`,
      flag: t`Flag`,
      part: t`Part`,
      action: t`Action`,
      reason: t`Reason`,
      person: t`Person`,
      annotator: t`Drawn by`,
      checker: t`Checked by`,
      query: t`Query`,
      owner: t`Owner`,
      since: t`Changed since`,
      until: t`Until`,
      set: t`Set or release`,
      finding: t`Finding`,
      text: t`Text`,
      campaign: t`Campaign`,
    }),
    states: /** @type {Record<string, string>} */ ({
      pool: t`to annotate`,
      annotated: t`to check`,
      annotating: t`being annotated`,
      checking: t`being checked`,
      returned: t`returned`,
      checked: t`checked`,
      released: t`released`,
      discarded: t`discarded`,
      duplicate: t`near-duplicate`,
      taken_down: t`taken down`,
      fetched: t`to hash`,
      hashed: t`to compare`,
      broken: t`broken`,
    }),
    flags,
    findings: { any: t`any`, error: t`errors`, warning: t`warnings`, hint: t`hints` },
    find: t`Find images`,
    clear: t`Clear filters`,
    more: t`Show more`,
    open: t`Open`,
    history: t`History`,
    choose: (/** @type {number} */ id) => t`Select image ${id}`,
    found: (/** @type {number} */ number, /** @type {boolean} */ isMore) =>
      isMore ? t`More than ${number.toLocaleString(language)} images` : count(number, t`image`, t`images`),
    nothing: t`No image matches. Remove a filter.`,
    action: t`Action`,
    actions: {
      return: t`Return to author`,
      reopen: t`Reopen`,
      discard: t`Discard`,
      take_down: t`Take down`,
      annotate_again: t`Annotate again`,
    },
    campaignName: t`Name of the campaign, e.g. dog-views`,
    fields: t`Fields, e.g. class, view`,
    version: t`Version`,
    guidelines: t`Guidelines version (empty: newest)`,
    why: t`Comment or reason`,
    toChosen: (/** @type {number} */ number) => t`Apply to ${number} selected`,
    toAll: (/** @type {number} */ number) => t`Apply to all ${number.toLocaleString(language)} found`,
    sure: (/** @type {string} */ what, /** @type {number} */ number) =>
      t`${what}: ${count(number, t`image`, t`images`)}. Continue?`,
    sureToo: (/** @type {string} */ what, /** @type {number} */ number) =>
      t`${what}: ${count(number, t`image`, t`images`)}. Continue? This cannot be undone.`,
    noServer: t`The server does not answer. Nothing was changed; try again.`,
  },

  wall: {
    open: t`Open the image with its history`,
    title: t`Latest annotations`,
    live: (/** @type {string} */ clock) => t`Updates automatically · ${clock}`,
    comment: t`Comment`,
    sendBack: t`Return`,
    talk: t`Ask to come over`,
    talkTitle: t`Ask the annotator to come to you about this image`,
    talkText: t`Please come to the organiser. Let us look at this image together.`,
    told: (/** @type {string} */ name) => t`${name} will see the message.`,
    returned: (/** @type {string} */ name) => t`Returned to ${name}, first in their queue.`,
    placeholder: { comment: t`Your comment`, sendBack: t`What should be changed?` },
    send: t`Send`,
    cancel: t`Cancel`,
    remarks: (/** @type {{text: string, is_seen: boolean}} */ { text, is_seen }) =>
      `“${text}” ${is_seen ? t`(seen)` : t`(not seen yet)`}`,
    discarded: t`discarded`,
    older: t`Show older`,
    noServer: t`The server does not answer. This page tries again automatically.`,
  },

  remark: {
    from: (/** @type {string} */ name) => t`Message from ${name}:`,
    about: (/** @type {number} */ id) => t`About your image ${id}`,
    button: t`OK`,
  },
};
