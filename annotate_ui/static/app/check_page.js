/** The checking page: the editor of the annotation page, with verdicts instead of drafts. */

import { createSequence } from "./api.js";
import { boot, openLine } from "./boot.js";
import { mountFindings, mountVerdicts } from "./check_verdicts.js";
import { makeRunner } from "./commands.js";
import { mountPage } from "./page.js";
import { createCheckAnswers } from "./save_answers.js";
import { displayIn } from "./state/party.js";
import { packReview } from "./state/review.js";
import { texts } from "./texts.js";

/** @import {Work} from "./state/types.js" */

const { api, journal, bench } = await boot("check");
const { store } = bench;
const inSequence = createSequence();
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
  bench, api, journal, showImage, onOpen, answers,
  // Only an open image is judged.
  pack: (_entry, _order, saveKey, activeSecs) => packReview(/** @type {Work} */ (store.get().work), saveKey, activeSecs),
  send: ({ imageId }, { body }) => api.saveReview(imageId, body),
  isSafe() {
    const { order, flight } = store.get().work?.saving ?? { order: null, flight: null };
    return order === null && !flight;
  },
});
const judgeFinding = mountFindings({ bench, api, inSequence, onSignedOut: line.onSignedOut });

const query = new URLSearchParams(location.search);
const asked = Number(query.get("image"));
/** The list from which this image was opened; the verdict leads back to it. */
const back = query.get("back") ?? "";
let cameFrom = /^\/(findings|disputes|images)(\?|$)/.test(back) ? back : null;
await line.start(asked > 0 ? () => line.queue.reopen(asked) : line.queue.next);

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
