/** What was finished and left, and is still on its way to the server. */

import { statusOf } from "./saving.js";

/** @typedef {{count: number, trouble: "offline" | "signed_out" | null}} Outbox */

/** @type {Outbox} */
export const EMPTY_OUTBOX = { count: 0, trouble: null };

/**
 * How safe all work of the page is: that in hand first, then what is on its way up.
 * @param {Pick<import("./model.js").Model, "work" | "outbox">} model
 * @returns {import("./saving.js").SaveStatus}
 */
export function statusOfPage({ work, outbox }) {
  const status = work ? statusOf(work.saving) : "saved";
  if (outbox.count === 0) return status;
  if (status === "saved" || status === "saving") return outbox.trouble ?? "saving";
  return status;
}
