/** Words and numbers that texts of several pages share. */

import { t } from "../translate.js";

/**
 * @param {number} count
 * @param {string} singular
 * @param {string} many
 */
export const count = (count, singular, many) => `${count} ${count === 1 ? singular : many}`;

/** The states of an image from the pool on. */
export const states = {
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
};

export const flags = {
  truncated: t`truncated`,
  occluded: t`occluded`,
  difficult: t`difficult`,
  unsure: t`unsure`,
  group_of: t`group`,
};

/**
 * @param {number} part
 * @param {number} whole
 */
export const share = (part, whole) =>
  whole === 0 ? "–" : t`${Math.round((100 * part) / whole)} % (${part} of ${whole})`;
