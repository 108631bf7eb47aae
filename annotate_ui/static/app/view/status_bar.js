/** The bar at the bottom: what is saved, what the page has to say; and the page's state as attributes. */

import { heightPx, widthPx } from "../geometry/boxes.js";
import { pixelAt } from "../geometry/pixels.js";
import { selectedBox } from "../state/editor.js";
import { listHints } from "../state/findings.js";
import { isDrawing, isEnding, selectedIn } from "../state/model.js";
import { statusOf, statusOfPage } from "../state/saving.js";
import { texts } from "../texts.js";
import { el, setAttribute } from "./dom.js";
import { sayHint, sayLaidAside } from "./words.js";

/** @import {Model, Store} from "../state/types.js" */

/**
 * @param {HTMLElement} bar
 * @param {Store<Model>} store
 */
export function mountStatusBar(bar, store) {
  const saved = el("span", { class: "save-state", test: "save-state", role: "status" });
  const notice = el("span", { class: "notice", test: "notice", aria: { live: "polite" } });
  const names = ["credit", "box", "place", "zoom", "size", "left", "person"];
  const [credit, box, place, zoom, size, left, person] = names.map((name) =>
    el("span", { class: `status-${name}`, test: `status-${name}` }),
  );
  const hints = el("span", { class: "status-hints", test: "hints", role: "status" });
  bar.append(saved, hints, notice, credit, box, place, zoom, size, left, person);
  person.textContent = store.get().person.name;

  const show = (/** @type {Model} */ model) => {
    showSaved(saved, model);
    const findings = model.work ? listHints(model.work) : [];
    const said = findings.map((hint) => sayHint(model, hint));
    write(hints, findings.length > 0 ? texts.hints.number(findings.length) : "");
    setAttribute(hints, "title", said.join("\n") || null);
    setAttribute(hints, "data-severity", findings[0]?.severity);
    write(notice, noticeOf(model) || sayLaidAside(model.party, selectedIn(model)) || (said[0] ?? ""));
    notice.dataset.tone = model.notice?.tone ?? "plain";
    const task = model.work?.task;
    write(credit, task?.photo ? texts.status.credit(task.photo.title, task.photo.owner_name) : "");
    credit.title = credit.textContent ?? "";
    write(box, boxOf(model));
    const { cursor, editor } = model.work ?? {};
    write(place, cursor?.at && editor ? pixelAt(cursor.at, editor.size).join(", ") : "");
    write(zoom, task ? texts.status.zoom(model.viewport.scale) : "");
    write(size, task ? texts.status.size(task.width, task.height) : "");
    write(left, texts.status.left(model.left));
  };
  store.follow(show);
}

/**
 * @param {HTMLElement} element
 * @param {Model} model
 */
function showSaved(element, model) {
  const { work, line } = model;
  const status = statusOfPage(model);
  const isJudged = work !== null && work.judgements.size > 0 && statusOf(work.saving) === "saved";
  const isLocal = !isDrawing(model.page) && (status === "unsaved" || isJudged);
  const isEmpty = !work && status === "saved";
  const words =
    line.count > 0 && status === "offline" ? texts.status.offlineWith(line.count) : texts.status[status];
  write(element, isEmpty ? "" : isLocal ? texts.status.local : words);
  element.dataset.status = status;
}

/**
 * A text that is the same is left alone, or a screen reader would say it again.
 * @type {(element: HTMLElement, text: string) => void}
 */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Model} model */
function noticeOf({ notice, work, party }) {
  const refusal = work?.editor.refusal;
  if (refusal === "too_small") return texts.refusals.too_small(party.min_box_px);
  if (refusal === "too_many") return texts.refusals.too_many(party.max_objects);
  if (refusal) return texts.refusals[refusal];
  return notice?.text ?? "";
}

/** @param {Model} model */
function boxOf({ work }) {
  const box = work?.cursor.gesture?.preview?.box ?? (work && selectedBox(work.editor));
  if (!box) return "";
  const [xmin, ymin, xmax, ymax] = box;
  return `${xmin}, ${ymin} – ${xmax}, ${ymax}  (${widthPx(box)} × ${heightPx(box)})`;
}

/**
 * Where the page is, as attributes: styles and tests read them. `data-ready` is true when an image
 * is shown and nothing is on its way; `data-ahead` is how many images behind it are here.
 * @param {Model} model
 */
export function showPageState(model) {
  const { body } = document;
  const { work, screen } = model;
  const status = statusOfPage(model);
  const isReady = screen === "work" && model.isPainted && work !== null && !isEnding(work);
  setAttribute(body, "data-screen", screen);
  setAttribute(body, "data-ready", String(isReady));
  setAttribute(body, "data-saved", status);
  setAttribute(body, "data-image", work?.task.image_id);
  setAttribute(body, "data-ahead", model.aheadHere);
  setAttribute(body, "data-armed", work?.editor.armed?.kind);
  setAttribute(body, "data-selected", work?.editor.selection?.key);
  setAttribute(body, "data-guide", model.showsGuide ? "open" : null);
  setAttribute(body, "data-drawing", model.preferences.drawing);
}
