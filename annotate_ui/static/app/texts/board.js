/** The board of a party's progress. */

import { agoSecs } from "../state/board.js";
import { decimal, t } from "../translate.js";
import { count } from "./words.js";

/** @import {Cell, ClassProgress, ClassSecs, Hold} from "../state/types.js" */

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

export const board = {
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
    suggestions: {
      title: t`Suggestions, by lottery`,
      note: t`First annotations of images that showed suggestions, and of those from which a lottery withheld them. Missed, extra, class and overlap: compared with a second person who saw none.`,
      heads: ["", t`with suggestions`, t`without`],
      images: t`Images`,
      compared: (/** @type {number} */ number) => t`${number} annotated twice`,
      figures: {
        secs: t`Seconds an object`,
        inputs: t`Inputs an object`,
        missed: t`Missed objects`,
        extra: t`Extra objects`,
        wrong_class: t`Wrong class`,
        overlap: t`Overlap`,
      },
      advice: {
        wait: (/** @type {string} */ shown, /** @type {string} */ withheld) =>
          t`Too few images for advice: about ${shown} more with suggestions and ${withheld} more without are needed.`,
        waitShown: (/** @type {string} */ shown) =>
          t`Too few images for advice: about ${shown} more with suggestions needed.`,
        waitWithheld: (/** @type {string} */ withheld) =>
          t`Too few images for advice: about ${withheld} more without suggestions needed.`,
        waitObjects: t`Too few objects for advice.`,
        keep: t`Suggestions save time, and no errors are added. Keep them on.`,
        too_slow: t`Suggestions save less than 10 % of the time. Switch them off.`,
        misses_more: t`More objects are missed with suggestions. Switch them off.`,
        extra_more: t`With suggestions, more objects are drawn that a second person does not draw. Switch them off.`,
      },
      saved: (/** @type {string} */ saved, /** @type {string} */ missed, /** @type {string} */ extra) =>
        t`Time saved: ${saved}. Difference of missed objects: ${missed}, of extra objects: ${extra}.`,
      anchored: (/** @type {string} */ share, /** @type {number} */ number) =>
        t`accepted ${share} of ${count(number, t`wrong suggestion`, t`wrong suggestions`)} on gold images unchanged.`,
    },
    verifying: {
      title: t`Verified boxes`,
      note: t`Answers on the page Verify. Wrong boxes of gold images have a known answer: an attentive person calls few of them right.`,
      counts: (/** @type {string} */ confirmed, /** @type {string} */ refused) =>
        t`${confirmed} confirmed by two people, ${refused} left to be drawn.`,
      heads: [t`name`, t`Answers`, t`Seconds a box`, t`Wrong called right`, t`Right refused`, ""],
      share: (
        /** @type {string} */ share,
        /** @type {string} */ low,
        /** @type {string} */ high,
        /** @type {string} */ number,
      ) => t`${share} % (${low} … ${high}) of ${number}`,
      suspect: (/** @type {string} */ name, /** @type {string} */ share) =>
        t`${name} calls too many wrong boxes right: ${share}. Talk to them, or take their answers back.`,
      takeBack: t`Take back`,
      sure: (/** @type {string} */ name) => t`Take back all answers of ${name}?`,
      then: t`Boxes that were confirmed with them wait for another person. Boxes that were drawn already stay, and their images are named.`,
      takenBack: (/** @type {number} */ number, /** @type {string} */ images) =>
        images
          ? t`${count(number, t`answer`, t`answers`)} taken back. Drawn already, so look at them: images ${images}.`
          : t`${count(number, t`answer`, t`answers`)} taken back.`,
    },
    presence: {
      title: t`Questions about images`,
      note: t`Answers on the page Presence. What gold images show is known: an attentive person says yes to few of those without it.`,
      counts: (/** @type {string} */ done, /** @type {string} */ images) =>
        t`${done} of ${images} images have no open question.`,
      heads: [
        t`name`,
        t`Answers`,
        t`Seconds an answer`,
        t`Yes where it is not shown`,
        t`No where it is shown`,
        "",
      ],
      suspect: (/** @type {string} */ name, /** @type {string} */ share) =>
        t`${name} says yes to too many images without it: ${share}. Talk to them, or take their answers back.`,
      takeBack: t`Take back`,
      then: t`The questions are asked again. Images that were discarded because of them wait again.`,
    },
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
    collected: (/** @type {string} */ done, /** @type {string} */ all) =>
      t`${done} of ${all} usable images (target)`,
    compared: (/** @type {string} */ done, /** @type {string} */ all) => t`${done} of ${all} compared`,
    collecting: (
      /** @type {string} */ all,
      /** @type {string} */ fetched,
      /** @type {string} */ waiting,
      /** @type {string} */ gone,
    ) => t`${all} photos found: ${fetched} fetched, ${waiting} to fetch, ${gone} gone or broken.`,
    imported: (/** @type {number} */ photos) => t`${count(photos, t`photo was`, t`photos were`)} imported.`,
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
};
