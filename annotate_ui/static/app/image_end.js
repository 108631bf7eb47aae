/** The end of the work on an image: finished, discarded or left as it was; and back to the one before. */

import { idOfEntry, makeEntry } from "./keeper.js";
import { countUnwanted, UNWANTED_REASON } from "./state/checklist.js";
import { objectsIn } from "./state/editor.js";
import { changeWork } from "./state/model.js";
import { isSameWork } from "./state/revision.js";
import * as saving from "./state/saving.js";
import { isEnding } from "./state/tracking.js";
import { texts } from "./texts.js";
import { askDiscard, confirmDiscard } from "./view/annotate_dialogs.js";
import { askFinish } from "./view/finish_dialog.js";

/** @import {Api} from "./api.js" */
/** @import {Journal} from "./journal.js" */
/** @import {OutboxRunner} from "./outbox.js" */
/** @import {Queue} from "./queue.js" */
/** @import {Saver} from "./saver.js" */
/** @import {Work} from "./state/model.js" */
/** @import {Workbench} from "./workbench.js" */

/**
 * `asked` resolves when the last question for an image was answered.
 * @param {{
 *   bench: Workbench, api: Api, journal: Journal, outbox: OutboxRunner, queue: Queue, saver: Saver,
 *   asked: () => Promise<unknown>,
 * }} parts
 */
export function createEnding({ bench, api, journal, outbox, queue, saver, asked }) {
  const { store, tell } = bench;

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
    if (isUntouchedAgain(work)) return leave(work);
    if (objectsIn(work.editor).length === 0) return discard();
    const answer = await askFinish(store.get(), work, heldCode);
    if (answer.unsureClasses !== work.unsureClasses) keepUnsure(work, answer.unsureClasses);
    if (answer.isConfirmed) await leaveWith(work, null);
  }

  async function discard() {
    const work = openWork();
    const reason = work && (await askDiscard(store.get(), work));
    if (work && reason !== null) await leaveWith(work, reason);
  }

  /** In rare-class mode, by one key: the image has none of the wanted classes. */
  async function discardUnwanted() {
    const { wanted } = store.get();
    const work = openWork();
    if (!work) return;
    if (wanted.length === 0) return tell(texts.wanted.off, "plain");
    const objects = objectsIn(work.editor);
    const marked = objects.length - countUnwanted(objects, wanted);
    if (marked > 0) return tell(texts.wanted.marked(marked), "warn");
    if (!(await confirmDiscard(objects.length, texts.wanted.reason))) return;
    await leaveWith(work, UNWANTED_REASON);
    tell(texts.wanted.discarded, "plain");
  }

  /**
   * The work is finished: it goes up by itself, and the next image comes at once.
   * @param {Work} judged the work that the person was asked about
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

  /** @param {Work} judged @param {readonly string[]} unsureClasses */
  function keepUnsure({ task }, unsureClasses) {
    store.update((model) =>
      changeWork(model, (work) => {
        if (work.task.image_id !== task.image_id) return work;
        const changedAt = work.saving.changedAt ?? bench.nowSecs();
        return { ...work, unsureClasses, saving: { ...work.saving, changedAt } };
      }),
    );
  }

  /** @param {Work} work */
  async function leave({ task }) {
    await asked();
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

  return { finish, discard, discardUnwanted, goBack };
}

/** @param {Work} work */
function isUntouchedAgain({ task, editor, original, unsureClasses }) {
  const wasFinished = task.annotation?.finished === true && task.review === null;
  const isSame = unsureClasses.join() === task.annotation?.unsure_classes.join();
  // Boxes on a discarded image: to finish it is to bring it back.
  const isBack = task.annotation?.discard_reason !== null && original.length > 0;
  return wasFinished && !isBack && isSame && isSameWork(original, objectsIn(editor));
}
