/** The annotation page: wires the queue, the editor, the sender and the journal. */

import { boot, openLine } from "./boot.js";
import { makeRunner } from "./commands.js";
import { createEnding } from "./image_end.js";
import { fleetingJournal } from "./journal.js";
import { mountPage } from "./page.js";
import { practise } from "./practice.js";
import { showRemarks } from "./presence.js";
import { createAnswers } from "./save_answers.js";
import { packEntry } from "./state/revision.js";
import { texts } from "./texts.js";
import { tellFeedback } from "./view/annotate_dialogs.js";
import { mountEnding, mountReviewNote, mountWanted } from "./view/panel.js";

const isPractice = location.search === "?practice";
const booted = await boot("annotate");
const { bench } = booted;
const server = isPractice ? practise(bench, booted.api) : booted.api;
const journal = isPractice ? fleetingJournal() : booted.journal;
const { store, tell } = bench;
/** The last request for an image. An end is sent after its answer, or that request could open the ended image again. */
let asked = /** @type {Promise<unknown>} */ (Promise.resolve());
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
const answers = createAnswers({ bench, api, journal, line: () => line });
const line = openLine({
  bench, api, journal, showImage, answers,
  pack: packEntry,
  async send({ imageId }, { body, finish }) {
    if (finish) await asked;
    const answer = await api.saveRevision(imageId, body);
    if (answer.training) void tellFeedback(answer.feedback ?? [], answer.training);
    return answer;
  },
  isSafe: () => document.body.dataset.saved === "saved" || isPractice,
});
const ending = createEnding({ bench, api, journal, ...line, asked: () => asked });

mountReviewNote(store);
mountWanted(store, run);
mountEnding(store, run, [
  { command: "image.discard", text: texts.discard.button, isMain: false },
  { command: "image.finish", text: texts.finish.button, isMain: true },
]);
document.addEventListener("visibilitychange", () => document.hidden && line.sender.flush());

await line.sender.adoptFinished();
await line.start(() => line.queue.next().then(() => showRemarks(api)));
if (!booted.journal.isDurable) tell(texts.status.fleeting, "warn");

/** @type {typeof server.nextTask} */
function nextTask(kind, wish) {
  const answer = server.nextTask(kind, wish);
  asked = answer.catch(() => {});
  return answer;
}
