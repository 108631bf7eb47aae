/** The queue and the mode for rare classes. */

import { t } from "../translate.js";
import { count } from "./words.js";

export const queue = {
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
};
