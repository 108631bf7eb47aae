/** The annotation page: wires the queue, the editor, the sender and the journal. */

import { boot } from "./boot.js";
import { makeRunner } from "./commands.js";
import { createEnding } from "./image_end.js";
import { fleetingJournal } from "./journal.js";
import { mountPage } from "./page.js";
import { practise } from "./practice.js";
import { keepLease, showRemarks, watchSignIn } from "./presence.js";
import { createQueue } from "./queue.js";
import { createAnswers, saveAndHear } from "./save_answers.js";
import { createSender } from "./sender.js";
import { createStore } from "./state/model.js";
import { packEntry } from "./state/revision.js";
import { texts } from "./texts.js";
import { mountAnnotating } from "./view/panel.js";

const isPractice = location.search === "?practice";
const booted = await boot("annotate");
const { bench } = booted;
const server = isPractice ? practise(bench, booted.api) : booted.api;
const journal = isPractice ? fleetingJournal() : booted.journal;
const { store, makeKey, nowSecs, tell } = bench;
/** The last question for an image: where it came behind the end of one, it would open that again. */
const asked = createStore(/** @type {Promise<unknown>} */ (Promise.resolve()));
const api = { ...server, nextTask };
const run = makeRunner(bench, {
  "image.finish": ({ code }) => void ending.finish(code),
  "image.verify": () => void ending.finish(null),
  "image.discard": () => void ending.discard(),
  "image.unwanted": () => void ending.discardUnwanted(),
  "image.previous": () => void ending.goBack(),
  "event.copy": () => void ending.copyEvent(),
  "image.history": () => isPractice || void ending.showHistory(),
});
const { showImage } = mountPage(bench, run);
const onSignedOut = watchSignIn(bench, api, tryNow);
const answers = createAnswers({ bench, api, journal, queue: () => queue, sender: () => sender });
const sender = createSender({
  store,
  journal,
  nowSecs,
  makeKey,
  pack: packEntry,
  async send({ imageId }, { body, finish }) {
    if (finish) await asked.get();
    return saveAndHear(api, imageId, body);
  },
  onLanded: answers.onLanded,
  onProblem: answers.onProblem,
  onSignedOut,
  onFleeting: () => tell(texts.status.fleeting, "warn"),
});
const queue = createQueue({ bench, api, sender, showImage, onSignedOut });
const ending = createEnding({ bench, api, journal, queue, sender, asked: asked.get });

mountAnnotating(store, run);
keepLease(bench, api, { onLost: () => void answers.regain(), onSignedOut, onLive: queue.follow });
addEventListener("online", tryNow);
document.addEventListener("visibilitychange", () => document.hidden && sender.flush());
addEventListener("beforeunload", (event) => {
  if (document.body.dataset.saved !== "saved" && !isPractice) event.preventDefault();
});

await sender.adoptFinished();
await queue.next();
showRemarks(api);
const sent = await sender.sendEarlier();
if (sent > 0) tell(texts.notices.sentEarlier(sent), "ok");
if (!booted.journal.isDurable) tell(texts.status.fleeting, "warn");

/** @type {typeof server.nextTask} */
function nextTask(kind, wish) {
  const answer = server.nextTask(kind, wish);
  asked.update(() => answer.catch(() => {}));
  return answer;
}

/** The person is back, or the network. */
function tryNow() {
  void sender.tryNow();
  if (!store.get().work) queue.again();
}
