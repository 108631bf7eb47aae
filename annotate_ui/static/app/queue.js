/** One image after the other: asked for, opened, shown; or why there is none. */

import { NoAnswer, Refused } from "./api.js";
import { idOfEntry, openWork } from "./keeper.js";
import { focusStage, showWork } from "./page.js";
import { texts } from "./texts.js";

/** @typedef {import("./state/model.js").Model} Model */
/** @typedef {import("./state/model.js").Screen} Screen */
/** @typedef {import("./types.js").Task} Task */
/**
 * @typedef {{
 *   next: (imageId?: number) => Promise<void>, again: () => void, skip: () => Promise<void>,
 *   show: (screen: Screen) => void,
 * }} Queue
 */

const SERVER_AGAIN_MS = 3_000;
const QUEUE_AGAIN_MS = 30_000;

/**
 * @param {{
 *   bench: import("./workbench.js").Workbench, api: import("./api.js").Api,
 *   journal: import("./journal.js").Journal,
 *   showImage: (url: string) => Promise<void>, onSignedOut: () => void, onOpen?: () => void,
 * }} parts
 * @returns {Queue}
 */
export function createQueue({ bench, api, journal, showImage, onSignedOut, onOpen = () => {} }) {
  const { store } = bench;
  let retry = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {Screen} screen */
  function show(screen) {
    store.update((model) => ({ ...model, screen, work: null, hovered: null }));
  }

  /**
   * @param {Screen} screen
   * @param {() => void} action
   * @param {number} [afterMs] when the page tries by itself
   */
  function showAndWait(screen, action, afterMs) {
    retry = action;
    if (afterMs !== undefined) timer = setTimeout(action, afterMs);
    show(screen);
  }

  /** @param {number} [imageId] */
  async function next(imageId) {
    clearTimeout(timer);
    retry = () => void next();
    show("loading");
    try {
      const { task, reason, left } = await api.nextTask(store.get().page, imageId);
      store.update((model) => ({ ...model, left }));
      if (task) return await open(task);
      const isOwn = reason === "nothing_of_others";
      showAndWait(isOwn ? "nothing_of_others" : "empty", () => void next(), QUEUE_AGAIN_MS);
    } catch (error) {
      fail(error, imageId);
    }
  }

  /**
   * @param {unknown} error
   * @param {number} [imageId]
   */
  function fail(error, imageId) {
    if (error instanceof NoAnswer) {
      return showAndWait("no_server", () => void next(imageId), SERVER_AGAIN_MS);
    }
    if (!(error instanceof Refused)) throw error;
    if (error.status === 401) return onSignedOut();
    if (imageId === undefined) return showAndWait("no_server", () => void next(), SERVER_AGAIN_MS);
    showAndWait("taken", () => void next());
  }

  /** @param {Task} task */
  async function open(task) {
    const entry = await journal.find(idOfEntry(store.get(), task)).catch(() => null);
    try {
      await showImage(task.image_url);
    } catch {
      brokenTask = task;
      return showAndWait("broken", () => void open(task));
    }
    const { work, isRestored } = openWork(store.get(), task, entry, bench.nowSecs());
    store.update((model) => showWork(withNotice(model, isRestored), work));
    focusStage();
    onOpen();
  }

  let brokenTask = /** @type {Task | null} */ (null);
  return {
    next,
    show: (screen) => showAndWait(screen, () => void next()),
    again: () => retry(),
    async skip() {
      if (brokenTask) await api.giveBack(brokenTask.lease.id).catch(() => {});
      await next();
    },
  };
}

/**
 * @param {Model} model
 * @param {boolean} isRestored
 * @returns {Model}
 */
function withNotice(model, isRestored) {
  const notice = /** @type {const} */ ({ text: texts.notices.restored, tone: "ok" });
  return { ...model, notice: isRestored ? notice : null };
}
