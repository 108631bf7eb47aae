/** The board and the wall. */

import { count } from "./count.js";

export const party = {
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
    noForecast: "not in sight",
    inHours: (/** @type {number} */ hours) => (hours < 1 ? "< 1 h" : `~${hours < 100 ? Math.round(hours) : Math.round(hours / 10) * 10} h`),
    classTitle: (/** @type {import("../state/board.js").ClassProgress} */ { display, images, objects, target, forecast }) =>
      `${display}: ${objects} objects on ${images} images of ${target} wanted` +
      (forecast.low_hours !== null && forecast.high_hours !== null && forecast.high_hours > 0
        ? `; in ${Math.round(forecast.low_hours)} to ${Math.round(forecast.high_hours)} hours of work`
        : ""),
    secsTitle: (/** @type {import("../state/board.js").ClassSecs} */ one) =>
      `${one.display}: ${one.objects} objects, half of them in ${one.quarter_secs} to ${one.three_quarter_secs} s`,
    cellTitle: (/** @type {import("../state/board.js").Cell} */ { first, second, both, images }) =>
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
    hold: (/** @type {import("../state/board.js").Hold} */ { kind, image_id, is_opened }) =>
      `${is_opened ? (kind === "check" ? "checks" : "draws") : "reserved"} ${image_id} ×`,
    takeBackTitle: (/** @type {import("../state/board.js").Hold} */ { image_id }, /** @type {number} */ secs) =>
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
};
