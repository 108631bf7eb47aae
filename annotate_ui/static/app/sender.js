/**
 * Everything that the person entered: kept in the journal, sent one save after the other, and sent
 * again until it is answered.
 *
 * The open image sends drafts; an image that was left with something unsent waits in line. Each
 * failure has one answer: no network, "busy" and "too many" pause the line, a lost sign-in stops it until
 * the person is back, and what the server refuses is the person's to settle.
 */

import { NoAnswer, Refused } from "./api.js";
import { roundSecs } from "./state/clock.js";
import { changeWork } from "./state/model.js";
import { idOfEntry, makeEntry } from "./state/revision.js";
import * as saving from "./state/saving.js";

/** @import {Entry, Flight, Line, Model, Order, Saving, Store, Work} from "./state/types.js" */
/** @import {Journal, Sender} from "./types.js" */

/**
 * `pack` makes the body of a save with this order; `send` posts it. `onLanded` hears of saves of
 * the open image, `onProblem` what the server has against an image, `onFleeting` that the journal
 * takes nothing (a full disk).
 * @typedef {{
 *   store: Store<Model>, journal: Journal, nowSecs: () => number, makeKey: () => string,
 *   pack: (entry: Entry, order: Order | null, saveKey: string, activeSecs: number, inputs: number) => object,
 *   send: (entry: Entry, flight: Flight) => Promise<{annotation?: {id: number}}>,
 *   onLanded: (answer: any, isEnd: boolean) => void,
 *   onProblem: (entry: Entry, error: Refused, isOpen: boolean) => void,
 *   onSignedOut: () => void, onFleeting: () => void,
 * }} SenderParts
 */

/**
 * @param {SenderParts} parts
 * @returns {Sender}
 */
export function createSender(parts) {
  const { store, journal, nowSecs } = parts;
  /** Images that were left, in their order. @type {Entry[]} */
  let waiting = [];
  /** Ids of entries: taken over from earlier visits, and sent completely. */
  const adopted = new Set();
  const done = new Set();
  /** @type {Promise<void> | null} */
  let running = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  store.subscribe((model, before) => {
    const { work } = model;
    const isSame = work && before.work?.task.image_id === work.task.image_id;
    if (isSame && before.work && isChanged(work, before.work)) void keep(makeEntry(model, work));
    const left = before.work;
    const isAbandoned = !isSame && left?.saving.hasDrafts && saving.dueAt(left.saving) !== null;
    if (left && isAbandoned) void lineUp(makeEntry(before, left));
    if (work?.saving !== before.work?.saving) void pump();
  });

  function pump() {
    running ??= sendAll();
    return running;
  }

  async function sendAll() {
    await null; // so that `running` is set, and edits of one moment go together
    try {
      for (let entry = nextDue(); entry; entry = nextDue()) await sendOne(entry);
    } finally {
      running = null; // in the turn in which nothing was due: what comes next is not missed
    }
  }

  /** What may be sent now, or null; a timer goes on when something is due. */
  function nextDue() {
    clearTimeout(timer);
    const model = store.get();
    const { trouble, retryAt } = model.line;
    // What only this page has goes up at once.
    const draftAfterSecs = journal.isDurable ? saving.DRAFT_AFTER_SECS : 0;
    const due = waiting.length > 0 ? 0 : model.work && saving.dueAt(model.work.saving, draftAfterSecs);
    if (due === null || trouble === "signed_out") return null;
    const waitSecs = Math.max(due, trouble ? retryAt : 0) - nowSecs();
    if (waitSecs > 0) timer = setTimeout(() => void pump(), waitSecs * 1000);
    if (waitSecs > 0) return null;
    return waiting[0] ?? (model.work && makeEntry(model, model.work));
  }

  /** @param {Entry} entry */
  async function sendOne(entry) {
    let { flight } = entry.saving;
    if (!flight) {
      const order = saving.nextOrder(entry.saving);
      const activeSecs = roundSecs(entry.activeSecs - entry.saving.acknowledgedSecs);
      const inputs = (entry.inputs ?? 0) - (entry.saving.acknowledgedInputs ?? 0);
      const saveKey = parts.makeKey();
      const body = parts.pack(entry, order, saveKey, activeSecs, inputs);
      const { objects, rejected } = entry;
      const made = { saveKey, body, objects, rejected, finish: order !== null, activeSecs, inputs };
      await change(entry.id, (state) => saving.launch(state, made));
      flight = made;
    }
    try {
      const answer = await parts.send(entry, flight);
      tellLine({ trouble: null, failures: 0 });
      const isHere = isOpen(entry.id);
      await change(
        entry.id,
        (state) => saving.landed(state, answer.annotation?.id ?? state.parentId),
        flight,
      );
      if (isHere) parts.onLanded(answer, flight.finish);
      else letGo(entry.id);
    } catch (error) {
      await fail(entry, flight, error);
    }
  }

  /**
   * @param {Entry} entry
   * @param {Flight} flight
   * @param {unknown} error
   */
  async function fail(entry, flight, error) {
    const isRefused = error instanceof Refused;
    if (!isRefused && !(error instanceof NoAnswer)) throw error;
    if (!isRefused || error.status === 429) {
      return tellLine(saving.lostTouch(store.get().line, nowSecs(), error.pauseSecs));
    }
    if (error.status === 401) {
      tellLine({ trouble: "signed_out" });
      return parts.onSignedOut();
    }
    tellLine({ trouble: null, failures: 0 });
    const isConflict = error.code === "stale" || error.code === "lease_lost";
    if (isOpen(entry.id)) {
      const trouble = isConflict ? /** @type {"stale" | "lease_lost"} */ (error.code) : "refused";
      await change(
        entry.id,
        (state) => saving.turnedDown(state, trouble, nowSecs(), error.keptAs !== null),
        flight,
      );
      return parts.onProblem(entry, error, true);
    }
    if (!waiting.some(({ id }) => id === entry.id)) return;
    if (isConflict && !(flight.finish && entry.saving.hasDrafts)) {
      await change(entry.id, saving.keptBeside, flight);
      return letGo(entry.id);
    }
    takeOut(entry.id); // the journal has it until the person has settled it
    parts.onProblem(entry, error, false);
  }

  /** @param {string} id */
  function isOpen(id) {
    const model = store.get();
    return model.work !== null && !model.work.saving.isLeft && idOfEntry(model, model.work.task) === id;
  }

  /**
   * Changes the saving of an image, open or waiting; with a flight, only while that is on its way.
   * @param {string} id
   * @param {(one: Saving) => Saving} step
   * @param {Flight} [flight]
   */
  async function change(id, step, flight) {
    const isDue = (/** @type {Saving} */ state) => !flight || state.flight?.saveKey === flight.saveKey;
    const changed = (/** @type {Saving} */ state) => (isDue(state) ? step(state) : state);
    if (isOpen(id)) {
      return store.update((model) =>
        changeWork(model, (work) => ({ ...work, saving: changed(work.saving) })),
      );
    }
    waiting = waiting.map((entry) => (entry.id === id ? { ...entry, saving: changed(entry.saving) } : entry));
    const entry = waiting.find((entry) => entry.id === id);
    if (entry) await keep(entry);
  }

  /** Drops an image that is sent completely. @param {string} id */
  function letGo(id) {
    const entry = waiting.find((entry) => entry.id === id);
    if (!entry || saving.hasUnsent(entry.saving)) return;
    takeOut(id);
    done.add(id);
    void journal.drop(id);
  }

  /** @param {Entry} entry */
  function keep(entry) {
    return journal.keep(entry).catch(parts.onFleeting);
  }

  /** @param {Entry} entry */
  function lineUp(entry) {
    waiting = [...waiting.filter(({ id }) => id !== entry.id), entry];
    queueMicrotask(() => tellLine({})); // the store may be telling of a change just now
    void pump();
    return keep(entry);
  }

  /** @param {string} id */
  function takeOut(id) {
    waiting = waiting.filter((entry) => entry.id !== id);
    tellLine({});
    void pump();
  }

  /** @param {Partial<Line>} news */
  function tellLine(news) {
    store.update((model) => ({ ...model, line: { ...model.line, ...news, count: waiting.length } }));
  }

  /**
   * @param {(entry: Entry) => boolean} isWanted
   * @returns {Promise<string[]>}
   */
  async function adopt(isWanted) {
    const { person, page } = store.get();
    const entries = await journal.list(person.id).catch(() => []);
    const wanted = entries.filter(
      (entry) => entry.kind === page && !adopted.has(entry.id) && isWanted(entry),
    );
    for (const entry of wanted.filter(({ id }) => !isOpen(id))) {
      adopted.add(entry.id);
      if (saving.hasUnsent(entry.saving)) waiting.push(entry);
      else if (entry.saving.hasDrafts) void journal.drop(entry.id);
    }
    tellLine({});
    return wanted.map(({ id }) => id);
  }

  function tryNow() {
    tellLine(saving.tryNow(store.get().line, nowSecs()));
    return pump();
  }

  function flush() {
    const { work } = store.get();
    const { changedAt } = work?.saving ?? { changedAt: null };
    if (!work || work.saving.isLeft || changedAt === null) return;
    const id = idOfEntry(store.get(), work.task);
    void change(id, (state) => ({ ...state, changedAt: changedAt - saving.DRAFT_AFTER_SECS }));
  }

  return {
    pump,
    flush,
    tryNow,
    adoptFinished: () => adopt((entry) => entry.saving.hasDrafts && isEnding(entry)),
    async sendEarlier() {
      const ids = await adopt(() => true);
      await pump();
      return ids.filter((id) => done.has(id)).length;
    },
    async leave(order) {
      const model = store.get();
      if (!model.work) return;
      const ordered = saving.giveOrder(model.work.saving, order);
      const entry = makeEntry(model, { ...model.work, saving: ordered });
      store.update((now) => changeWork(now, (work) => ({ ...work, saving: { ...ordered, isLeft: true } })));
      await lineUp(entry);
    },
    listLeaving: () => (waiting.every(isEnding) ? waiting.map(({ imageId }) => imageId) : []),
    async take(task) {
      const id = idOfEntry(store.get(), task);
      const entry = waiting.find((entry) => entry.id === id) ?? (await journal.find(id).catch(() => null));
      takeOut(id);
      return entry;
    },
    async settle() {
      flush();
      await tryNow();
      const { line, work } = store.get();
      const isWaiting = waiting.length > 0 || (work !== null && saving.dueAt(work.saving) !== null);
      if (isWaiting && line.trouble) throw new NoAnswer("what was entered waits for the network");
    },
  };
}

/** Whether the image is ended by what is sent of it. @param {Entry} entry */
function isEnding({ saving: { order, flight } }) {
  return order !== null || flight?.finish === true;
}

/**
 * @param {Work} work
 * @param {Work} before
 */
function isChanged(work, before) {
  if (work.saving.isLeft) return false; // the line keeps it
  const { saving: state, judgements, unsureClasses } = before;
  return work.saving !== state || work.judgements !== judgements || work.unsureClasses !== unsureClasses;
}
