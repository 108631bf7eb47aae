/** What the server answers to saves of the annotation page, and what the person decides about it. */

import { idOfEntry, keepJournal, sendEarlier } from "./keeper.js";
import { createSaver } from "./saver.js";
import { objectsIn } from "./state/editor.js";
import { replaceAll } from "./state/edits.js";
import { changeEditor, changeWork } from "./state/model.js";
import { isSameWork, openRevision, packRevision } from "./state/revision.js";
import * as saving from "./state/saving.js";
import { texts } from "./texts.js";
import { askConflict, askProblem, tellFeedback } from "./view/annotate_dialogs.js";

/** @import {Api, Refused} from "./api.js" */
/** @import {Entry, Journal} from "./journal.js" */
/** @import {Queue} from "./queue.js" */
/** @import {Revision, Saved} from "./types.js" */
/** @import {Workbench} from "./workbench.js" */

/**
 * Writes every change to the journal, and says where the browser keeps none.
 * @param {Workbench} bench
 * @param {Journal} journal
 */
export function keepChanges({ store, tell }, journal) {
  keepJournal(store, journal, () => tell(texts.status.fleeting, "warn"));
}

/**
 * Sends what an earlier visit left unsent, and says how many images it was.
 * @param {Workbench} bench
 * @param {Journal} journal
 * @param {(imageId: number, body: object) => Promise<unknown>} save
 */
export async function sendUnsent({ get, makeKey, tell }, journal, save) {
  const model = get();
  const currentId = model.work && idOfEntry(model, model.work.task);
  const send = (/** @type {Entry} */ entry, /** @type {object} */ body) => save(entry.imageId, body);
  const sent = await sendEarlier(journal, model, currentId, send, makeKey).catch(() => 0);
  if (sent > 0) tell(texts.notices.sentEarlier(sent), "ok");
}

/**
 * Saves, and tells a trainee how it went with a training image.
 * @param {Api} api
 * @param {number} imageId
 * @param {object} body
 */
export async function saveAndHear(api, imageId, body) {
  const answer = await api.saveRevision(imageId, body);
  if (answer.training) void tellFeedback(answer.feedback ?? [], answer.training);
  return answer;
}

/**
 * The saver of the annotation page; `settleProblem` takes what the outbox could not send, `regain`
 * asks again for an image whose lease ran out.
 * @param {{bench: Workbench, api: Api, journal: Journal, queue: Queue, onSignedOut: () => void}} parts
 */
export function createAnnotationSaver({ bench, api, journal, queue, onSignedOut }) {
  const { store, nowSecs, makeKey, tell } = bench;
  const saver = createSaver({
    store,
    nowSecs,
    makeKey,
    pack: packRevision,
    send: (imageId, body) => saveAndHear(api, imageId, body),
    onLanded,
    onStale: (head) => void settleConflict(head),
    onLeaseLost: loseImage,
    onSignedOut,
    onRefused: bench.refuse,
  });

  /** @param {Saved} answer @param {boolean} isEnd */
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

  /**
   * The end of an image that the server did not take as it was: what it kept alongside is safe; a
   * conflict, and what it refused, are the person's to settle.
   * @param {Entry} entry
   * @param {Refused} error
   */
  async function settleProblem(entry, error) {
    const isThere = error.head?.finished && isSameWork(openRevision(error.head), entry.objects);
    const isLost = error.code === "lease_lost";
    if (isThere || isLost) await journal.drop(entry.id);
    if (isThere) return;
    if (isLost) return tell(texts.notices.keptBeside(error.keptAs), "warn");
    if (await askProblem(error.message)) await queue.reopen(entry.imageId);
  }

  /** The lease ran out: what is unsent goes up, and the image is asked for again. */
  async function regain() {
    const { work } = store.get();
    if (!work) return;
    const isHere = () => store.get().work?.task.image_id === work.task.image_id;
    try {
      const { task } = await api.nextTask("annotate", { imageId: work.task.image_id });
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

  return { ...saver, settleProblem, regain };
}
