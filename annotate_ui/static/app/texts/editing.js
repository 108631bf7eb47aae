/** What every page for changing something says. */

import { t } from "../translate.js";

export const editing = {
  editor: {
    saved: t`Saved.`,
    unsaved: t`Not saved yet.`,
    noServer: t`The server does not answer. Your text is still here; save again.`,
    conflict: t`Someone else saved meanwhile. Save again to make your text the newest version; both are kept.`,
    version: (/** @type {number} */ number, /** @type {string} */ name, /** @type {string} */ at) =>
      t`Version ${number} by ${name}, ${at}`,
    preset: t`Original version`,
    open: t`Open`,
    replace: t`Replace the text that you typed? It is not saved.`,
    replaceYes: t`Replace my text`,
    twice: (/** @type {string} */ name) =>
      t`Two sections are named “${name}”. Only the first is shown at the image.`,
  },

  sure: { back: t`Change nothing` },
  rowMenu: (/** @type {string} */ name) => t`Actions: ${name}`,
};
