/** The annotation page: wires the queue, the editor, the saver and the journal. */

import { boot } from "./boot.js";
import { makeRunner } from "./commands.js";
import { createEnding } from "./image_end.js";
import { listFinished } from "./keeper.js";
import { createOutbox } from "./outbox.js";
import { mountPage } from "./page.js";
import { keepLease, showRemarks, watchSignIn } from "./presence.js";
import { createQueue } from "./queue.js";
import { createAnnotationSaver, keepChanges, saveAndHear, sendUnsent } from "./save_answers.js";
import { texts } from "./texts.js";
import { mountAnnotating } from "./view/panel.js";

const { api: server, journal, bench } = await boot("annotate");
const { store, makeKey, tell } = bench;
/** The last question for an image: where it came behind the end of one, it would open that again. */
let asked = /** @type {Promise<unknown>} */ (Promise.resolve());
const api = { ...server, nextTask };
const run = makeRunner(bench, {
  "image.finish": ({ code }) => void ending.finish(code),
  "image.verify": () => void ending.finish(null),
  "image.discard": () => void ending.discard(),
  "image.unwanted": () => void ending.discardUnwanted(),
  "image.previous": () => void ending.goBack(),
});
const { showImage } = mountPage(bench, run);
const onSignedOut = watchSignIn(bench, api, tryNow);
const outbox = createOutbox({
  journal,
  makeKey,
  send: (entry, body) => asked.then(() => saveAndHear(api, entry.imageId, body)),
  onState: (state) => store.update((model) => ({ ...model, outbox: state })),
  onProblem: (entry, error) => void saver.settleProblem(entry, error),
  onFleeting: () => tell(texts.status.fleeting, "warn"),
  onSignedOut: () => onSignedOut(),
});
const queue = createQueue({ bench, api, journal, showImage, onSignedOut, settle: outbox.settle });
const saver = createAnnotationSaver({ bench, api, journal, queue, onSignedOut });
const ending = createEnding({ bench, api, journal, outbox, queue, saver, asked: () => asked });

showRemarks(api);
keepChanges(bench, journal);
mountAnnotating(store, run);
keepLease(bench, api, { onLost: () => void saver.regain(), onSignedOut, onLive: queue.follow });
addEventListener("online", tryNow);
document.addEventListener("visibilitychange", () => document.hidden && saver.flush());
addEventListener("beforeunload", (event) => {
  if (document.body.dataset.saved !== "saved") event.preventDefault();
});

outbox.adopt(await listFinished(journal, store.get()).catch(() => []));
await queue.next();
await sendUnsent(bench, journal, api.saveRevision);
if (!journal.isDurable) tell(texts.status.fleeting, "warn");

/** @type {typeof server.nextTask} */
function nextTask(kind, wish) {
  const answer = server.nextTask(kind, wish);
  asked = answer.catch(() => {});
  return answer;
}

/** The person is back, or the network. */
function tryNow() {
  outbox.tryNow();
  saver.tryNow();
  if (!store.get().work) queue.again();
}
