/** The segmentation pages: outlines drawn for every object of an image, and checked by another person. */

import { Refused } from "./api.js";
import { boot, openLine } from "./boot.js";
import { mountVerdicts } from "./check_verdicts.js";
import { makeRunner, showObject } from "./commands.js";
import { mountPage } from "./page.js";
import { createAnswers, createCheckAnswers } from "./save_answers.js";
import { makeSegmentCommands } from "./segment/commands.js";
import { createLiveWire } from "./segment/live_wire.js";
import { makeSegmentLayers } from "./segment/paint.js";
import { askSegmentFinish, mountSegmentPanel } from "./segment/panel.js";
import { openSegmentation, packSegmentation, packSegmentReview, wrapApi } from "./segment/task.js";
import { isElsewhere, isEnding } from "./state/model.js";
import { texts } from "./texts.js";
import { byId } from "./view/dom.js";
import { mountEnding, mountReviewNote } from "./view/panel.js";

/** @import {Page} from "./state/types.js" */

const isChecking = document.body.classList.contains("checking");
const page = /** @type {Page} */ (isChecking ? "check-segment" : "segment");
const { api: server, journal, bench } = await boot(page);
const api = wrapApi(server, page);
const { store, tell } = bench;
/** The images that were finished in this window, in order. */
let finished = /** @type {readonly number[]} */ ([]);

const wire = createLiveWire(bench);
const { commands, pick, goOn } = makeSegmentCommands(bench, api, wire, () =>
  verdicts ? verdicts.goOn() : void finish(),
);
const run = makeRunner(bench, {
  ...commands,
  "verdict.accept": () => verdicts?.accept(),
  "verdict.reject": () => verdicts?.reject(),
  "verdict.remark": () => verdicts?.remark(),
  "image.previous": () => void goBack(),
  "image.finish": ({ code }) => (verdicts ? void verdicts.conclude(code) : void finish()),
});
const { showImage } = mountPage(bench, run, {
  pick,
  makeLayers: (below, above) => makeSegmentLayers(below, above, wire),
  mountPanel: mountSegmentPanel,
});
byId("stage").setAttribute("aria-description", texts.segment.regions.stageHelp);
const verdicts = isChecking ? mountVerdicts({ bench, api, run }) : null;
const answers = isChecking
  ? createCheckAnswers({ bench, journal, queue: () => line.queue, goOn: () => void line.queue.next() })
  : createAnswers({ bench, api, journal, line: () => line });
const line = openLine({
  bench,
  api,
  journal,
  showImage,
  answers,
  onOpen: verdicts?.goOn ?? (() => goOn()),
  pack(entry, order, saveKey, activeSecs, inputs) {
    const { work } = store.get();
    if (!isChecking) return packSegmentation(entry, order, saveKey, activeSecs, inputs);
    if (!work) throw new Error("only an open image is judged");
    return packSegmentReview(store.get(), work, saveKey, activeSecs, inputs);
  },
  async send({ imageId, objects, saving }, { body }) {
    if (isChecking) return api.saveSegmentReview(saving.parentId, body);
    try {
      const { segmentation } = await api.saveSegmentation(imageId, body);
      return { annotation: segmentation, findings: [] };
    } catch (error) {
      const boxes = objects.filter(({ isVoid }) => !isVoid).map((object) => ({ ...object, drawn_secs: 0 }));
      if (error instanceof Refused && error.head) error.head = openSegmentation(error.head, boxes, []);
      throw error;
    }
  },
  isSafe() {
    const { work } = store.get();
    if (!isChecking) return document.body.dataset.saved === "saved";
    return !work || (!isEnding(work) && (journal.isDurable || work.judgements.size === 0));
  },
});
const { sender, queue } = line;

if (!isChecking) {
  mountReviewNote(store);
  mountEnding(store, run, [{ command: "image.finish", text: texts.finish.button, isMain: true }]);
}
await sender.adoptFinished();
await line.start();
if (!journal.isDurable) tell(texts.status.fleeting, "warn");

/** The findings, then the end; the next image comes at once. */
async function finish() {
  const { work, screen } = store.get();
  if (!work || screen !== "work" || isEnding(work)) return;
  const answer = await askSegmentFinish(store.get(), work);
  if (typeof answer === "string") return showObject(bench, answer);
  if (!answer || store.get().work?.task.image_id !== work.task.image_id) return;
  await sender.leave({ finish: true, discardReason: null, comment: "", isComplete: null });
  finished = [...finished.filter((id) => id !== work.task.image_id), work.task.image_id];
  await queue.next();
}

/** Opens the image that was finished before this one; what is open now comes after it. */
async function goBack() {
  const { work } = store.get();
  const at = finished.indexOf(work?.task.image_id ?? 0);
  const before = finished.at(at < 0 ? -1 : at - 1);
  if (before === undefined || at === 0) return tell(texts.notices.noPrevious, "plain");
  const isUp = await sender.settle().then(
    () => true,
    () => false,
  );
  if (!isUp) return tell(texts.notices.previousLater, "warn");
  const now = store.get().work;
  if (!now?.saving.trouble && !isElsewhere(work, now)) await queue.reopen(before);
}
