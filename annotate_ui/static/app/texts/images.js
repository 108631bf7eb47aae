/** The images of a party: found, changed, shown on the wall. */

import { language, t } from "../translate.js";
import { count, flags, states } from "./words.js";

export const images = {
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
      ...states,
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
    action: t`What to do`,
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
};
