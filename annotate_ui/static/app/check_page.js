/** The checking page: the editor of the annotation page, with verdicts instead of drafts; what the checks found. */

import { createSequence, NoAnswer, Refused } from "./api.js";
import { boot, openLine } from "./boot.js";
import { mountVerdicts } from "./check_verdicts.js";
import { makeRunner, showObject } from "./commands.js";
import { mountPage } from "./page.js";
import { createCheckAnswers } from "./save_answers.js";
import { objectsIn, selectedKey } from "./state/editor.js";
import { currentFinding, listHints, listShown, nextWithFinding, changeFinding } from "./state/findings.js";
import { displayIn } from "./state/party.js";
import { packReview } from "./state/revision.js";
import { createWishes } from "./state/wishes.js";
import { texts } from "./texts.js";
import { keyCap, stageButton } from "./view/controls.js";
import { byId, el } from "./view/dom.js";

/** @import {FindingWord as Word, Model, Work} from "./state/types.js" */
/** @import {Found, Judged} from "./types.js" */

const { api, journal, bench } = await boot("check");
const { store } = bench;
const inSequence = createSequence();
/** @type {ReturnType<typeof createWishes<number, Judged>>} */
const wishes = createWishes();
const run = makeRunner(bench, {
  "verdict.accept": () => verdicts.accept(),
  "verdict.reject": () => verdicts.reject(),
  "verdict.remark": () => verdicts.remark(),
  "finding.right": () => judgeFinding("right"),
  "finding.wrong": () => judgeFinding("wrong"),
  "image.finish": ({ code }) => void verdicts.conclude(code),
  "image.history": showHistory,
});
const { showImage } = mountPage(bench, run);
const verdicts = mountVerdicts({ bench, api, run });
const answers = createCheckAnswers({ bench, journal, queue: () => line.queue, goOn: goBackOrOn });
const line = openLine({
  bench,
  api,
  journal,
  showImage,
  onOpen,
  answers,
  // Only an open image is judged.
  pack: (_entry, _order, saveKey, activeSecs) =>
    packReview(/** @type {Work} */ (store.get().work), saveKey, activeSecs),
  send: ({ imageId }, { body }) => api.saveReview(imageId, body),
  goesOn: () => cameFrom === null,
  isSafe() {
    const { work } = store.get();
    const { order, flight, changedAt } = work?.saving ?? { order: null, flight: null, changedAt: null };
    const isKept = journal.isDurable || (changedAt === null && !work?.judgements.size);
    return order === null && !flight && isKept;
  },
});

store.follow(showFindings, ({ work, keymap }) => {
  const { selection, history } = work?.editor ?? {};
  return [work?.found, selection?.key, history?.present, keymap];
});

const query = new URLSearchParams(location.search);
const asked = Number(query.get("image"));
/** The list from which this image was opened; the verdict leads back to it. */
const back = query.get("back") ?? "";
let cameFrom = /^\/(findings|disputes|images)(\?|$)/.test(back) ? back : null;
await line.start(asked > 0 ? () => line.queue.reopen(asked) : line.queue.next);
if (!journal.isDurable) bench.tell(texts.status.fleeting, "warn");

function onOpen() {
  const reason = store.get().work?.task.annotation?.discard_reason;
  const { discard_reasons: reasons } = store.get().party;
  if (reason) bench.tell(texts.review.discarded(displayIn(reasons, reason)), "warn");
  else verdicts.goOn();
}

function goBackOrOn() {
  const place = cameFrom;
  if (place === null) return void line.queue.next();
  cameFrom = null;
  // Verdicts that are not sent yet would be lost with this page.
  void inSequence(async () => location.assign(place));
}

/** The judgements so far are in the journal, and come back with the image. */
function showHistory() {
  const id = store.get().work?.task.image_id;
  if (id) location.assign(`/history?image=${id}&back=${encodeURIComponent(`/check?image=${id}`)}`);
}

/** @param {Model} model */
function showFindings(model) {
  const { work } = model;
  const key = work?.editor.selection?.key ?? null;
  const findings = work ? listHints({ findings: work.found, editor: work.editor }) : [];
  const shown = listShown(findings, key);
  const current = currentFinding(findings, key);
  const lines = shown.map((finding) => makeLine(model, finding, finding === current));
  const elsewhere = findings.filter((finding) => finding.verdict === null && !shown.includes(finding)).length;
  const looks = { class: "found-elsewhere", text: texts.found.elsewhere(elsewhere), test: "found-elsewhere" };
  byId("found").hidden = findings.length === 0;
  byId("found").replaceChildren(...lines, ...(elsewhere > 0 ? [stageButton(looks, goToFinding)] : []));
}

function goToFinding() {
  const { work } = store.get();
  if (!work) return;
  const key = nextWithFinding(work.found, objectsIn(work.editor), selectedKey(work.editor));
  if (key === null) return bench.tell(texts.found.none, "plain");
  showObject(bench, key);
}

/**
 * Shows the verdict at once; the same one again takes it back. A verdict that another person gave meanwhile stands.
 * @param {Found} finding
 * @param {Word} word
 */
async function say(finding, word) {
  const verdict = finding.verdict === word ? null : word;
  wishes.begin(finding.id, finding);
  setFound(finding.id, { verdict });
  const newest = () => store.get().work?.found.find(({ id }) => id === finding.id) ?? finding;
  try {
    endSaying(finding.id, await inSequence(() => api.judgeFinding(finding.id, verdict, newest().version)));
  } catch (error) {
    const now = error instanceof Refused && error.code === "stale" ? error.head : null;
    endSaying(finding.id, now ?? undefined);
    if (now) return bench.tell(texts.findings.meanwhile(finding, now), "warn");
    if (error instanceof Refused && error.status === 401) return line.onSignedOut();
    if (error instanceof Refused) return bench.tell(error.message, "danger");
    if (!(error instanceof NoAnswer)) throw error;
    bench.tell(texts.noAnswer, "warn");
  }
}

/**
 * Shows what the server has once nothing later is under way; until then, the next verdict is of its version.
 * @param {number} id
 * @param {Judged} [now] what the server has since this verdict, or undefined where it failed
 */
function endSaying(id, now) {
  const shown = wishes.end(id, now);
  if (shown) setFound(id, shown);
  else if (now) setFound(id, { version: now.version });
}

/** @param {number} id @param {Partial<Judged>} change */
function setFound(id, change) {
  bench.changeWork((work) => ({ ...work, found: changeFinding(work.found, id, change) }));
}

/** What a key says of the current finding. @param {Word} word */
function judgeFinding(word) {
  const { work } = store.get();
  const finding = work && currentFinding(work.found, selectedKey(work.editor));
  if (finding) void say(finding, word);
  else goToFinding();
}

/**
 * @param {Model} model
 * @param {Found} finding
 * @param {boolean} isCurrent
 */
function makeLine(model, finding, isCurrent) {
  const button = (/** @type {Word} */ word) => {
    const looks = {
      class: `button small ${word}`,
      test: `found-${word}`,
      title: texts.found.title[word],
      aria: { pressed: String(finding.verdict === word) },
    };
    const text = el("span", { text: texts.found[word] });
    const about = el("span", { class: "unseen", text: `: ${finding.message}` });
    const key = isCurrent ? keyCap(model, `finding.${word}`) : null;
    return stageButton(looks, () => void say(finding, word), text, about, key);
  };
  const data = { severity: finding.severity, verdict: finding.verdict ?? "", check: finding.check };
  const looks = { class: isCurrent ? "found-line current" : "found-line", test: "found", data };
  const text = el("p", {}, el("b", { text: `${texts.found.severity[finding.severity]} ` }), finding.message);
  return el("div", looks, text, button("right"), button("wrong"));
}
