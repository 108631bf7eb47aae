/** The checker's verdicts: on each object, and at the end on the image. */

import { showObject } from "./commands.js";
import { objectsIn, selectedKey } from "./state/editor.js";
import { changeWork, isEnding } from "./state/model.js";
import { nextUnjudged } from "./state/revision.js";
import { giveOrder } from "./state/saving.js";
import { texts } from "./texts.js";
import { byId } from "./view/dom.js";
import { chooseGold } from "./view/gold.js";
import { mountEnding, mountReviewNote } from "./view/panel.js";
import { askVerdict } from "./view/review_dialog.js";
import { mountReviewPanel } from "./view/review_panel.js";

/** @import {Run} from "./page.js" */
/** @import {Judgement} from "./state/types.js" */
/** @import {Api, Workbench} from "./types.js" */

/**
 * Shows the verdicts, and gives the commands that change them; `goOn` selects the next object that
 * was not looked at: in a second round, first of those that changed since the last verdict.
 * @param {{bench: Workbench, api: Api, run: Run}} parts
 */
export function mountVerdicts({ bench, api, run }) {
  const { store, tell } = bench;
  const { page, person } = store.get();
  const makeGold = () => void chooseGold(store.get().work?.task, api, tell);
  const panel = mountReviewPanel(byId("review"), store, {
    run,
    onComment: (text) => change((before) => before && { ...before, comment: text }),
    onCommentDone: () => {
      byId("stage").focus();
      goOn();
    },
    onGold: page === "check" && person.role === "organiser" ? makeGold : null,
  });
  mountReviewNote(store);
  mountEnding(store, run, [{ command: "image.finish", text: texts.review.finish, isMain: true }]);

  /** Changes the verdict on the selected object; false where none is selected. @param {(before: Judgement | undefined) => Judgement | undefined} step */
  function change(step) {
    const { work } = store.get();
    const key = work && selectedKey(work.editor);
    if (!work || !key) return false;
    const judgement = step(work.judgements.get(key));
    if (judgement)
      bench.changeWork((work) => ({ ...work, judgements: new Map(work.judgements).set(key, judgement) }));
    return true;
  }

  function goOn() {
    const { work } = store.get();
    if (!work) return;
    const objects = objectsIn(work.editor);
    const news = new Set((work.task.changes ?? []).map((change) => change.key));
    const changed = objects.filter((object) => news.has(object.key));
    const next = (/** @type {typeof objects} */ some) =>
      nextUnjudged(some, work.judgements, selectedKey(work.editor));
    showObject(bench, next(changed) ?? next(objects));
  }

  /** The selected object is right; on to the next that was not looked at. */
  function accept() {
    change((before) => ({ verdict: "accept", comment: before?.verdict === "accept" ? before.comment : "" }));
    goOn();
  }

  /** A rejection with a word for the author goes back; a remark does not. @param {Judgement["verdict"]} verdict */
  function comment(verdict) {
    if (!change((before) => ({ verdict, comment: before?.comment ?? "" }))) {
      return tell(texts.notices.rejectedFirst, "warn");
    }
    panel.focusComment();
  }

  /** @param {string | null} heldCode */
  async function conclude(heldCode) {
    const model = store.get();
    const { work } = model;
    if (!work || model.screen !== "work" || isEnding(work)) return;
    if (model.party.judge_each_object && nextUnjudged(work.original, work.judgements, null) !== null) {
      goOn();
      return tell(texts.review.lookNeeded, "warn");
    }
    const conclusion = await askVerdict(model, work, heldCode);
    if (!conclusion) return;
    const order = { finish: /** @type {const} */ (true), discardReason: null, ...conclusion };
    store.update((now) => changeWork(now, (work) => ({ ...work, saving: giveOrder(work.saving, order) })));
  }

  return { accept, remark: () => comment("accept"), reject: () => comment("reject"), conclude, goOn };
}
