/** Starting a page: who is here, what the party is, where unsent work and preferences are kept. */

import { makeKey, NoAnswer, openApi, Refused } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openJournal } from "./journal.js";
import { keepLease, watchSignIn } from "./presence.js";
import { createQueue } from "./queue.js";
import { createSender } from "./sender.js";
import { createStore, isDrawing, startModel } from "./state/model.js";
import { readPreferences } from "./state/preferences.js";
import { readRecent } from "./state/recent.js";
import { texts } from "./texts.js";
import { byId } from "./view/dom.js";
import { focusFilter } from "./view/palette.js";
import { fillMessage } from "./view/stage_notes.js";
import { createWorkbench } from "./workbench.js";

/** @import {QueueParts} from "./queue.js" */
/** @import {SenderParts} from "./sender.js" */
/** @import {Model, Page, Preferences, Store} from "./state/types.js" */
/** @import {Party, Session} from "./types.js" */

const AGAIN_AFTER_MS = 3000;

/** The page's parts, once the server answers; until then the page says what it waits for. @param {Page} page */
export async function boot(page) {
  const api = openApi(showStopped);
  // One after the other, so that the page needs no third connection.
  const session = await persist(api.session);
  const { person_id, party_id } = api.openedFor;
  if (session.person.id !== person_id || session.party_id !== party_id) return reload();
  const party = await persist(api.party);
  const kept = await persist(api.preferences);
  const journal = await openJournal(session.party_id);
  const { preferences, watch } = keepPreferences(session, kept.preferences, api.keepPreferences);
  const recents = keepRecent(session, party);
  const store = createStore(startModel(page, session.person, party, preferences, recents.recent));
  watch(store);
  recents.watch(store);
  const nowSecs = () => performance.now() / 1000; // of a monotonic clock
  return { api, journal, bench: createWorkbench(store, { nowSecs, makeKey, focusFilter }) };
}

/** Another person signed in while the page was on its way. @returns {Promise<never>} */
function reload() {
  location.reload();
  return new Promise(() => {});
}

/**
 * The sender and the queue of an editor's page, which hear of the network, the sign-in and the lease. `isSafe` says
 * whether the page may be closed without a question; `start` opens the first image and sends what earlier visits left.
 * `goesOn` says whether the next image follows a verdict, which is then asked for with it.
 * @param {Pick<QueueParts, "bench" | "api" | "showImage" | "onOpen"> & Pick<SenderParts, "journal" | "pack" | "send">
 *   & {answers: Pick<SenderParts, "onLanded" | "onProblem"> & {onLost: () => void, onStale?: QueueParts["onStale"]},
 *   isSafe: () => boolean, goesOn?: () => boolean}} parts
 */
export function openLine(parts) {
  const { bench, journal, showImage, onOpen, pack, answers, isSafe, goesOn = () => true } = parts;
  const { store, nowSecs, makeKey, tell } = bench;
  const { onLanded, onProblem, onLost, onStale } = answers;
  /**
   * The requests on their way that open an image, by its id: its end is sent after their answer, or they could open it
   * again.
   * @type {Map<number, Promise<unknown>>}
   */
  const openings = new Map();
  const api = { ...parts.api, nextTask };
  const onSignedOut = watchSignIn(bench, api, tryNow);
  const onFleeting = () => tell(texts.status.fleeting, "warn");
  const sender = createSender({
    store,
    journal,
    nowSecs,
    makeKey,
    pack,
    send,
    onLanded,
    onProblem,
    onSignedOut,
    onFleeting,
  });
  const queue = createQueue({ bench, api, sender, showImage, onSignedOut, onOpen, onStale });
  keepLease(bench, api, { onLost, onSignedOut, onLive: queue.follow });
  /** @type {typeof parts.api.nextTask} */
  function nextTask(kind, wish) {
    const answer = parts.api.nextTask(kind, wish);
    const id = wish?.imageId;
    if (id === undefined) return answer;
    const opening = answer.catch(() => {}).finally(() => openings.get(id) === opening && openings.delete(id));
    openings.set(id, opening);
    return answer;
  }

  /** @type {typeof parts.send} */
  async function send(entry, flight) {
    if (flight.finish) await openings.get(entry.imageId);
    const isJudged = flight.finish && !isDrawing(store.get().page);
    if (isJudged && goesOn()) void queue.prepare(entry.imageId);
    return await parts.send(entry, flight);
  }

  addEventListener("online", tryNow);
  addEventListener("beforeunload", (event) => isSafe() || event.preventDefault());

  /** The person is back, or the network. What a checker is told of an image stays until it is read. */
  function tryNow() {
    const { page, screen, work } = store.get();
    const isTold = !isDrawing(page) && ["lease_lost", "taken"].includes(screen);
    void sender.tryNow();
    if (work) queue.resume();
    else if (!isTold) queue.again();
  }

  async function start(open = queue.next) {
    await open();
    const sent = await sender.sendEarlier();
    if (sent > 0) tell(texts.notices.sentEarlier(sent), "ok");
  }

  return { sender, queue, start, onSignedOut, whenOpened: (/** @type {number} */ id) => openings.get(id) };
}

/**
 * @template T
 * @param {() => Promise<T>} attempt
 * @returns {Promise<T>}
 */
async function persist(attempt) {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isOut = error instanceof Refused && error.status === 401;
      if (!isOut && !(error instanceof NoAnswer)) throw error;
      await sayAndWait(isOut ? "signed_out" : "no_server");
    }
  }
}

/**
 * Says why the page waits, until the person tries again or some seconds have passed.
 * @param {"signed_out" | "no_server"} screen
 * @returns {Promise<void>}
 */
function sayAndWait(screen) {
  const card = byId("message");
  return new Promise((resolve) => {
    const again = () => resolve(undefined);
    fillMessage(card, screen, { onAgain: again, onSkip: again });
    document.body.dataset.screen = screen;
    if (screen === "no_server") setTimeout(again, AGAIN_AFTER_MS);
  });
}

/**
 * The person's preferences, and `watch`, which keeps them from now on as they change; `kept` are the server's.
 * @param {Session} session
 * @param {object} kept
 * @param {(preferences: Preferences) => Promise<unknown>} send
 */
export function keepPreferences({ person, party_id }, kept, send) {
  const place = `vocparty.preferences.${party_id}.${person.id}`;
  let sending = Promise.resolve();
  const keep = (/** @type {Preferences} */ preferences) => {
    const text = JSON.stringify(preferences);
    try {
      localStorage.setItem(place, text);
    } catch {
      // The quota is full, or storage is forbidden: the choice holds until the page is closed.
    }
    sending = sending
      .then(() => send(preferences))
      .then(() => {
        if (localStorage.getItem(place) === text) localStorage.removeItem(place);
      })
      .catch(() => {}); // It stays in this browser, and goes up when the page is opened again.
  };
  let unsent = null;
  try {
    unsent = JSON.parse(localStorage.getItem(place) ?? "null");
  } catch {
    // What this browser holds is damaged: the server's stand.
  }
  const preferences = readPreferences(unsent ?? kept);
  if (unsent !== null) keep(preferences);
  return {
    preferences,
    watch: (/** @type {Store<Model>} */ store) =>
      store.subscribe(({ preferences: now }, before) => now !== before.preferences && keep(now)),
  };
}

/**
 * The classes that the person used last in this browser, and `watch`, which keeps them from now on.
 * @param {Session} session
 * @param {Party} party
 */
function keepRecent({ person, party_id }, party) {
  const place = `vocparty.recent.${party_id}.${person.id}`;
  let stored = null;
  try {
    stored = JSON.parse(localStorage.getItem(place) ?? "null");
  } catch {
    // Damaged, or storage is forbidden: the keys are given anew.
  }
  const keep = (/** @type {Model["recent"]} */ recent) => {
    try {
      localStorage.setItem(place, JSON.stringify(recent));
    } catch {
      // They hold until the page is closed.
    }
  };
  return {
    recent: readRecent(party, stored),
    watch: (/** @type {Store<Model>} */ store) =>
      store.subscribe(({ recent }, before) => recent !== before.recent && keep(recent)),
  };
}
