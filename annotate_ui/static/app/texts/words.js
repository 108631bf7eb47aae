/** Words and numbers that texts of several pages share. */

import { t } from "../translate.js";

/**
 * @param {number} count
 * @param {string} singular
 * @param {string} many
 */
export const count = (count, singular, many) => `${count} ${count === 1 ? singular : many}`;

export const flags = {
  truncated: t`truncated`,
  occluded: t`occluded`,
  difficult: t`difficult`,
  unsure: t`unsure`,
};

/**
 * @param {number} part
 * @param {number} whole
 */
export const share = (part, whole) =>
  whole === 0 ? "–" : t`${Math.round((100 * part) / whole)} % (${part} of ${whole})`;
