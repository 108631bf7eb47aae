/** Asks for images and opens them one after the other, or says why there is none. */

import { NoAnswer, Refused } from "./api.js";
import { fit } from "./geometry/viewport.js";
import { countAhead, isSlow, notePace, startPace } from "./state/ahead.js";
import { objectsIn } from "./state/editor.js";
import { changeWork, isDrawing, isEnding, PLAIN, toolOfNext } from "./state/model.js";
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
 * @typedef {{bench: Workbench, api: Api, sender: Pick<Sender, "flush" | "listLeaving" | "settle" | "take">,
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
  const leastAhead = isDrawing(page) ? party.images_ahead : 0;
  let pace = startPace(measureLine());
  const ahead = createAhead({
    onHere: (count) => store.update((model) => ({ ...model, aheadHere: count })),
    onPicture: (secs) => (pace = notePace(pace, "pictureSecs", secs)),
    isSlow: () => isSlow(pace),
    nowSecs: bench.nowSecs,
  });
  let openedAt = /** @type {number | null} */ (null);
  /** The next image of a page that checks, which is asked for while a verdict is on its way. @type {Promise<void> | null} */
  let preparing = null;
  let retry = () => {};
  let areClassesNew = false;
  let brokenTask = /** @type {Task | null} */ (null);
  /** Images that did not open: skipped while there are others. @type {Set<number>} */
  const broken = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let openings = 0;
  /** What is open, though nobody was signed in to say so to the server. @type {Task | null} */
  let unconfirmed = null;

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
    if (preparing) {
      const isLast = begin();
      show("loading");
      await preparing;
      if (!isLast()) return;
    }
    const task = areClassesNew ? null : ahead.take();
    if (!task) return ask();
    await openAhead(task, begin());
  }

  /**
   * Asks for the next image while the verdict on this one is on its way. @param {number} imageId
   * @returns {Promise<void>}
   */
  function prepare(imageId) {
    preparing ??= api
      .nextTask(page, { leaving: [imageId], isOpened: false })
      .then(({ task }) => {
        if (task && task.image_id !== imageId) ahead.replace([task]);
      })
      .catch(() => {}) // then it is asked for when the verdict has landed
      .finally(() => (preparing = null));
    return preparing;
  }

  /**
   * The task, which is asked for together with the ends of images that were left; once more after them where the
   * server has no other, or the page begins anew. Null where it is wanted no more once these are sent: asked for then,
   * an image that was finished meanwhile would be opened again.
   * @param {number | undefined} imageId
   * @param {() => boolean} isWanted
   * @returns {Promise<TaskAnswer | null>}
   */
  async function request(imageId, isWanted) {
    const leaving = store.get().line.trouble === null ? sender.listLeaving() : null;
    const isTogether = leaving !== null && leaving.length > 0 && !leaving.includes(imageId ?? 0);
    if (!isTogether) await sender.settle();
    if (!isWanted()) return null;
    const answer = await askTask(imageId, isTogether ? leaving : []);
    const isNext = answer.task !== null && !leaving?.includes(answer.task.image_id);
    if (!isTogether || (isNext && answer.live.classes_number === party.classes_number)) return answer;
    await sender.settle();
    return isWanted() ? await askTask(imageId, []) : null;
  }

  /** @type {(imageId: number | undefined, leaving: readonly number[]) => Promise<TaskAnswer>} */
  async function askTask(imageId, leaving) {
    const from = bench.nowSecs();
    const wish = { imageId, ahead: countAhead(pace, leastAhead), leaving };
    const answer = await api.nextTask(page, wish);
    pace = notePace(pace, "answerSecs", bench.nowSecs() - from);
    return answer;
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
      const answer = await request(imageId, isLast);
      if (!answer || !isLast()) return;
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
      const answer = await request(task.image_id, isHere);
      if (!answer || !isHere()) return;
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
      else if (error.status === 401) {
        unconfirmed = task;
        onSignedOut();
      } else if (isUntouched()) void ask();
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
    if (openedAt !== null) pace = notePace(pace, "paceSecs", bench.nowSecs() - openedAt);
    const entry = await sender.take(task);
    const { work, isRestored, isStale } = openWork(store.get(), task, entry, bench.nowSecs());
    store.update((model) => {
      const viewport = fit(work.editor.size, model.stage);
      return {
        ...model,
        ...PLAIN,
        segmentTool: toolOfNext(model.segmentTool),
        screen: "work",
        work,
        viewport,
        notice: noticeOf(model, task, isRestored),
      };
    });
    if (document.activeElement === document.body) focusStage(); // unless the person is somewhere on purpose
    openedAt = bench.nowSecs();
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
  const resume = () => {
    const task = unconfirmed;
    unconfirmed = null;
    if (task) void confirm(task);
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
  return { next, prepare, reopen: ask, follow, again, resume, show: stopAt };
}

/**
 * What to say about an image that is opened: that unsent work is restored, or why it was discarded.
 * @param {Model} model
 * @param {Task} task
 * @param {boolean} isRestored
 * @returns {Notice | null}
 */
function noticeOf({ party }, { annotation, shows, suggestions, seen_more: more }, isRestored) {
  if (isRestored) return { text: texts.notices.restored, tone: "ok" };
  const confirmed = (suggestions ?? []).filter(({ is_confirmed: isConfirmed }) => isConfirmed).length;
  const verified = [
    ...(confirmed > 0 ? [texts.notices.confirmed(confirmed)] : []),
    ...(more ? [texts.notices.seenMore(more.map((name) => displayOfClass(party, name)).join(", "))] : []),
  ];
  if (verified.length > 0) return { text: verified.join(" "), tone: "plain" };
  if (shows && !annotation) return { text: texts.notices.shows(displayOfClass(party, shows)), tone: "plain" };
  const reason = annotation?.discard_reason;
  if (!reason) return null;
  const display = reason === UNWANTED_REASON ? texts.wanted.reason : displayIn(party.discard_reasons, reason);
  return { text: texts.notices.discarded(display), tone: "plain" };
}

/** The seconds that the line needed for the answer that is this page. */
function measureLine() {
  const [page] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return page ? Math.max(page.responseStart - page.requestStart, 0) / 1000 : 0;
}

/**
 * The images reserved behind the open one, fetched and decoded before they are needed, one after the other unless the
 * line is slow: `take` gives the next of them, or null; `replace` says anew which they are; `onHere` hears how many need
 * no network any more, `onPicture` how many seconds a picture took.
 * @param {{onHere: (count: number) => void, onPicture: (secs: number) => void, isSlow: () => boolean, nowSecs: () => number}} parts
 */
function createAhead({ onHere, onPicture, isSlow, nowSecs }) {
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
    const begin = () => {
      const from = nowSecs();
      image.src = url;
      const note = () => {
        onPicture(nowSecs() - from);
        tell();
      };
      return image.decode().then(note, () => {});
    };
    last = isSlow() ? Promise.all([last, begin()]).then(() => {}) : last.then(begin);
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
