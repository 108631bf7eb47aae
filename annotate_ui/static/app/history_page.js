/** The history of an image: its revisions, any two of them overlaid, and an earlier one restored. */

import { explain, openApi } from "./api.js";
import { makeKey } from "./calls.js";
import { texts } from "./texts.js";
import { ask, choice, choices } from "./view/dialog.js";
import { byId, el, imagesLink } from "./view/dom.js";
import { listChanges, overlay } from "./view/overlay.js";
import { dayAndClock } from "./view/words.js";

/** @import {History, RevisionRow, Said} from "./types.js" */

const words = texts.history;
const api = openApi();
const query = new URLSearchParams(location.search);
const imageId = Number(query.get("image"));
/** Where restoring leads back to: an editor of this site that opens the image again. */
const back = /^\/(annotate|check)(\?|$)/.test(query.get("back") ?? "") ? query.get("back") : null;
const mayLookUp = document.querySelector("nav a[href='/images']") !== null;
const said = el("p", { class: "said", role: "status", test: "said" });
const list = el("ol", { class: "revisions", test: "revisions" });
const stage = el("div", { class: "compared" });
const drafts = el("input", { type: "checkbox", test: "drafts", on: { change: () => show() } });
const { classes } = await api.party();
const display = (/** @type {string} */ name) => classes.find((one) => one.name === name)?.display ?? name;
let history = /** @type {History | null} */ (null);
/** The two revisions that are compared. */
let [before, after] = [0, 0];
/** One key for one wish, so that a repeated restore is saved once. */
let restoring = { id: 0, key: "" };

byId("history").replaceChildren(
  el(
    "header",
    { class: "board-head" },
    el("h1", {}, mayLookUp ? imagesLink({ id: String(imageId) }, words.title(imageId)) : words.title(imageId)),
    back ? el("a", { class: "button plain", href: back, text: words.back, test: "back" }) : null,
    el("label", { class: "drafts" }, drafts, words.drafts),
    said,
  ),
  el("div", { class: "history-columns" }, list, stage),
);
if (imageId > 0) await load();
else said.textContent = words.unasked;
byId("history").dataset.ready = "true";

/** The newest and the finished one before it are chosen. */
async function load() {
  await attempt(async () => {
    history = await api.revisions(imageId);
    const [newest, ...older] = history.revisions;
    const whole = older.find((one) => one.finished && !one.beside) ?? older[0] ?? newest;
    [before, after] = [whole?.id ?? 0, newest?.id ?? 0];
    drafts.checked = history.revisions.every((one) => !one.finished) || whole?.finished === false;
    show();
  });
}

function show() {
  const rows = history?.revisions ?? [];
  const isShown = (/** @type {RevisionRow} */ one) => one.finished || one.head || drafts.checked;
  list.replaceChildren(...rows.filter(isShown).map(makeRow));
  if (rows.length > 0) void compare();
  else stage.replaceChildren(el("p", { class: "quiet", text: words.empty }));
}

/** @param {RevisionRow} row */
function makeRow(row) {
  return el(
    "li",
    { test: `revision:${row.id}`, class: row.head ? "head" : "" },
    pick("before", row.id),
    pick("after", row.id),
    el(
      "div",
      {},
      el("b", { text: row.corrects ? words.corrects(row.person.name) : row.person.name }),
      el("span", { class: "quiet", text: ` ${dayAndClock(row.saved_at)} · ${words.objects(row.objects)} · ${describe(row)}` }),
      ...[row.corrects?.comment, row.comment].filter(Boolean).map((text) => el("p", { text: text ?? "" })),
      ...row.reviews.map((one) =>
        el("p", { class: one.set_aside ? "quiet" : "verdict", text: sayVerdict(one) }),
      ),
      row.releases.length > 0 ? el("p", { text: words.release(row.releases) }) : null,
      history?.may_restore && !row.head
        ? el("button", { text: words.restore, test: `restore:${row.id}`, on: { click: () => void restore(row.id) } })
        : null,
    ),
  );
}

/** @param {Said} one */
function sayVerdict(one) {
  const said = [words.said(one.checker, one.verdict), one.comment].filter(Boolean).join(": ");
  return one.set_aside ? `${said} (${words.setAside})` : said;
}

/** @param {RevisionRow} row */
function describe({ head, finished, beside, discarded, set_aside }) {
  const state = discarded ? words.discarded(discarded) : finished ? words.finished : words.draft;
  return [state, beside ? words.beside : "", set_aside ? words.setAside : "", head ? words.now : ""].filter(Boolean).join(" · ");
}

/** @param {"before" | "after"} side @param {number} id */
function pick(side, id) {
  const input = el("input", {
    type: "radio",
    name: side,
    checked: id === (side === "before" ? before : after),
    aria: { label: `${words[side]}: ${id}` },
    test: `${side}:${id}`,
    on: {
      change: () => {
        if (side === "before") before = id;
        else after = id;
        void compare();
      },
    },
  });
  return el("label", { class: "pick", title: words[side] }, input, words[side]);
}

async function compare() {
  const [first, second, picture] = [before, after, history];
  if (!picture) return;
  await attempt(async () => {
    const { changes, same } = await api.compareRevisions(imageId, first, second);
    if (first !== before || second !== after) return;
    const lead = picture.revisions.length === 1 ? words.one : words.lead;
    const told = first === second ? [el("p", { class: "quiet", text: lead })] : [listChanges(changes, display)];
    stage.replaceChildren(overlay(picture, changes, same, display), ...told);
  });
}

/** @param {number} id */
async function restore(id) {
  const isSure = await ask({ test: "restore-dialog", title: words.restore, otherwise: false }, (close) => [
    el("p", { text: words.sure(id) }),
    el("p", { text: words.then[/^\/(\w+)/.exec(back ?? "")?.[1] ?? "history"] }),
    choices(choice(words.no, () => close(false)), choice(words.yes, () => close(true), { isMain: true, test: "restore-yes" })),
  ]).answer;
  if (!isSure) return;
  const head = history?.revisions.find((one) => one.head)?.id ?? null;
  if (restoring.id !== id) restoring = { id, key: makeKey() };
  await attempt(async () => {
    const { annotation } = await api.restoreRevision(imageId, id, { save_key: restoring.key, head_id: head });
    restoring = { id: 0, key: "" };
    if (back) return location.assign(back);
    await load();
    said.textContent = words.done(annotation.id);
  });
}

/** @param {() => Promise<void>} step */
async function attempt(step) {
  try {
    said.textContent = "";
    await step();
  } catch (error) {
    said.textContent = explain(error, words.noServer);
  }
}
