/** The annotation page: wires queue, editor, sender and journal; an image is finished, discarded or left as it was. */

import { boot, openLine } from "./boot.js";
import { makeRunner, showObject } from "./commands.js";
import { fleetingJournal } from "./journal.js";
import { mountPage } from "./page.js";
import { findMistake, practise } from "./practice.js";
import { showRemarks } from "./presence.js";
import { createAnswers } from "./save_answers.js";
import { objectsIn, refuse } from "./state/editor.js";
import { pasteAll } from "./state/edits.js";
import { changeWork, isElsewhere, isEnding } from "./state/model.js";
import { countUnwanted, UNWANTED_REASON } from "./state/objects.js";
import { idOfEntry, isAsServerHas, openRevision, packEntry } from "./state/revision.js";
import { findLack } from "./state/tasters.js";
import { texts } from "./texts.js";
import { askDiscard, confirmDiscard, tellFeedback } from "./view/annotate_dialogs.js";
import { askFinish } from "./view/finish_dialog.js";
import { byId } from "./view/dom.js";
import { mountEnding, mountReviewNote, mountWanted } from "./view/panel.js";
import { mountSuggestions } from "./view/suggestion_bar.js";

/** @import {Work} from "./state/types.js" */

/** The boxes that were copied from another image of the event, and the image on which they are. */
let copied = { image: 0, keys: /** @type {readonly string[]} */ ([]) };
const isPractice = location.search === "?practice";
const booted = await boot("annotate");
const { bench } = booted;
const api = isPractice ? practise(bench, booted.api) : booted.api;
const journal = isPractice ? fleetingJournal() : booted.journal;
const { store, tell } = bench;
const run = makeRunner(bench, {
  "image.finish": ({ code }) => void finish(code),
  "image.verify": () => void finish(null),
  "image.discard": () => void discard(),
  "image.unwanted": () => void discardUnwanted(),
  "image.previous": () => void goBack(),
  "event.copy": () => void copyEvent(),
  "image.history": () => isPractice || void showHistory(),
});
const { showImage } = mountPage(bench, run);
const answers = createAnswers({ bench, api, journal, line: () => line });
const line = openLine({
  bench,
  api,
  journal,
  showImage,
  answers,
  pack: packEntry,
  async send({ imageId }, { body }) {
    const answer = await api.saveRevision(imageId, body);
    if (answer.training) void tellFeedback(answer.feedback ?? [], answer.training);
    return answer;
  },
  isSafe: () => document.body.dataset.saved === "saved" || isPractice,
});
const { sender, queue } = line;

mountReviewNote(store);
mountSuggestions(byId("stage"), store, run);
mountWanted(store, run);
mountEnding(store, run, [
  { command: "image.discard", text: texts.discard.button, isMain: false },
  { command: "image.finish", text: texts.finish.button, isMain: true },
]);
document.addEventListener("visibilitychange", () => document.hidden && sender.flush());

await sender.adoptFinished();
/** The image that the address names: one of the person's own that came back. */
const wanted = Number(new URLSearchParams(location.search).get("image"));
if (wanted > 0) history.replaceState(null, "", "/annotate"); // a reload asks for what comes next
await line.start(async () => {
  await (wanted > 0 ? queue.reopen(wanted) : queue.next());
  await showRemarks(api);
});
if (!booted.journal.isDurable) tell(texts.status.fleeting, "warn");

/** The work that may be ended now, or null. */
function openWork() {
  const { work, screen } = store.get();
  return work && screen === "work" && !isEnding(work) ? work : null;
}

/**
 * The checklist, then the end; an image on which nothing is marked is discarded instead, and
 * one's own earlier image that was not changed goes back as it was.
 * @param {string | null} heldCode
 */
async function finish(heldCode) {
  const work = openWork();
  if (!work) return;
  const mistake = isPractice ? findMistake(store.get()) : null;
  if (mistake) return tell(mistake, "warn");
  if (isAsServerHas(work)) return leave(work);
  if (objectsIn(work.editor).length === 0) return discard();
  const lacking = findLack(store.get().party, work.task, objectsIn(work.editor));
  if (lacking) {
    if (lacking.key !== null) showObject(bench, lacking.key);
    return tell(texts.tasters.lacks[lacking.lack], "warn");
  }
  const answer = await askFinish(store.get(), work, heldCode);
  const { unsureClasses } = answer;
  const note = (/** @type {Work} */ shown) => {
    if (shown.task.image_id !== work.task.image_id) return shown;
    return {
      ...shown,
      unsureClasses,
      saving: { ...shown.saving, changedAt: shown.saving.changedAt ?? bench.nowSecs() },
    };
  };
  if (unsureClasses !== work.unsureClasses) store.update((model) => changeWork(model, note));
  if (answer.goTo !== null) showObject(bench, answer.goTo);
  if (answer.isConfirmed) await leaveWith(work, null);
}

async function discard() {
  if (isPractice) return tell(texts.practice.noDiscard, "warn");
  const work = openWork();
  const reason = work && (await askDiscard(store.get(), work));
  if (work && reason !== null) await leaveWith(work, reason);
}

/** In rare-class mode, by one key: the image has none of the wanted classes. */
async function discardUnwanted() {
  const { wanted } = store.get();
  const work = openWork();
  if (!work) return;
  if (isPractice) return tell(texts.practice.noDiscard, "warn");
  if (wanted.length === 0) return tell(texts.wanted.off, "plain");
  const objects = objectsIn(work.editor);
  const marked = objects.length - countUnwanted(objects, wanted);
  if (marked > 0) return tell(texts.wanted.marked(marked), "warn");
  if (!(await confirmDiscard(objects.length, texts.wanted.reason))) return;
  await leaveWith(work, UNWANTED_REASON);
  tell(texts.wanted.discarded, "plain");
}

/**
 * The judged work is finished: it is sent in the background, and the next image comes at once.
 * @param {Work} judged
 * @param {string | null} discardReason
 */
async function leaveWith({ task }, discardReason) {
  const { work } = store.get();
  if (!work || work.task.image_id !== task.image_id || isEnding(work)) return;
  await sender.leave({ finish: true, discardReason, comment: "", isComplete: null });
  await queue.next();
}

/** @param {Work} work */
async function leave({ task }) {
  await line.whenOpened(task.image_id);
  await api.giveBack(task.lease.id).catch(() => {});
  await journal.drop(idOfEntry(store.get(), task));
  await queue.next();
}

/** One's own image before this one, once everything here is saved. */
async function goBack() {
  const asking = store.get().work;
  const mine = await sender
    .settle()
    .then(api.mine)
    .catch(() => null);
  const { work } = store.get();
  if (work?.saving.trouble) return; // which the person is asked about
  if (isElsewhere(asking, work)) return;
  if (!mine) return tell(texts.notices.previousLater, "warn");
  const { images } = mine;
  const at = images.findIndex((entry) => entry.image_id === work?.task.image_id);
  const before = images[at + 1];
  if (!before) return tell(texts.notices.noPrevious, "plain");
  await queue.reopen(before.image_id);
}

/** The boxes that the person drew last on an image of the same event, added where they were. */
async function copyEvent() {
  const work = openWork();
  if (!work) return;
  const answer = await api.eventBoxes(work.task.image_id).catch(() => null);
  if (!answer) return tell(texts.notices.previousLater, "warn");
  if (openWork()?.task.image_id !== work.task.image_id) return;
  const sources = openRevision(store.get().party, answer.annotation);
  if (sources.length === 0 || answer.image_id === null) return tell(texts.notices.eventNone, "plain");
  const before = new Set(listKeys());
  const isCopied = copied.image === work.task.image_id && copied.keys.some((key) => before.has(key));
  if (isCopied) return bench.edit((editor) => refuse(editor, "all_there"));
  bench.edit((editor) => pasteAll(editor, sources, bench.makeKey));
  const keys = listKeys().filter((key) => !before.has(key));
  if (keys.length === 0) return; // the editor says why
  copied = { image: work.task.image_id, keys };
  tell(texts.notices.eventCopied(keys.length, answer.image_id), "plain");
}

/** The keys of the objects of the open image. */
function listKeys() {
  const { work } = store.get();
  return work ? objectsIn(work.editor).map(({ key }) => key) : [];
}

/** Every revision of the open image, on a page that leads back here. */
async function showHistory() {
  const { work } = store.get();
  const isUp = await sender.settle().then(
    () => true,
    () => false,
  );
  if (!isUp) return tell(texts.notices.historyLater, "warn");
  const now = store.get().work;
  if (work && !now?.saving.trouble && !isElsewhere(work, now)) {
    location.assign(`/history?image=${work.task.image_id}&back=/annotate`);
  }
}
