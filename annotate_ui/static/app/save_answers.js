/** What the server answers to saves and verdicts, and what the person decides about it. */

import { enter, objectsIn, select } from "./state/editor.js";
import { changeEditor, changeWork } from "./state/model.js";
import { idOfEntry, isSameWork, openRevision } from "./state/revision.js";
import * as saving from "./state/saving.js";
import { joinSheets } from "./state/suggestions.js";
import { texts } from "./texts.js";
import { askConflict, askProblem } from "./view/annotate_dialogs.js";

/** @import {Refused} from "./api.js" */
/** @import {Entry} from "./state/types.js" */
/** @import {Api, Journal, Queue, Revision, Saved, Sender, Workbench} from "./types.js" */

/**
 * For a page that draws: `onLanded` and `onProblem` are the sender's; `onLost` asks again for an image whose lease ran out.
 * @param {{bench: Workbench, api: Api, journal: Journal, line: () => {queue: Queue, sender: Sender}}} parts
 */
export function createAnswers({ bench, api, journal, line }) {
  const { store, tell } = bench;

  /**
   * @param {Saved} answer
   * @param {boolean} isEnd
   */
  async function onLanded({ findings, outdated = 0 }, isEnd) {
    if (outdated > 0) tell(texts.suggestions.outdated(outdated), "warn");
    const model = store.get();
    if (!isEnd || !model.work) {
      return store.update((now) => changeWork(now, (work) => ({ ...work, findings })));
    }
    await journal.drop(idOfEntry(model, model.work.task));
    await line().queue.next();
  }

  /**
   * @param {Entry} entry
   * @param {Refused} error
   * @param {boolean} isOpen
   */
  function onProblem(entry, error, isOpen) {
    if (!isOpen) return void settleProblem(entry, error);
    if (error.code === "stale") return void settleConflict(bench, error.head);
    if (error.code !== "lease_lost") return bench.refuse(error);
    void journal.drop(entry.id);
    tell(texts.notices.keptBeside(error.keptAs), "warn");
    line().queue.show("lease_lost");
  }

  /**
   * The server did not take the end of an image as it was. What it kept as another revision is safe; the
   * person settles a conflict or a refusal.
   * @param {Entry} entry
   * @param {Refused} error
   */
  async function settleProblem(entry, error) {
    const { head } = error;
    const isSameEnd = head?.finished && head.discard_reason === (entry.saving.order?.discardReason ?? null);
    const isThere = isSameEnd && isSameWork(openRevision(store.get().party, head), entry.objects);
    const isLost = error.code === "lease_lost";
    if (isThere || isLost) await journal.drop(entry.id);
    if (isThere) return;
    if (isLost) return tell(texts.notices.keptBeside(error.keptAs), "warn");
    if (await askProblem(error.message)) await line().queue.reopen(entry.imageId);
  }

  /** The lease ran out: what is unsent goes up, and the image is asked for again. */
  async function regain() {
    const { work } = store.get();
    if (!work) return;
    const isHere = () => store.get().work?.task.image_id === work.task.image_id;
    try {
      const { task } = await api.nextTask(work.task.kind, { imageId: work.task.image_id });
      if (!isHere()) return;
      store.update((model) =>
        changeWork(model, (now) => ({ ...now, task: { ...now.task, lease: task?.lease ?? now.task.lease } })),
      );
    } catch {
      if (!isHere()) return;
      if (saving.statusOf(work.saving) === "saved") line().queue.show("lease_lost");
      else line().sender.flush();
    }
  }

  return { onLanded, onProblem, onLost: () => void regain() };
}

/**
 * Shows both revisions; the work continues from the chosen one, or from the objects of both. The other one
 * stays in the history and, if it was in this window, can be undone to.
 * @param {Workbench} bench
 * @param {Revision | null} head
 */
async function settleConflict({ store, nowSecs }, head) {
  const { work } = store.get();
  if (!work) return;
  const theirs = openRevision(store.get().party, head);
  const mine = objectsIn(work.editor);
  const chosen = await askConflict(store.get(), work.task, mine, theirs);
  store.update((model) => {
    const wanted = { objects: theirs, rejected: head?.rejected ?? [] };
    const taken =
      chosen === "mine"
        ? model
        : changeEditor(model, (editor) => {
            const { objects, rejected } = chosen === "both" ? joinSheets(editor, wanted) : wanted;
            return select(enter(editor, objects, false, rejected), null);
          });
    return changeWork(taken, (now) => {
      const order = chosen === "mine" ? now.saving.order : null;
      const state = { ...now.saving, order };
      const objects = objectsIn(now.editor);
      return { ...now, saving: saving.settle(state, head?.id ?? null, theirs, objects, nowSecs()) };
    });
  });
}

/**
 * For a page that checks: the image that is judged, or no longer the checker's, leaves the journal, and `goOn` or a
 * message follows.
 * @param {{bench: Workbench, journal: Journal, queue: () => Queue, goOn: () => void}} parts
 */
export function createCheckAnswers({ bench, journal, queue, goOn }) {
  /** @param {() => void} then */
  async function close(then) {
    const model = bench.get();
    if (model.work) await journal.drop(idOfEntry(model, model.work.task));
    then();
  }

  return {
    onLanded: () => void close(goOn),
    /**
     * @param {Entry} entry
     * @param {Refused} error
     * @param {boolean} isOpen
     */
    onProblem({ imageId }, error, isOpen) {
      if (!isOpen) return bench.tell(error.message, "warn");
      // Opened anew, with what the journal has: `onStale` then shows both.
      if (error.code === "stale" || error.code === "not_found") return void queue().reopen(imageId);
      if (error.code === "lease_lost") return void close(() => queue().show("lease_lost"));
      bench.refuse(error);
    },
    onLost: () => queue().show("lease_lost"),
    onStale: (/** @type {Revision | null} */ head) => void settleConflict(bench, head),
  };
}
