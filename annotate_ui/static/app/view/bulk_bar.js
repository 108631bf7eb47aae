/** What can be done with the images that are ticked, or with all that were found. */

import { texts } from "../organising_texts.js";
import { el, makeOptions } from "./dom.js";

/** @import {BulkAction} from "../types.js" */

const words = texts.images;

/**
 * `act` is called with what was chosen, `leave` when nothing is to be ticked any more.
 * @param {Record<string, string>} reasons of discarding, by their key
 * @param {{act: (action: BulkAction) => void, tickAll: () => void, leave: () => void}} on
 */
export function makeBulkBar(reasons, { act, tickAll, leave }) {
  const count = el("b", { test: "ticked" });
  const all = el("button", { class: "plain", test: "tick-all", on: { click: tickAll } });
  const kind = el("select", { test: "action", aria: { label: words.action } }, ...makeOptions(words.actions));
  const why = makeField("words", words.why, 2000);
  const reason = el("select", { test: "reason", aria: { label: words.reason } }, ...makeOptions(reasons));
  const name = makeField("campaign-name", words.campaignName, 100);
  const fields = makeField("campaign-fields", words.fields, 200);
  const version = makeField("campaign-guidelines", words.version, 9);
  Object.assign(version, { type: "number", title: words.guidelines, ariaLabel: words.guidelines });
  const apply = el("button", { class: "main", test: "act", on: { click: () => act(read()) } });
  kind.addEventListener("change", showFields);
  showFields();
  const element = el(
    "div",
    { class: "bulk", test: "bulk", role: "region", aria: { label: words.bulk }, hidden: true },
    count,
    all,
    kind,
    name,
    fields,
    version,
    why,
    reason,
    apply,
    el("button", { class: "plain", text: words.untick, test: "untick", on: { click: leave } }),
  );

  function showFields() {
    const isCampaign = kind.value === "annotate_again";
    reason.hidden = kind.value !== "discard";
    why.hidden = kind.value === "discard" || kind.value === "reopen";
    for (const field of [name, fields, version]) field.hidden = !isCampaign;
  }

  /** @returns {BulkAction} */
  function read() {
    const wanted = fields.value.split(",").map((field) => field.trim());
    return {
      action: kind.value,
      text: kind.selectedOptions[0]?.text ?? "",
      words: kind.value === "discard" ? reason.value : why.value,
      campaign: {
        name: name.value.trim(),
        fields: wanted.filter(Boolean),
        guidelines: version.value ? Number(version.value) : null,
        comment: why.value,
      },
    };
  }

  /**
   * @param {number} ticked
   * @param {number} found
   * @param {boolean} isAll whether all that were found are meant, shown or not
   * @param {boolean} mayTickAll
   */
  function show(ticked, found, isAll, mayTickAll) {
    element.hidden = ticked === 0 && !isAll;
    count.textContent = isAll ? words.tickedAll(found) : words.ticked(ticked);
    all.textContent = words.tickAll(found);
    all.hidden = isAll || !mayTickAll || ticked >= found;
    apply.textContent = isAll ? words.toAll(found) : words.toTicked(ticked);
  }

  return { element, show };
}

/**
 * @param {string} test
 * @param {string} placeholder
 * @param {number} maxlength
 */
function makeField(test, placeholder, maxlength) {
  return el("input", { test, placeholder, maxlength, aria: { label: placeholder } });
}
