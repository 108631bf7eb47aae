/** The people of a party, and messages to them. */

import { t } from "../translate.js";

export const people = {
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
    sure: (/** @type {string} */ name) => t`Revoke the link of ${name}?`,
    sureRenew: (/** @type {string} */ name) => t`Make a new link for ${name}?`,
    thenRenewed: t`The old link no longer works, and they are signed out everywhere.`,
    thenEnded: t`They are signed out at once and can no longer sign in. Their annotations are kept.`,
    undo: t`Undo work`,
    sureUndo: (/** @type {string} */ name) => t`Undo all work of ${name}?`,
    find: t`Find a person`,
    trained: (/** @type {string} */ day) => t`trained on ${day}`,
    invite: t`Invite a person`,
    none: { title: t`Only you so far`, lead: t`Invite the first person, or open sign-up for a whole room.` },
    nobody: t`No person has this name.`,
    endedNow: (/** @type {string} */ name) => t`${name} can no longer sign in. Their annotations are kept.`,
    roleSet: (/** @type {string} */ name, /** @type {string} */ role) =>
      t`${name} is now ${role} and has to open the personal link again.`,
    ended: t`link revoked`,
    imported: t`an import`,
    close: t`Close sign-up`,
    closed: t`Sign-up is closed. People who signed up keep their links.`,
    codeState: (/** @type {number} */ people, /** @type {number} */ most) =>
      t`${people} of ${most} signed up`,
    until: (/** @type {string} */ clock) => t`open until ${clock}`,
    noServer: t`The server does not answer. Nothing was changed; try again.`,
  },

  remark: {
    from: (/** @type {string} */ name) => t`Message from ${name}:`,
    about: (/** @type {number} */ id) => t`About your image ${id}`,
    button: t`OK`,
  },
};
