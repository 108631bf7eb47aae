/** Objects, hints and times in a few words. */

import { formatChord } from "../state/chords.js";
import { objectsIn } from "../state/editor.js";
import { UNSPECIFIED } from "../state/objects.js";
import { displayOf, displayOfClass } from "../state/party.js";
import { texts } from "../texts.js";

/** @import {Model} from "../state/types.js" */
/** @import {Annotated, Finding} from "../types.js" */

/** A chord as the page's language names its keys. @param {string} chord */
export const sayChord = (chord) => formatChord(chord, texts.keyNames);

/** One letter for each flag that is set; a proposal has a question mark. @param {Annotated} object */
export function flagLetters(object) {
  const { letters } = texts.objects;
  const isProposal = object.truncated && object.truncatedBy === "border";
  return [
    object.truncated ? letters.truncated + (isProposal ? "?" : "") : "",
    object.occluded ? letters.occluded : "",
    object.difficult ? letters.difficult : "",
    object.unsure ? letters.unsure : "",
    object.group_of ? letters.group_of : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** "person 87 %": what a model suggests, and how sure it is. @type {(party: Model["party"], suggestion: Annotated) => string} */
export function saySuggestion(party, { class: name, confidence = 0 }) {
  return `${displayOfClass(party, name)} ${Math.floor(confidence * 100)} %`;
}

/**
 * "Warning, object 2 (person): …": how grave it is and of which object of the list it speaks.
 * @type {(model: Pick<Model, "party" | "work">, hint: Finding) => string}
 */
export function sayHint({ party, work }, { severity, object_key: key, message }) {
  const objects = work ? objectsIn(work.editor) : [];
  const at = objects.findIndex((object) => object.key === key);
  const about = at < 0 ? "" : texts.hints.about(at + 1, displayOfClass(party, objects[at].class));
  return texts.hints.line(texts.found.severity[severity] ?? severity, about, message);
}

/**
 * Parts and actions in words, and the reference point.
 * @type {(party: Model["party"], marked: Pick<Annotated, "parts" | "actions" | "point">) => string}
 */
export function sayMarked(party, { parts, actions, point }) {
  return [
    ...parts.map(({ part }) => displayOf(party, "part", part)),
    ...actions.map((id) => displayOf(party, "action", id)),
    point ? texts.inspector.point : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/**
 * What finishing the image would drop of an object, because its class cannot have it; empty where nothing is.
 * @type {(party: Model["party"], object: Annotated | null) => string}
 */
export function sayLaidAside(party, object) {
  if (!object?.laidAside) return "";
  const { laidAside } = object;
  const view = laidAside.view === UNSPECIFIED ? "" : displayOf(party, "view", laidAside.view);
  const what = [view, sayMarked(party, laidAside)].filter(Boolean).join(", ");
  return texts.inspector.laidAside(displayOfClass(party, object.class), what);
}

/** @type {Intl.DateTimeFormatOptions} */
const MINUTES = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** The name of the time zone that the reader's clock shows. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Hours and minutes. @param {string} moment */
export function clock(moment) {
  return new Date(moment).toLocaleTimeString([], MINUTES);
}

/** Hours, minutes and seconds, for what is looked at while it changes. @param {string} moment */
export function clockSecs(moment) {
  return new Date(moment).toLocaleTimeString([], { ...MINUTES, second: "2-digit" });
}

const DAY_MS = 86_400_000;

/** The Monday of an ISO week such as "2026-W05", as the reader writes it. @param {string} week */
export function sayMonday(week) {
  const [year, number] = week.split("-W").map(Number);
  const fourth = new Date(Date.UTC(year, 0, 4)); // is always in week 1
  const days = 7 * (number - 1) - ((fourth.getUTCDay() + 6) % 7);
  const monday = new Date(fourth.getTime() + days * DAY_MS);
  return monday.toLocaleDateString([], { day: "numeric", month: "short", timeZone: "UTC" });
}

/** The day as the reader writes it, and the time. @param {string} moment */
export function dayAndClock(moment) {
  return `${new Date(moment).toLocaleDateString()}, ${clock(moment)}`;
}
