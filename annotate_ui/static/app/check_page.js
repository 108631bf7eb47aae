/** The checking page: the editor of the annotation page, with verdicts instead of drafts. */

import { boot } from "./boot.js";
import { createTurns } from "./calls.js";
import { mountFindings } from "./check_findings.js";
import { mountVerdicts } from "./check_verdicts.js";
import { makeRunner } from "./commands.js";
import { idOfEntry } from "./keeper.js";
import { mountPage } from "./page.js";
import { keepLease, watchSignIn } from "./presence.js";
import { createQueue } from "./queue.js";
import { keepChanges, sendUnsent } from "./save_answers.js";
import { createSaver } from "./saver.js";
import { packReview } from "./state/revision.js";
import { texts } from "./texts.js";

const { api, journal, bench } = await boot("check");
const { store, nowSecs, makeKey } = bench;
const inTurn = createTurns();
const run = makeRunner(bench, {
  "verdict.accept": () => verdicts.accept(),
  "verdict.reject": () => verdicts.reject(),
  "verdict.remark": () => verdicts.remark(),
  "finding.right": () => judgeFinding("right"),
  "finding.wrong": () => judgeFinding("wrong"),
  "image.finish": ({ code }) => void verdicts.conclude(code),
});
const { showImage } = mountPage(bench, run);
const verdicts = mountVerdicts({ bench, api, run });
const onSignedOut = watchSignIn(bench, api, () => (store.get().work ? saver.tryNow() : queue.next()));
const judgeFinding = mountFindings({ bench, api, inTurn, onSignedOut });
const queue = createQueue({ bench, api, journal, showImage, onSignedOut, onOpen });
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
  onRefused: bench.refuse,
});

keepChanges(bench, journal);
keepLease(bench, api, { onLost: () => queue.show("lease_lost"), onSignedOut });
addEventListener("online", saver.tryNow);
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
let cameFrom = /^\/(findings|disputes|images)(\?|$)/.test(query.get("back") ?? "") ? query.get("back") : null;
await (asked > 0 ? queue.reopen(asked) : queue.next());
await sendUnsent(bench, journal, api.saveReview);

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
