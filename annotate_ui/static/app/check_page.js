/** The checking page: the editor of the annotation page, with verdicts instead of drafts. */

import { boot } from "./boot.js";
import { createTurns } from "./calls.js";
import { mountFindings } from "./check_findings.js";
import { mountVerdicts } from "./check_verdicts.js";
import { makeRunner } from "./commands.js";
import { mountPage } from "./page.js";
import { keepLease, watchSignIn } from "./presence.js";
import { createQueue } from "./queue.js";
import { createSender } from "./sender.js";
import { idOfEntry } from "./state/entry.js";
import { createStore } from "./state/model.js";
import { packReview } from "./state/review.js";
import { texts } from "./texts.js";

const { api, journal, bench } = await boot("check");
const { store, nowSecs, makeKey, tell } = bench;
const inTurn = createTurns();
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
const onSignedOut = watchSignIn(bench, api, () => (store.get().work ? sender.tryNow() : queue.next()));
const judgeFinding = mountFindings({ bench, api, inTurn, onSignedOut });
const sender = createSender({
  store,
  journal,
  nowSecs,
  makeKey,
  pack: (_entry, _order, saveKey, activeSecs) => packReview(getWork(), saveKey, activeSecs),
  send: ({ imageId }, { body }) => api.saveReview(imageId, body),
  onLanded: () => void close(goBackOrOn),
  onProblem(_entry, error, isOpen) {
    if (!isOpen) return tell(error.message, "warn");
    if (error.code === "stale") return void close(() => queue.show("changed"));
    if (error.code === "lease_lost") return void close(() => queue.show("lease_lost"));
    bench.refuse(error);
  },
  onSignedOut,
  onFleeting: () => tell(texts.status.fleeting, "warn"),
});
const queue = createQueue({ bench, api, sender, showImage, onSignedOut, onOpen });

keepLease(bench, api, { onLost: () => queue.show("lease_lost"), onSignedOut });
addEventListener("online", () => void sender.tryNow());
addEventListener("beforeunload", (event) => {
  const { work } = store.get();
  if (work && (work.saving.order !== null || work.saving.flight)) event.preventDefault();
});

const query = new URLSearchParams(location.search);
const asked = Number(query.get("image"));

function onOpen() {
  const reason = store.get().work?.task.annotation?.discard_reason;
  const { discard_reasons: reasons } = store.get().party;
  if (reason) bench.tell(texts.review.discarded(reasons.find((one) => one.name === reason)?.display ?? reason), "warn");
  else verdicts.goOn();
}

/** The queue from which this image was opened: there one goes on after it. */
const back = query.get("back") ?? "";
const cameFrom = createStore(/^\/(findings|disputes|images)(\?|$)/.test(back) ? back : null);
await (asked > 0 ? queue.reopen(asked) : queue.next());
const sent = await sender.sendEarlier();
if (sent > 0) tell(texts.notices.sentEarlier(sent), "ok");

function goBackOrOn() {
  const place = cameFrom.get();
  if (place === null) return void queue.next();
  cameFrom.update(() => null);
  // What waits for its turn would be lost with this page.
  void inTurn(async () => location.assign(place));
}

/** @param {() => void} then */
async function close(then) {
  const model = store.get();
  if (model.work) await journal.drop(idOfEntry(model, model.work.task));
  then();
}

function getWork() {
  const { work } = store.get();
  if (!work) throw new Error("only an open image is judged");
  return work;
}

/** What was judged so far is in the journal, and here again afterwards. */
function showHistory() {
  const id = getWork().task.image_id;
  location.assign(`/history?image=${id}&back=${encodeURIComponent(`/check?image=${id}`)}`);
}
