/** Two revisions of an image laid over one another: what was added, removed, moved and changed. */

import { texts } from "../texts.js";
import { el } from "./dom.js";
import { drawOn } from "./image_card.js";

/** @import {Change, Picture, SentObject} from "../types.js" */

/**
 * The image with both versions of the boxes, and a line for each change.
 * @param {Picture} picture
 * @param {readonly Change[]} changes
 * @param {readonly SentObject[]} same
 * @param {(name: string) => string} display of a class
 */
export function overlay(picture, changes, same, display) {
  const marks = same.flatMap((object) => markAll(object, "same", display(object.class)));
  for (const { kind, before, after } of changes) {
    const words = texts.overlay.kinds[kind];
    if (before) marks.push(...markAll(before, after ? "was" : "removed", `${display(before.class)}: ${words}`));
    if (after) marks.push(...markAll(after, kind, `${display(after.class)}: ${words}`));
  }
  return drawOn(picture, marks, "overlay");
}

/**
 * One line for each change: "dog: moved", "cat is now dog".
 * @param {readonly Change[]} changes
 * @param {(name: string) => string} display of a class
 */
export function listChanges(changes, display) {
  const lines = changes.map((change) =>
    el("li", { class: change.kind, test: `change:${change.kind}` }, el("span", { class: "mark" }), say(change, display)),
  );
  return lines.length > 0 ? el("ul", { class: "changes" }, ...lines) : el("p", { class: "quiet", text: texts.overlay.none });
}

/** @param {Change} change @param {(name: string) => string} display */
function say({ kind, fields, before, after }, display) {
  const words = texts.overlay;
  const name = display((after ?? before)?.class ?? "");
  if (!before || !after) return `${name}: ${words.kinds[kind]}`;
  const renamed = fields.includes("class") ? words.renamed(display(before.class), name) : name;
  const rest = fields.filter((field) => field !== "class").map((field) => sayField(field, before, after));
  return [renamed, rest.join(", ")].filter(Boolean).join(": ");
}

/** @param {string} field @param {SentObject} before @param {SentObject} after */
function sayField(field, before, after) {
  const words = texts.overlay.fields[field] ?? field;
  if (field === "box") return texts.overlay.kinds.moved;
  const [from, to] = [before, after].map((object) => /** @type {any} */ (object)[field]);
  if (typeof from === "boolean") return to ? words : `not ${words}`;
  if (field === "view") return `${words} ${from} → ${to}`;
  if (field === "actions") return `${words} ${from.join(", ") || "–"} → ${to.join(", ") || "–"}`;
  return words;
}

/** An object and its parts. @param {SentObject} object @param {string} kind @param {string} title */
function markAll(object, kind, title) {
  const parts = object.parts.map(({ box }) => ({ box, looks: `${kind} part`, title }));
  return [{ box: object.box, looks: kind, title }, ...parts];
}
