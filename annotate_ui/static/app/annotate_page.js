/** The annotation page: wires the queue, the editor, the saver and the journal. */

import { boot, makeKey, nowSecs } from "./boot.js";
import { makeRunner } from "./commands.js";
import { idOfEntry, keepJournal, listFinished, makeEntry, sendEarlier } from "./keeper.js";
import { createOutbox } from "./outbox.js";
import { mountPage, openHelp } from "./page.js";
import { keepLease, watchSignIn } from "./presence.js";
import { createQueue } from "./queue.js";
import { showRemarks } from "./remarks.js";
import { createSaver } from "./saver.js";
import { objectsIn } from "./state/editor.js";
import { replaceAll } from "./state/edits.js";
import { changeEditor, changeWork } from "./state/model.js";
import { isSameWork, openRevision } from "./state/revision.js";
import { packRevision } from "./state/bodies.js";
import * as saving from "./state/saving.js";
import { isEnding } from "./state/tracking.js";
import { countUnwanted, UNWANTED_REASON } from "./state/wanted.js";
import { texts } from "./texts.js";
import { askConflict } from "./view/conflict_dialog.js";
import { askDiscard } from "./view/discard_dialog.js";
import { byId } from "./view/dom.js";
import { mountEnding } from "./view/ending.js";
import { tellFeedback } from "./view/feedback_dialog.js";
import { askFinish } from "./view/finish_dialog.js";
import { mountMessage } from "./view/message.js";
import { askProblem } from "./view/problem_dialog.js";
import { mountReviewNote } from "./view/review_note.js";
import { mountWanted } from "./view/wanted.js";
import { createWorkbench, refuse } from "./workbench.js";

/** @typedef {import("./state/model.js").Work} Work */
/** @typedef {import("./commands.js").Press} Press */
/** @typedef {import("./types.js").Revision} Revision */
/** @typedef {import("./types.js").Saved} Saved */

const { api, journal, store } = await boot("annotate");
const bench = createWorkbench(store, { nowSecs, makeKey, focusFilter: () => palette.focusFilter() });
const run = makeRunner(bench, {
  help: () => openHelp(bench),
  "image.finish": ({ code }) => void finish(code),
  "image.verify": () => void finish(null),
  "image.discard": () => void discard(),
  "image.unwanted": () => void discardUnwanted(),
  "image.previous": () => void goBack(),
});
const { palette, stage } = mountPage(bench, run);
const onSignedOut = watchSignIn(bench, api, tryNow);
/** The last question for an image: where it came behind the end of one, it would open that again. */
let asked = /** @type {Promise<unknown>} */ (Promise.resolve());
const outbox = createOutbox({
  journal,
  makeKey,
  send: (entry, body) => asked.then(() => saveAndHear(entry.imageId, body)),
  onState: (state) => store.update((model) => ({ ...model, outbox: state })),
  onProblem: (entry, error) => void settleProblem(entry, error),
  onFleeting: () => tell(texts.status.fleeting, "warn"),
  onSignedOut: () => onSignedOut(),
});
const { showImage } = stage;
const asking = { ...api, nextTask };
const queue = createQueue({ bench, api: asking, journal, showImage, onSignedOut, settle: outbox.settle });
const saver = createSaver({
  store,
  nowSecs,
  makeKey,
  pack: packRevision,
  send: saveAndHear,
  onLanded,
  onStale: (head) => void settleConflict(head),
  onLeaseLost: loseImage,
  onSignedOut,
  onRefused: (error) => refuse(bench, error),
});

showRemarks(api);
keepJournal(store, journal, () => tell(texts.status.fleeting, "warn"));
mountMessage(byId("message"), store, { onAgain: queue.again, onSkip: queue.skip });
mountReviewNote(byId("review-note"), store);
mountEnding(byId("ending"), store, run, [
  { command: "image.discard", text: texts.discard.button, isMain: false },
  { command: "image.finish", text: texts.finish.button, isMain: true },
]);
mountWanted(byId("wanted"), store, run);
keepLease(bench, api, { onLost: () => void regain(), onSignedOut, onLive: queue.follow });
addEventListener("online", tryNow);
document.addEventListener("visibilitychange", () => document.hidden && saver.flush());
addEventListener("beforeunload", (event) => {
  if (document.body.dataset.saved !== "saved") event.preventDefault();
});

outbox.adopt(await listFinished(journal, store.get()).catch(() => []));
await queue.next();
await sendUnsent();
if (!journal.isDurable) tell(texts.status.fleeting, "warn");

/** @type {typeof api.nextTask} */
function nextTask(kind, wish) {
  const answer = api.nextTask(kind, wish);
  asked = answer.catch(() => {});
  return answer;
}

/**
 * Saves, and tells a trainee how it went with a training image.
 * @param {number} imageId
 * @param {object} body
 */
async function saveAndHear(imageId, body) {
  const answer = await api.saveRevision(imageId, body);
  if (answer.training) void tellFeedback(answer.feedback ?? [], answer.training);
  return answer;
}

/**
 * The checklist, then the end; an image on which nothing is marked is discarded instead, and one's
 * own earlier image that was not changed goes back as it was.
 * @param {string | null} heldCode
 */
async function finish(heldCode) {
  const model = store.get();
  const { work } = model;
  if (!work || model.screen !== "work" || isEnding(work)) return;
  if (isUntouchedAgain(work)) return leave(work);
  if (objectsIn(work.editor).length === 0) return discard();
  const answer = await askFinish(model, work, heldCode);
  if (answer.unsureClasses !== work.unsureClasses) keepUnsure(work, answer.unsureClasses);
  if (answer.isConfirmed) await leaveWith(work, null);
}

async function discard() {
  const model = store.get();
  const { work } = model;
  if (!work || model.screen !== "work" || isEnding(work)) return;
  const reason = await askDiscard(model, work);
  if (reason !== null) await leaveWith(work, reason);
}

/** In rare-class mode, by one key: the image has none of the wanted classes. */
async function discardUnwanted() {
  const { work, screen, wanted } = store.get();
  if (!work || screen !== "work" || isEnding(work)) return;
  if (wanted.length === 0) return tell(texts.wanted.off, "plain");
  const marked = objectsIn(work.editor).length - countUnwanted(objectsIn(work.editor), wanted);
  if (marked > 0) return tell(texts.wanted.marked(marked), "warn");
  await leaveWith(work, UNWANTED_REASON);
  tell(texts.wanted.discarded, "plain");
}

/**
 * The work is finished: it goes up by itself, and the next image comes at once.
 * @param {Work} asked the work that the person was asked about
 * @param {string | null} discardReason
 */
async function leaveWith({ task }, discardReason) {
  const model = store.get();
  const { work } = model;
  if (!work || work.task.image_id !== task.image_id || isEnding(work)) return;
  const end = { finish: /** @type {const} */ (true), discardReason, comment: "", isComplete: null };
  const ordered = { ...work, saving: saving.giveOrder(work.saving, end) };
  store.update((now) =>
    changeWork(now, (one) => ({ ...one, saving: saving.leave(one.saving, end) })),
  );
  await outbox.leave(makeEntry(model, ordered));
  await queue.next();
}

/**
 * @param {Work} asked
 * @param {readonly string[]} unsureClasses
 */
function keepUnsure({ task }, unsureClasses) {
  store.update((model) =>
    changeWork(model, (work) => {
      if (work.task.image_id !== task.image_id) return work;
      const changedAt = work.saving.changedAt ?? nowSecs();
      return { ...work, unsureClasses, saving: { ...work.saving, changedAt } };
    }),
  );
}

/**
 * The end of an image that the server did not take as it was: what it kept beside is safe; a
 * conflict, and what it refused, are the person's to settle.
 * @param {import("./journal.js").Entry} entry
 * @param {import("./api.js").Refused} error
 */
async function settleProblem(entry, error) {
  const isThere = error.head?.finished && isSameWork(openRevision(error.head), entry.objects);
  const isLost = error.code === "lease_lost";
  if (isThere || isLost) await journal.drop(entry.id);
  if (isThere) return;
  if (isLost) return tell(texts.notices.keptBeside(error.keptAs), "warn");
  if (await askProblem(error.message)) await queue.reopen(entry.imageId);
}

/** @param {Work} work */
function isUntouchedAgain({ task, editor, original, unsureClasses }) {
  const wasFinished = task.annotation?.finished === true && task.review === null;
  const isSame = unsureClasses.join() === task.annotation?.unsure_classes.join();
  return wasFinished && isSame && isSameWork(original, objectsIn(editor));
}

/** @param {Work} work */
async function leave({ task }) {
  await asked;
  await api.giveBack(task.lease.id).catch(() => {});
  await journal.drop(idOfEntry(store.get(), task));
  await queue.next();
}

/** One's own image before this one, once everything here is saved. */
async function goBack() {
  const { work } = store.get();
  saver.flush();
  if (work && saving.statusOf(work.saving) !== "saved") {
    await whenSettled();
    const now = store.get().work;
    if (now && saving.statusOf(now.saving) !== "saved") return;
  }
  const mine = await outbox.settle().then(api.mine).catch(() => null);
  if (!mine) return tell(texts.notices.previousLater, "warn");
  const { images } = mine;
  const at = images.findIndex((one) => one.image_id === work?.task.image_id);
  const before = images[at + 1];
  if (!before) return tell(texts.notices.noPrevious, "plain");
  await queue.reopen(before.image_id);
}

/** The person is back, or the network. */
function tryNow() {
  outbox.tryNow();
  saver.tryNow();
  if (!store.get().work) queue.again();
}

/** @returns {Promise<void>} when nothing is on its way any more, or something is in the way */
function whenSettled() {
  return new Promise((resolve) => {
    const leaveStore = store.subscribe(({ work }) => {
      const status = work ? saving.statusOf(work.saving) : "saved";
      if (status === "saving" || status === "unsaved") return;
      leaveStore();
      resolve(undefined);
    });
  });
}

/**
 * @param {Saved} answer
 * @param {boolean} isEnd
 */
async function onLanded({ findings }, isEnd) {
  const model = store.get();
  if (!isEnd || !model.work) {
    return store.update((now) => changeWork(now, (work) => ({ ...work, findings })));
  }
  await journal.drop(idOfEntry(model, model.work.task));
  await queue.next();
}

/**
 * Both revisions are shown; the one that is chosen is gone on from, the other stays in the record
 * and, where it was in this window, one undo away.
 * @param {Revision | null} head
 */
async function settleConflict(head) {
  const { work } = store.get();
  if (!work) return;
  const theirs = openRevision(head);
  const mine = objectsIn(work.editor);
  const chosen = await askConflict(store.get(), work.task, mine, theirs);
  store.update((model) => {
    const taken = chosen === "theirs" ? changeEditor(model, (one) => replaceAll(one, theirs)) : model;
    return changeWork(taken, (now) => {
      const order = chosen === "theirs" ? null : now.saving.order;
      const state = { ...now.saving, order };
      const objects = objectsIn(now.editor);
      return { ...now, saving: saving.settle(state, head?.id ?? null, theirs, objects, nowSecs()) };
    });
  });
}

/** @param {number | null} keptAs */
function loseImage(keptAs) {
  const model = store.get();
  if (model.work) void journal.drop(idOfEntry(model, model.work.task));
  tell(texts.notices.keptBeside(keptAs), "warn");
  queue.show("lease_lost");
}

/** The lease ran out: what is unsent goes up, and the image is asked for again. */
async function regain() {
  const { work } = store.get();
  if (!work) return;
  const isHere = () => store.get().work?.task.image_id === work.task.image_id;
  try {
    const { task } = await nextTask("annotate", { imageId: work.task.image_id });
    if (!isHere()) return;
    store.update((model) =>
      changeWork(model, (now) => ({ ...now, task: { ...now.task, lease: task?.lease ?? now.task.lease } })),
    );
  } catch {
    if (!isHere()) return;
    if (saving.statusOf(work.saving) === "saved") queue.show("lease_lost");
    else saver.flush();
  }
}

async function sendUnsent() {
  const model = store.get();
  const currentId = model.work && idOfEntry(model, model.work.task);
  const send = (/** @type {import("./journal.js").Entry} */ entry, /** @type {object} */ body) =>
    api.saveRevision(entry.imageId, body);
  const sent = await sendEarlier(journal, model, currentId, send, makeKey).catch(() => 0);
  if (sent > 0) tell(texts.notices.sentEarlier(sent), "ok");
}

/**
 * @param {string} text
 * @param {import("./state/model.js").Notice["tone"]} tone
 */
function tell(text, tone) {
  store.update((model) => ({ ...model, notice: { text, tone } }));
}
