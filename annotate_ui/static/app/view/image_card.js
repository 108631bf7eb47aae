/** What the card of an image shows: its picture with boxes, earlier rounds of checking, two revisions overlaid. */

import { HUES } from "../state/display.js";
import { countClasses } from "../state/objects.js";
import { displayOf, displayOfClass } from "../state/party.js";
import { texts } from "../texts.js";
import { el, svg } from "./dom.js";

/** @import {Boxed, Change, Party, Picture, Round, SentObject} from "../types.js" */

/**
 * An image with boxes on it, each of them light over dark, so that it shows on every photograph.
 * @param {Picture} picture
 * @param {readonly {box: SentObject["box"], looks: string, title: string}[]} marks
 * @param {string} [test]
 */
export function drawOn({ image_url: src, width, height }, marks, test) {
  const rects = marks.flatMap(({ box: [xmin, ymin, xmax, ymax], looks, title }) => {
    const place = { x: xmin - 1, y: ymin - 1, width: xmax - xmin + 1, height: ymax - ymin + 1 };
    const rect = (/** @type {string} */ layer) => svg("rect", { ...place, class: `${layer} ${looks}` });
    const over = rect("over");
    over.append(svg("title", {}, title));
    return [rect("under"), over];
  });
  const image = el("img", { src, alt: "", loading: "lazy", width, height });
  const boxes = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "boxes" }, ...rects);
  const figure = el("div", { class: "boxed", test }, image, boxes);
  figure.style.aspectRatio = `${width} / ${height}`;
  return figure;
}

/**
 * Classes are in the party's order; objects of the keys `marked` stand out. @param {readonly string[]} classNames
 * @param {Picture & {objects: readonly Boxed[]}} item
 * @param {ReadonlySet<string>} [marked]
 */
export function boxed(item, classNames, marked = new Set()) {
  const marks = item.objects.map(({ key, box, class: name }) => {
    const hue = Math.max(classNames.indexOf(name), 0) % HUES;
    return { box, looks: `hue-${hue}${marked.has(key) ? " marked" : ""}`, title: name };
  });
  return drawOn(item, marks);
}

/**
 * The classes of the objects, each once with how many there are.
 * @type {(objects: readonly Boxed[], display: (name: string) => string) => string}
 */
export function nameObjects(objects, display) {
  return [...countClasses(objects)]
    .map(([name, number]) => (number > 1 ? `${number} × ${display(name)}` : display(name)))
    .join(", ");
}

/**
 * One line for each verdict, with its comments below, each with the class that it speaks of.
 * @param {readonly Round[]} rounds
 * @param {(name: string) => string} display
 */
export function listRounds(rounds, display) {
  const lines = rounds.map((round) => {
    const said = el("b", { text: texts.rounds.said(round.checker, round.verdict) });
    const about = round.objects.map((object) =>
      el(
        "p",
        { class: "typed" },
        el("span", { class: "quiet", text: `${display(object.class)}: ` }),
        object.comment || "✗",
      ),
    );
    const comment = round.comment ? el("p", { class: "typed", text: round.comment }) : null;
    return el("li", { data: { verdict: round.verdict } }, said, comment, ...about);
  });
  return el("ol", { class: "rounds", test: "rounds" }, ...lines);
}

/**
 * The image with both versions of the boxes, and a line for each change.
 * @param {Picture} picture
 * @param {readonly Change[]} changes
 * @param {readonly SentObject[]} same
 * @param {(name: string) => string} display
 */
export function overlay(picture, changes, same, display) {
  const marks = same.flatMap((object) => markAll(object, "same", display(object.class)));
  for (const { kind, before, after } of changes) {
    const words = texts.overlay.kinds[kind];
    if (before)
      marks.push(...markAll(before, after ? "was" : "removed", `${display(before.class)}: ${words}`));
    if (after) marks.push(...markAll(after, kind, `${display(after.class)}: ${words}`));
  }
  return drawOn(picture, marks, "overlay");
}

/**
 * The image before and after, side by side; once, where no box differs. Objects of the keys `marked` stand out.
 * @param {Picture} picture
 * @param {{changes: readonly Change[], same: readonly SentObject[], marked: ReadonlySet<string>}} drawn
 * @param {{ids: readonly string[], display: (name: string) => string}} classes in the party's order
 * @param {{before: string, after: string | null}} captions without `after` it is as it was before
 */
export function sideBySide(picture, { changes, same, marked }, { ids, display }, captions) {
  const stays = same.flatMap((object) =>
    markAll(object, marked.has(object.key) ? "same marked" : "same", display(object.class)),
  );
  const draw = (/** @type {"before" | "after"} */ side) =>
    changes.flatMap((change) => {
      const object = change[side];
      if (!object) return [];
      const looks = side === "before" && change.after ? "was" : change.kind;
      return markAll(object, looks, `${display(object.class)}: ${texts.overlay.kinds[change.kind]}`);
    });
  const show = (/** @type {"before" | "after"} */ side) =>
    captioned(picture, drawOn(picture, [...stays, ...draw(side)]), captions[side] ?? "", side);
  const isMoved = changes.some(({ kind }) => kind !== "changed");
  const objects = [...same, ...changes.flatMap(({ before }) => before ?? [])];
  const figures =
    captions.after === null
      ? [captioned(picture, boxed({ ...picture, objects }, ids, marked), captions.before, "before")]
      : isMoved
        ? [show("before"), show("after")]
        : [show("after")];
  return el("div", { class: "before-after" }, ...figures);
}

/**
 * A figure that is as wide as its picture needs.
 * @param {Picture} picture
 * @param {HTMLElement} drawn
 * @param {string} caption
 * @param {"before" | "after"} side
 */
export function captioned({ width, height }, drawn, caption, side) {
  const figure = el("figure", { test: `drawn:${side}` }, drawn, el("figcaption", { text: caption }));
  figure.style.setProperty("--aspect", String(width / height));
  return figure;
}

/**
 * One line for each change: "dog: moved", "cat is now dog".
 * @param {readonly Change[]} changes
 * @param {Party} party
 */
export function listChanges(changes, party) {
  const lines = changes.map((change) =>
    el(
      "li",
      { class: change.kind, test: `change:${change.kind}` },
      el("span", { class: "mark" }),
      say(change, party),
    ),
  );
  return lines.length > 0
    ? el("ul", { class: "changes" }, ...lines)
    : el("p", { class: "quiet", text: texts.overlay.none });
}

/**
 * @param {Change} change
 * @param {Party} party
 */
function say({ kind, fields, before, after }, party) {
  const words = texts.overlay;
  const display = (/** @type {string} */ id) => displayOfClass(party, id);
  const name = display((after ?? before)?.class ?? "");
  if (!before || !after) return `${name}: ${words.kinds[kind]}`;
  const renamed = fields.includes("class") ? words.renamed(display(before.class), name) : name;
  const rest = fields
    .filter((field) => field !== "class")
    .map((field) => sayField(field, before, after, party));
  return [renamed, rest.join(", ")].filter(Boolean).join(": ");
}

/**
 * @param {string} field
 * @param {SentObject} before
 * @param {SentObject} after
 * @param {Party} party
 */
function sayField(field, before, after, party) {
  const words = texts.overlay.fields[field] ?? field;
  if (field === "box") return texts.overlay.kinds.moved;
  const [from, to] = [before, after].map((object) => /** @type {any} */ (object)[field]);
  if (typeof from === "boolean") return to ? words : texts.overlay.not(words);
  if (field === "view") {
    return `${words} ${displayOf(party, "view", from)} → ${displayOf(party, "view", to)}`;
  }
  if (field === "actions") return `${words} ${sayActions(party, from)} → ${sayActions(party, to)}`;
  return words;
}

/** @type {(party: Party, ids: readonly string[]) => string} */
function sayActions(party, ids) {
  return ids.map((id) => displayOf(party, "action", id)).join(", ") || "–";
}

/**
 * An object and its parts.
 * @param {SentObject} object
 * @param {string} kind
 * @param {string} title
 */
function markAll(object, kind, title) {
  const parts = object.parts.map(({ box }) => ({ box, looks: `${kind} part`, title }));
  return [{ box: object.box, looks: kind, title }, ...parts];
}
