/** The classes that are often taken for one another, with the way to the guidelines. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @import {PairRecord} from "../types.js" */

const MOST = 10;
const words = texts.pairs;

/** A heading and a line for each pair of classes; null where nothing is known. @param {readonly PairRecord[]} records */
export function listConfused(records) {
  const known = records.filter(({ removed, both, confused }) => removed + both + confused > 0);
  if (known.length === 0) return null;
  const lines = known.slice(0, MOST).map((record) =>
    el(
      "li",
      {},
      el("b", {
        text: record.first === record.second ? record.first : `${record.first}, ${record.second}`,
      }),
      ...(record.wrong ? [el("span", { text: words.wrong(record) })] : []),
      ...(record.confused ? [el("span", { text: words.blind(record.confused) })] : []),
    ),
  );
  return el(
    "section",
    { class: "confused", test: "confused" },
    el("h2", { text: words.confused }),
    el("p", { class: "quiet", text: words.confusedLead }),
    el("ul", {}, ...lines),
    location.pathname === "/guidelines/edit"
      ? null
      : el("p", {}, el("a", { href: "/guidelines", text: words.guidelines })),
  );
}
