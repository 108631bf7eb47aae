/** What differs between two revisions of an image. */

import { t } from "../translate.js";
import { flags } from "./words.js";

const FIELDS = /** @type {Readonly<Record<string, string>>} */ ({
  ...flags,
  ...{ box: t`box`, view: t`view`, actions: t`actions`, point: t`point`, parts: t`parts` },
});

export const overlay = {
  kinds: /** @type {Readonly<Record<string, string>>} */ ({
    added: t`added`,
    removed: t`removed`,
    moved: t`moved`,
    changed: t`changed`,
    same: t`the same`,
  }),
  fields: FIELDS,
  not: (/** @type {string} */ flag) => t`not ${flag}`,
  renamed: (/** @type {string} */ from, /** @type {string} */ to) => t`${from} changed to ${to}`,
  none: t`These two revisions are the same.`,
};
