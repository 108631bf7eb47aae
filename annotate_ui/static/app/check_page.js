/** The checking page: the editor of the annotation page, with verdicts instead of drafts. */

import { NoAnswer, Refused } from "./api.js";
import { boot, makeKey, nowSecs } from "./boot.js";
import { makeRunner, revealSelection } from "./commands.js";
import { idOfEntry, keepJournal, sendEarlier } from "./keeper.js";
import { mountPage, openHelp } from "./page.js";
import { keepLease, watchSignIn } from "./presence.js";
import { createQueue } from "./queue.js";
import { createSaver } from "./saver.js";
import { packReview } from "./state/bodies.js";
import { objectsIn, select, selectedObject } from "./state/editor.js";
import { findingInHand, nextWithFinding, setVerdict } from "./state/found.js";
import { changeWork } from "./state/model.js";
import { judge, nextUnjudged } from "./state/review.js";
import * as saving from "./state/saving.js";
import { isEnding } from "./state/tracking.js";
import { texts } from "./texts.js";
import { createTurns } from "./turns.js";
import { byId } from "./view/dom.js";
import { mountEnding } from "./view/ending.js";
import { askGold } from "./view/gold_dialog.js";
import { mountFoundList } from "./view/found_list.js";
import { mountMessage } from "./view/message.js";
import { askVerdict } from "./view/review_dialog.js";
import { mountReviewPanel } from "./view/review_panel.js";
import { createWorkbench, refuse } from "./workbench.js";

/** @typedef {import("./state/model.js").Work} Work */
/** @typedef {import("./state/review.js").Judgement} Judgement */
/** @typedef {import("./state/found.js").Word} Word */
/** @typedef {import("./types.js").Found} Found */

const { api, journal, store } = await boot("check");
const inTurn = createTurns();
const bench = createWorkbench(store, { nowSecs, makeKey, focusFilter: () => palette.focusFilter() });
const run = makeRunner(bench, {
  help: () => openHelp(bench),
  "verdict.accept": accept,
  "verdict.reject": reject,
  "verdict.remark": remark,
  "finding.right": () => judgeFound("right"),
  "finding.wrong": () => judgeFound("wrong"),
  "image.finish": ({ code }) => void conclude(code),
});
const { palette, stage } = mountPage(bench, run);
const panel = mountReviewPanel(byId("review"), store, {
  run,
  onComment: comment,
  onCommentDone: () => (byId("stage").focus(), goOn()),
  onGold: store.get().person.role === "organiser" ? () => void chooseGold() : null,
});
mountFoundList(byId("found"), store, {
  onJudge: (found, word) => void say(found, word),
  onElsewhere: goToFinding,
});
const onSignedOut = watchSignIn(bench, api, () => (store.get().work ? saver.tryNow() : queue.next()));
const { showImage } = stage;
const queue = createQueue({ bench, api, journal, showImage, onSignedOut, onOpen: goOn });
const saver = createSaver({
  store,
  nowSecs,
  makeKey,
  pack: packReview,
  send: (imageId, body) => api.saveReview(imageId, body),
  onLanded: () => void close(goBackOrOn),
  onStale: () => void close(() => queue.show("changed")),
  onLeaseLost: () => void close(() => queue.show("lease_lost")),
  onSignedOut,
  onRefused: (error) => refuse(bench, error),
});

keepJournal(store, journal, () => tell(texts.status.fleeting, "warn"));
mountMessage(byId("message"), store, { onAgain: queue.again, onSkip: queue.skip });
mountEnding(byId("ending"), store, run, [
  { command: "image.finish", text: texts.review.finish, isMain: true },
]);
keepLease(bench, api, { onLost: () => queue.show("lease_lost"), onSignedOut });
addEventListener("online", saver.tryNow);
addEventListener("beforeunload", (event) => {
  const { work } = store.get();
  if (work && (work.saving.order !== null || work.saving.flight)) event.preventDefault();
});

const query = new URLSearchParams(location.search);
const asked = Number(query.get("image"));
/** The queue from which this image was opened: there one goes on after it. */
let cameFrom = /^\/(findings|disputes)(\?|$)/.test(query.get("back") ?? "") ? query.get("back") : null;
await (asked > 0 ? queue.reopen(asked) : queue.next());
await sendUnsent();

/** The selected object is right; on to the next that was not looked at. */
function accept() {
  const key = selectedKey();
  if (key === null) return goOn();
  const before = store.get().work?.judgements.get(key);
  setJudgement(key, { verdict: "accept", comment: before?.verdict === "accept" ? before.comment : "" });
  goOn();
}

/** The selected object is right, and its author is told something about it; nothing goes back. */
function remark() {
  const key = selectedKey();
  if (key === null) return tell(texts.notices.rejectedFirst, "warn");
  const before = store.get().work?.judgements.get(key);
  setJudgement(key, { verdict: "accept", comment: before?.comment ?? "" });
  panel.focusComment();
}

/** The selected object is wrong: rejected at once, and the word for its author is asked for. */
function reject() {
  const key = selectedKey();
  if (key === null) return tell(texts.notices.rejectedFirst, "warn");
  const before = store.get().work?.judgements.get(key);
  setJudgement(key, { verdict: "reject", comment: before?.comment ?? "" });
  panel.focusComment();
}

/** @param {string} text */
function comment(text) {
  const key = selectedKey();
  const judgement = key === null ? undefined : store.get().work?.judgements.get(key);
  if (key !== null && judgement) setJudgement(key, { ...judgement, comment: text });
}

function goOn() {
  const { work } = store.get();
  if (!work) return;
  const key = nextUnjudged(objectsIn(work.editor), work.judgements, selectedKey());
  bench.edit((editor) => select(editor, key === null ? null : { key, part: null }));
  store.update(revealSelection);
}

/**
 * What a key says of the finding in hand; where none is, it leads to the object of the next.
 * @param {Word} word
 */
function judgeFound(word) {
  const { work } = store.get();
  const found = work && findingInHand(work.found, selectedKey());
  if (found) return void say(found, word);
  goToFinding();
}

function goToFinding() {
  const { work } = store.get();
  if (!work) return;
  const key = nextWithFinding(work.found, objectsIn(work.editor), selectedKey());
  if (key === null) return tell(texts.found.none, "plain");
  bench.edit((editor) => select(editor, { key, part: null }));
  store.update(revealSelection);
}

/**
 * Said at once; the same word again takes it back. What somebody else said meanwhile stands.
 * @param {Found} found
 * @param {Word} word
 */
async function say(found, word) {
  const verdict = found.verdict === word ? null : word;
  setFound(found.id, verdict);
  try {
    await inTurn(() => api.judgeFinding(found.id, verdict, found.verdict));
  } catch (error) {
    const isStale = error instanceof Refused && error.code === "stale";
    setFound(found.id, isStale ? error.body.verdict : found.verdict);
    if (isStale) return tell(texts.findings.meanwhile(error.body.by, error.body.verdict), "warn");
    if (error instanceof Refused && error.status === 401) return onSignedOut();
    if (error instanceof Refused) return tell(error.message, "danger");
    if (!(error instanceof NoAnswer)) throw error;
    tell(texts.found.unsaid, "warn");
  }
}

/**
 * @param {number} id
 * @param {Found["verdict"]} verdict
 */
function setFound(id, verdict) {
  bench.changeWork((work) => ({ ...work, found: setVerdict(work.found, id, verdict) }));
}

/** For organisers: the image becomes gold, with its newest revision as the reference. */
async function chooseGold() {
  const imageId = store.get().work?.task.image_id;
  if (imageId === undefined) return;
  try {
    const { gold } = await api.goldOf(imageId);
    const choice = await askGold(gold);
    if (!choice) return;
    await api.chooseGold(imageId, choice);
    tell(choice.is_training ? texts.gold.isTraining : texts.gold.isGold, "ok");
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof NoAnswer)) throw error;
    tell(error instanceof Refused ? error.message : texts.gold.noServer, "warn");
  }
}

/** @param {string | null} heldCode */
async function conclude(heldCode) {
  const model = store.get();
  const { work } = model;
  if (!work || model.screen !== "work" || isEnding(work)) return;
  const conclusion = await askVerdict(model, work, heldCode);
  if (!conclusion) return;
  const order = { finish: /** @type {const} */ (true), discardReason: null, ...conclusion };
  store.update((now) =>
    changeWork(now, (one) => ({ ...one, saving: saving.giveOrder(one.saving, order) })),
  );
}

function goBackOrOn() {
  if (cameFrom === null) return void queue.next();
  const back = cameFrom;
  cameFrom = null;
  // What waits for its turn would be lost with this page.
  void inTurn(async () => location.assign(back));
}

/** @param {() => void} then */
async function close(then) {
  const model = store.get();
  if (model.work) await journal.drop(idOfEntry(model, model.work.task));
  then();
}

async function sendUnsent() {
  const model = store.get();
  const currentId = model.work && idOfEntry(model, model.work.task);
  const send = (/** @type {import("./journal.js").Entry} */ entry, /** @type {object} */ body) =>
    api.saveReview(entry.imageId, body);
  const sent = await sendEarlier(journal, model, currentId, send, makeKey).catch(() => 0);
  if (sent > 0) tell(texts.notices.sentEarlier(sent), "ok");
}

function selectedKey() {
  const { work } = store.get();
  return (work && selectedObject(work.editor)?.key) ?? null;
}

/**
 * @param {string} key
 * @param {Judgement} judgement
 */
function setJudgement(key, judgement) {
  bench.changeWork((work) => ({ ...work, judgements: judge(work.judgements, key, judgement) }));
}

/**
 * @param {string} text
 * @param {import("./state/model.js").Notice["tone"]} tone
 */
function tell(text, tone) {
  store.update((model) => ({ ...model, notice: { text, tone } }));
}
