/** What the automatic checks said of the last save, as far as it still speaks of what is there. */

import { objectsIn } from "./editor.js";

/** @typedef {import("../types.js").Finding} Finding */
/** @typedef {import("./model.js").Work} Work */

/**
 * The gravest first, as the server sent them; one whose object was removed says no more.
 * @param {Pick<Work, "findings" | "editor">} work
 * @returns {readonly Finding[]}
 */
export function listHints({ findings, editor }) {
  if (findings.length === 0) return findings;
  const keys = new Set(objectsIn(editor).map(({ key }) => key));
  return findings.filter(({ object_key: key }) => key === null || keys.has(key));
}
