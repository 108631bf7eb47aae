/** Asks for images and opens them one after the other, or says why there is none. */

import { NoAnswer, Refused } from "./api.js";
import { fit } from "./geometry/viewport.js";
import { objectsIn } from "./state/editor.js";
import { changeWork, isDrawing, isEnding, PLAIN } from "./state/model.js";
import { displayIn, displayOfClass } from "./state/party.js";
import { UNWANTED_REASON } from "./state/objects.js";
import { isSameWork, openWork } from "./state/revision.js";
import { texts } from "./texts.js";
import { focusStage } from "./view/controls.js";
import { byId } from "./view/dom.js";
import { mountMessage } from "./view/stage_notes.js";

/** @import {Model, Notice, Screen} from "./state/types.js" */
/** @import {Api, Live, Queue, Revision, Sender, Task, TaskAnswer, Workbench} from "./types.js" */

const SERVER_AGAIN_MS = 3_000;
const QUEUE_AGAIN_MS = 30_000;

/**
 * @typedef {{bench: Workbench, api: Api, sender: Pick<Sender, "settle" | "take">,
 *   showImage: (url: string) => Promise<void>, onSignedOut: () => void, onOpen?: () => void, onStale?: (head: Revision | null) => void}} QueueParts
 */

/**
 * @param {QueueParts} parts
 * @returns {Queue}
 */
export function createQueue(parts) {
  const { bench, api, sender, showImage, onSignedOut, onStale = () => {}, onOpen = () => {} } = parts;
  const { store } = bench;
  const { page, party } = store.get();
  const aheadCount = isDrawing(page) ? party.images_ahead : 0;
  const ahead = createAhead((count) => store.update((model) => ({ ...model, aheadHere: count })));
  let retry = () => {};
  let areClassesNew = false;
  let brokenTask = /** @type {Task | null} */ (null);
  /** Images that did not open: skipped while there are others. @type {Set<number>} */
  const broken = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let openings = 0;

  /** Begins an opening: what the one before still waits for is dropped when it comes. Tells whether this one is the last. */
  function begin() {
    clearTimeout(timer);
    openings += 1;
    const number = openings;
    return () => number === openings;
  }

  /** @param {Screen} screen */
  function show(screen) {
    store.update((model) => ({ ...model, screen, work: null, hovered: null }));
  }

  /**
   * Shows a screen; where `afterMs` is given, the page acts by itself then.
   * @param {Screen} screen
   * @param {() => void} action
   * @param {number} [afterMs]
   */
  function showAndWait(screen, action, afterMs) {
    retry = action;
    if (afterMs !== undefined) timer = setTimeout(action, afterMs);
    show(screen);
  }

  async function next() {
    const task = areClassesNew ? null : ahead.take();
    if (!task) return ask();
    await openAhead(task, begin());
  }

  /** @type {(task: Task, isLast: () => boolean) => Promise<void>} */
  async function openAhead(task, isLast) {
    await open(task, isLast);
    if (isLast()) void confirm(task);
  }

  /** @param {number} [imageId] */
  async function ask(imageId) {
    const isLast = begin();
    retry = () => void ask(imageId);
    show("loading");
    try {
      await sender.settle();
      const answer = await api.nextTask(page, { imageId, ahead: aheadCount });
      if (!isLast()) return;
      learn(answer);
      if (areClassesNew) return location.reload(); // all is sent; the page begins with the new ones
      const mayPass = imageId === undefined && answer.task && broken.has(answer.task.image_id);
      const other = mayPass ? ahead.take() : null;
      if (answer.task && other) {
        await api.giveBack(answer.task.lease.id).catch(() => {});
        return await openAhead(other, isLast);
      }
      if (answer.task) return await open(answer.task, isLast);
      const { reason } = answer;
      const isTold = reason !== undefined && reason in texts.screens;
      showAndWait(isTold ? /** @type {Screen} */ (reason) : "empty", () => void ask(), QUEUE_AGAIN_MS);
    } catch (error) {
      if (isLast()) fail(error, imageId);
    }
  }

  /**
   * Tells the server that a reserved image is open now, and learns what is reserved behind it. The
   * person is at work on it meanwhile; where it turns out to be gone, an untouched one is left.
   * @param {Task} task
   */
  async function confirm(task) {
    const isHere = () => {
      const { work } = store.get();
      return work?.task.image_id === task.image_id && !isEnding(work);
    };
    try {
      await sender.settle();
      if (!isHere()) return;
      const answer = await api.nextTask(page, { imageId: task.image_id, ahead: aheadCount });
      if (!isHere()) return;
      learn(answer);
      if (areClassesNew && isUntouched()) return location.reload();
      if (!answer.task) return;
      const { annotation, lease } = answer.task;
      // Another window of the person may have saved.
      const isSame = (task.annotation?.id ?? null) === (annotation?.id ?? null);
      if (!isSame && isUntouched()) return await open(answer.task, begin());
      store.update((model) => changeWork(model, (work) => ({ ...work, task: { ...work.task, lease } })));
    } catch (error) {
      if (!isHere()) return;
      if (error instanceof NoAnswer) timer = setTimeout(() => void confirm(task), SERVER_AGAIN_MS);
      else if (!(error instanceof Refused)) throw error;
      else if (error.status === 401) onSignedOut();
      else if (isUntouched()) void ask();
    }
  }

  function isUntouched() {
    const { work } = store.get();
    const { changedAt, flight, parentId } = work?.saving ?? {};
    const isUnsaved = changedAt !== null || flight !== null;
    if (!work || isEnding(work) || isUnsaved) return false;
    const isFirst = parentId === (work.task.annotation?.id ?? null);
    return isFirst && isSameWork(work.original, objectsIn(work.editor));
  }

  /** @param {TaskAnswer} answer */
  function learn({ left, live, ahead: tasks = [] }) {
    store.update((model) => ({ ...model, left }));
    ahead.replace(tasks.filter((task) => !broken.has(task.image_id)));
    follow(live);
  }

  /** @param {Live} live */
  function follow({ wanted_classes, guidelines_number, classes_number }) {
    areClassesNew = classes_number !== store.get().party.classes_number;
    const { wanted, party } = store.get();
    if (wanted.join() !== wanted_classes.join()) {
      store.update((model) => ({ ...model, wanted: wanted_classes }));
    }
    if (party.guidelines_number === guidelines_number) return;
    void api.guidelines().then(
      ({ html, number }) => {
        const changed = { guidelines_html: html, guidelines_number: number };
        store.update((model) => ({ ...model, party: { ...model.party, ...changed } }));
      },
      () => {},
    ); // the next answer says again that they changed
  }

  /**
   * @param {unknown} error
   * @param {number} [imageId]
   */
  function fail(error, imageId) {
    if (error instanceof NoAnswer) {
      const task = imageId === undefined ? ahead.take() : null;
      if (task) return void openAhead(task, begin());
      const screen = store.get().line.count > 0 ? "ending" : "no_server";
      return showAndWait(screen, () => void ask(imageId), SERVER_AGAIN_MS);
    }
    if (!(error instanceof Refused)) throw error;
    if (error.status === 401) return onSignedOut();
    if (imageId === undefined) return showAndWait("no_server", () => void ask(), SERVER_AGAIN_MS);
    showAndWait("taken", () => void ask());
  }

  /** @type {(task: Task, isLast: () => boolean) => Promise<void>} */
  async function open(task, isLast) {
    try {
      await showImage(task.image_url);
    } catch {
      return isLast() ? await sayUnshown(task, isLast) : undefined;
    }
    broken.delete(task.image_id);
    if (!isLast()) return;
    const entry = await sender.take(task);
    const { work, isRestored, isStale } = openWork(store.get(), task, entry, bench.nowSecs());
    store.update((model) => {
      const viewport = fit(work.editor.size, model.stage);
      return {
        ...model,
        ...PLAIN,
        screen: "work",
        work,
        viewport,
        notice: noticeOf(model, task, isRestored),
      };
    });
    if (document.activeElement === document.body) focusStage(); // unless the person is somewhere on purpose
    if (isStale) onStale(task.annotation);
    onOpen();
  }

  /**
   * An image that does not open is broken only if the server answers and the person is signed in.
   * @type {(task: Task, isLast: () => boolean) => Promise<void>}
   */
  async function sayUnshown(task, isLast) {
    const again = () => void open(task, begin());
    const refusal = await api.session().then(
      () => null,
      (error) => error,
    );
    if (!isLast()) return;
    if (refusal instanceof NoAnswer) return showAndWait("no_server", again, SERVER_AGAIN_MS);
    if (refusal instanceof Refused && refusal.status === 401) {
      showAndWait("loading", again);
      return onSignedOut();
    }
    brokenTask = task;
    broken.add(task.image_id);
    showAndWait("broken", again);
  }

  const again = () => {
    clearTimeout(timer);
    retry();
  };
  const skip = async () => {
    if (brokenTask) await api.giveBack(brokenTask.lease.id).catch(() => {});
    brokenTask = null;
    await next();
  };
  mountMessage(byId("message"), store, { onAgain: again, onSkip: skip });
  /** @param {Screen} screen */
  function stopAt(screen) {
    begin();
    showAndWait(screen, () => void next());
  }
  return { next, reopen: ask, follow, again, show: stopAt };
}

/**
 * What to say about an image that is opened: that unsent work is restored, or why it was discarded.
 * @param {Model} model
 * @param {Task} task
 * @param {boolean} isRestored
 * @returns {Notice | null}
 */
function noticeOf({ party }, { annotation, shows }, isRestored) {
  if (isRestored) return { text: texts.notices.restored, tone: "ok" };
  if (shows && !annotation) return { text: texts.notices.shows(displayOfClass(party, shows)), tone: "plain" };
  const reason = annotation?.discard_reason;
  if (!reason) return null;
  const display = reason === UNWANTED_REASON ? texts.wanted.reason : displayIn(party.discard_reasons, reason);
  return { text: texts.notices.discarded(display), tone: "plain" };
}

/**
 * The images reserved behind the open one, fetched and decoded one after the other before they are needed: `take`
 * gives the next of them, or null; `replace` says anew which they are; `onHere` hears how many need no network any more.
 * @param {(count: number) => void} onHere
 */
function createAhead(onHere) {
  /** @type {Task[]} */
  let tasks = [];
  /** Held so that the browser keeps what it decoded. @type {Map<string, HTMLImageElement>} */
  let images = new Map();
  let last = Promise.resolve();
  const tell = () => {
    const loading = tasks.map(({ image_url }) => images.get(image_url));
    // An image that is on its way has its width already.
    onHere(loading.filter((image) => image?.complete && image.naturalWidth > 0).length);
  };

  /** An image that fails to load is requested again when it is opened. @param {string} url */
  function load(url) {
    const image = new Image();
    last = last.then(() => {
      image.src = url;
      return image.decode().then(tell, () => {});
    });
    return image;
  }

  return {
    take() {
      const task = tasks.shift() ?? null;
      tell();
      return task;
    },
    /** @param {readonly Task[]} next */
    replace(next) {
      tasks = [...next];
      const known = images;
      images = new Map(tasks.map(({ image_url: url }) => [url, known.get(url) ?? load(url)]));
      tell();
    },
  };
}
