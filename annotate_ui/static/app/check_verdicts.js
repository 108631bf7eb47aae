/** The checker's verdicts: on each object, on what the checks found, and at the end on the image. */

import { NoAnswer, Refused } from "./api.js";
import { showObject } from "./commands.js";
import { objectsIn, selectedKey } from "./state/editor.js";
import { currentFinding, listHints, listShown, nextWithFinding, setVerdict } from "./state/findings.js";
import { changeWork, isEnding } from "./state/model.js";
import { nextUnjudged } from "./state/review.js";
import { giveOrder } from "./state/saving.js";
import { texts } from "./texts.js";
import { keyCap, stageButton } from "./view/controls.js";
import { byId, el } from "./view/dom.js";
import { chooseGold } from "./view/gold.js";
import { mountEnding, mountReviewNote } from "./view/panel.js";
import { askVerdict } from "./view/review_dialog.js";
import { mountReviewPanel } from "./view/review_panel.js";

/** @import {createSequence} from "./api.js" */
/** @import {Run} from "./page.js" */
/** @import {FindingWord as Word, Judgement, Model} from "./state/types.js" */
/** @import {Api, Found, Workbench} from "./types.js" */

/**
 * Shows the verdicts, and gives the commands that change them; `goOn` selects the next object that
 * was not looked at: in a second round, first of those that changed since the last verdict.
 * @param {{bench: Workbench, api: Api, run: Run}} parts
 */
export function mountVerdicts({ bench, api, run }) {
  const { store, tell } = bench;
  const { page, person } = store.get();
  const makeGold = () => void chooseGold(store.get().work?.task.image_id, api, tell);
  const panel = mountReviewPanel(byId("review"), store, {
    run,
    onComment: (text) => change((before) => before && { ...before, comment: text }),
    onCommentDone: () => (byId("stage").focus(), goOn()),
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
    if (judgement) bench.changeWork((one) => ({ ...one, judgements: new Map(one.judgements).set(key, judgement) }));
    return true;
  }

  function goOn() {
    const { work } = store.get();
    if (!work) return;
    const objects = objectsIn(work.editor);
    const news = new Set((work.task.changes ?? []).map((change) => change.key));
    const changed = objects.filter((object) => news.has(object.key));
    const next = (/** @type {typeof objects} */ some) => nextUnjudged(some, work.judgements, selectedKey(work.editor));
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
    store.update((now) => changeWork(now, (one) => ({ ...one, saving: giveOrder(one.saving, order) })));
  }

  return { accept, remark: () => comment("accept"), reject: () => comment("reject"), conclude, goOn };
}

/**
 * Shows the findings, and gives what a key says of the current one.
 * @param {{bench: Workbench, api: Api, inSequence: ReturnType<createSequence>, onSignedOut: () => void}} parts
 */
export function mountFindings({ bench, api, inSequence, onSignedOut }) {
  const { store, tell } = bench;
  store.follow(show, ({ work, keymap }) => [work?.found, work?.editor.selection?.key, work && objectsIn(work.editor), keymap]);

  /** @param {Model} model */
  function show(model) {
    const { work } = model;
    const key = work?.editor.selection?.key ?? null;
    const found = work ? listHints({ findings: work.found, editor: work.editor }) : [];
    const shown = listShown(found, key);
    const current = currentFinding(found, key);
    const lines = shown.map((one) => makeLine(model, one, one === current, say));
    const elsewhere = found.filter((one) => one.verdict === null && !shown.includes(one)).length;
    const looks = { class: "found-elsewhere", text: texts.found.elsewhere(elsewhere), test: "found-elsewhere" };
    byId("found").hidden = found.length === 0;
    byId("found").replaceChildren(...lines, ...(elsewhere > 0 ? [stageButton(looks, goToFinding)] : []));
  }

  function goToFinding() {
    const { work } = store.get();
    if (!work) return;
    const key = nextWithFinding(work.found, objectsIn(work.editor), selectedKey(work.editor));
    if (key === null) return tell(texts.found.none, "plain");
    showObject(bench, key);
  }

  /**
   * Shows the verdict at once; the same one again takes it back. A verdict that another person gave meanwhile stands.
   * @param {Found} found @param {Word} word
   */
  async function say(found, word) {
    const verdict = found.verdict === word ? null : word;
    setFound(found.id, verdict);
    try {
      await inSequence(() => api.judgeFinding(found.id, verdict, found.verdict));
    } catch (error) {
      const isStale = error instanceof Refused && error.code === "stale";
      setFound(found.id, isStale ? error.body.verdict : found.verdict);
      if (isStale) return tell(texts.findings.meanwhile(error.body.by, error.body.verdict), "warn");
      if (error instanceof Refused && error.status === 401) return onSignedOut();
      if (error instanceof Refused) return tell(error.message, "danger");
      if (!(error instanceof NoAnswer)) throw error;
      tell(texts.noAnswer, "warn");
    }
  }

  /** @param {number} id @param {Found["verdict"]} verdict */
  function setFound(id, verdict) {
    bench.changeWork((work) => ({ ...work, found: setVerdict(work.found, id, verdict) }));
  }

  return (/** @type {Word} */ word) => {
    const { work } = store.get();
    const found = work && currentFinding(work.found, selectedKey(work.editor));
    if (found) void say(found, word);
    else goToFinding();
  };
}

/** @param {Model} model @param {Found} found @param {boolean} isCurrent @param {(found: Found, word: Word) => void} onJudge */
function makeLine(model, found, isCurrent, onJudge) {
  const button = (/** @type {Word} */ word) => {
    const aria = { pressed: String(found.verdict === word) };
    const looks = { class: `button small ${word}`, test: `found-${word}`, title: texts.found.title[word], aria };
    const key = isCurrent ? keyCap(model, `finding.${word}`) : null;
    return stageButton(looks, () => onJudge(found, word), el("span", { text: texts.found[word] }), key);
  };
  const data = { severity: found.severity, verdict: found.verdict ?? "", check: found.check };
  const looks = { class: isCurrent ? "found-line current" : "found-line", test: "found", data };
  const text = el("p", {}, el("b", { text: `${texts.found.severity[found.severity]} ` }), found.message);
  return el("div", looks, text, button("right"), button("wrong"));
}
