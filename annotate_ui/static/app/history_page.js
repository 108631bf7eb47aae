/** The history of an image: its revisions, any two of them overlaid, and an earlier one restored. */

import { makeKey, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { createStore } from "./state/model.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./organising_texts.js";
import { ask, choice, choices } from "./view/dialog.js";
import { el, imagesLink } from "./view/dom.js";
import { listChanges, overlay } from "./view/image_card.js";
import { mountAnswers } from "./view/presence_answers.js";
import { dayAndClock } from "./view/words.js";

/** @import {History, RevisionRow, Said} from "./types.js" */

const words = texts.history;
const api = openApi(showStopped);
const query = new URLSearchParams(location.search);
const imageId = Number(query.get("image"));
/** Where restoring leads back to: an editor of this site that opens the image again. */
const back = /^\/(annotate|check)(\?|$)/.test(query.get("back") ?? "") ? query.get("back") : null;
const mayLookUp = document.querySelector("nav a[href='/images']") !== null;
const list = el("ol", { class: "revisions", test: "revisions" });
const stage = el("div", { class: "compared" });
const drafts = el("input", { type: "checkbox", test: "drafts", on: { change: () => show() } });
const party = await api.party();
const { display } = nameClasses(party);
const title = mayLookUp ? imagesLink({ id: String(imageId) }, words.title(imageId)) : words.title(imageId);
const { place, fill, say, attempt } = openFrame(
  "history",
  { ...words, title },
  back ? el("a", { class: "button plain", href: back, text: words.back, test: "back" }) : null,
  el("label", { class: "drafts" }, drafts, words.drafts),
);
/**
 * `before` and `after` are the two revisions that are compared; `restoring` keeps the key of a restore,
 * so that a repeated one is saved once.
 */
const store = createStore({
  history: /** @type {History | null} */ (null),
  before: 0,
  after: 0,
  restoring: { id: 0, key: "" },
});
store.subscribe(({ history, before, after }, was) => {
  if (history !== was.history) show();
  if (history !== was.history || before !== was.before || after !== was.after) void compare();
});

const answers = mountAnswers(api, imageId, { attempt, say });
fill(el("div", { class: "history-columns" }, el("div", {}, list, answers.element), stage));
if (imageId > 0) await Promise.all([load(), mayLookUp ? answers.load() : null]);
else say(words.unasked);
place.dataset.ready = "true";

/** The newest and the finished one before it are chosen. */
async function load() {
  say("");
  await attempt(async () => {
    const history = await api.revisions(imageId);
    const [newest, ...older] = history.revisions;
    const whole = older.find((revision) => revision.finished && !revision.beside) ?? older[0] ?? newest;
    drafts.checked = history.revisions.every((revision) => !revision.finished) || whole?.finished === false;
    store.update((state) => ({ ...state, history, before: whole?.id ?? 0, after: newest?.id ?? 0 }));
  });
}

function show() {
  const rows = store.get().history?.revisions ?? [];
  const isShown = (/** @type {RevisionRow} */ revision) =>
    revision.finished || revision.head || drafts.checked;
  list.replaceChildren(...rows.filter(isShown).map(makeRow));
  if (rows.length === 0) stage.replaceChildren(el("p", { class: "quiet", text: words.empty }));
}

/** @param {RevisionRow} row */
function makeRow(row) {
  const again = { text: words.restore, test: `restore:${row.id}`, on: { click: () => void restore(row.id) } };
  const comments = [row.corrects?.comment ?? "", row.comment ?? ""].filter((text) => text !== "");
  const about = [
    el("b", { text: row.corrects ? words.corrects(row.person.name) : row.person.name }),
    el("span", {
      class: "quiet",
      text: ` ${dayAndClock(row.saved_at)} · ${words.objects(row.objects)} · ${describe(row)}`,
    }),
    ...comments.map((text) => el("p", { class: "typed", text })),
    ...row.reviews.map((review) =>
      el("p", { class: review.set_aside ? "typed quiet" : "typed verdict", text: sayVerdict(review) }),
    ),
    row.releases.length > 0 ? el("p", { text: words.release(row.releases) }) : null,
    store.get().history?.may_restore && !row.head ? el("button", again) : null,
  ];
  const looks = { test: `revision:${row.id}`, class: row.head ? "head" : "" };
  return el("li", looks, pick("before", row.id), pick("after", row.id), el("div", {}, ...about));
}

/** @param {Said} review */
function sayVerdict(review) {
  const said = [words.said(review.checker, review.verdict), review.comment].filter(Boolean).join(": ");
  return review.set_aside ? `${said} (${words.setAside})` : said;
}

/** @param {RevisionRow} row */
function describe({ head, finished, beside, discarded, set_aside }) {
  const state = discarded ? words.discarded(discarded) : finished ? words.finished : words.draft;
  return [state, beside ? words.beside[beside] : "", set_aside ? words.setAside : "", head ? words.now : ""]
    .filter(Boolean)
    .join(" · ");
}

/**
 * @param {"before" | "after"} side
 * @param {number} id
 */
function pick(side, id) {
  const change = () => store.update((state) => ({ ...state, [side]: id }));
  const looks = {
    checked: id === store.get()[side],
    aria: { label: `${words[side]}: ${id}` },
    test: `${side}:${id}`,
  };
  const input = el("input", { type: "radio", name: side, ...looks, on: { change } });
  return el("label", { class: "pick", title: words[side] }, input, words[side]);
}

async function compare() {
  const { history, before, after } = store.get();
  if (!history?.revisions.length) return;
  say("");
  await attempt(async () => {
    const { changes, same } = await api.compareRevisions(imageId, before, after);
    if (before !== store.get().before || after !== store.get().after) return;
    const lead = history.revisions.length === 1 ? words.one : words.lead;
    const lines =
      before === after ? [el("p", { class: "quiet", text: lead })] : [listChanges(changes, party)];
    stage.replaceChildren(overlay(history, changes, same, display), ...lines);
  });
}

/** @param {number} id */
async function restore(id) {
  const isSure = await ask({ test: "restore-dialog", title: words.restore, otherwise: false }, (close) => [
    el("p", { text: words.sure(id) }),
    el("p", { text: words.then[/^\/(\w+)/.exec(back ?? "")?.[1] ?? "history"] }),
    choices(
      choice(words.no, () => close(false)),
      choice(words.yes, () => close(true), { isMain: true, test: "restore-yes" }),
    ),
  ]).answer;
  if (!isSure) return;
  const { history, restoring: last } = store.get();
  const head = history?.revisions.find((revision) => revision.head)?.id ?? null;
  const restoring = last.id === id ? last : { id, key: makeKey() };
  store.update((state) => ({ ...state, restoring }));
  await attempt(async () => {
    const shown = { head_id: head, verdict_id: history?.verdict_id ?? null };
    const { annotation } = await api.restoreRevision(imageId, id, { save_key: restoring.key, ...shown });
    store.update((state) => ({ ...state, restoring: { id: 0, key: "" } }));
    if (back) return location.assign(back);
    await load();
    say(words.done(annotation.id));
  });
}
