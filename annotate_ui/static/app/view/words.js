/** Objects in a few words, for tags on the image and lines in the list. */

import { objectsIn } from "../state/editor.js";
import { displayOfClass, displayOfView } from "../state/party.js";
import { UNSPECIFIED } from "../state/objects.js";
import { texts } from "../texts.js";

/** @typedef {import("../types.js").Annotated} Annotated */
/** @typedef {import("../types.js").Party} Party */
/** @typedef {import("../types.js").Finding} Finding */
/** @typedef {import("../state/model.js").Model} Model */

/**
 * "person · left · T O": the class, and for the selected object its view; then its flags.
 * @param {Party} party
 * @param {Annotated} object
 * @param {boolean} isLong
 */
export function describeTag(party, object, isLong) {
  const view = object.view === UNSPECIFIED || !isLong ? "" : displayOfView(party, object.view);
  const parts = [displayOfClass(party, object.class), view, flagLetters(object)];
  return parts.filter(Boolean).join(" · ");
}

/**
 * One letter for each flag that is set; a proposal has a question mark of its own.
 * @param {Annotated} object
 */
export function flagLetters(object) {
  const { letters } = texts.objects;
  const isProposal = object.truncated && object.truncatedBy === "border";
  return [
    object.truncated ? letters.truncated + (isProposal ? "?" : "") : "",
    object.occluded ? letters.occluded : "",
    object.difficult ? letters.difficult : "",
    object.unsure ? letters.unsure : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * "Warning, object 2 (person): …": how grave it is and of which object of the list it speaks.
 * @param {Pick<Model, "party" | "work">} model
 * @param {Finding} hint
 */
export function sayHint({ party, work }, { severity, object_key: key, message }) {
  const objects = work ? objectsIn(work.editor) : [];
  const at = objects.findIndex((object) => object.key === key);
  const about = at < 0 ? "" : texts.hints.about(at + 1, displayOfClass(party, objects[at].class));
  return texts.hints.line(texts.found.severity[severity] ?? severity, about, message);
}
