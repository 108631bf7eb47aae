/** Does what saving.js decides: one save at a time, repeated until it is answered. */

import { NoAnswer, Refused } from "./api.js";
import { objectsIn } from "./state/editor.js";
import { changeWork } from "./state/model.js";
import * as saving from "./state/saving.js";

/** @import {Model, Store, Work} from "./state/model.js" */
/** @import {Revision} from "./types.js" */

/** @typedef {{annotation: Revision}} Answer */
/**
 * `pack` makes the body of a save, which reports these seconds at work; `send` posts it; the others hear how it ended.
 * @typedef {{
 *   store: Store<Model>,
 *   nowSecs: () => number,
 *   makeKey: () => string,
 *   pack: (work: Work, saveKey: string, activeSecs: number) => object,
 *   send: (imageId: number, body: object) => Promise<Answer>,
 *   onLanded: (answer: any, isEnd: boolean) => void,
 *   onStale: (head: Revision | null) => void,
 *   onLeaseLost: (keptAs: number | null) => void,
 *   onSignedOut: () => void,
 *   onRefused: (error: Refused) => void,
 * }} Hooks
 * @typedef {{pump: () => void, flush: () => void, tryNow: () => void}} Saver
 */

/** @param {Hooks} hooks @returns {Saver} */
export function createSaver(hooks) {
  const { store, nowSecs } = hooks;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const change = (/** @type {(state: saving.Saving) => saving.Saving} */ step) =>
    store.update((model) => changeSaving(model, step));

  function pump() {
    clearTimeout(timer);
    const { work } = store.get();
    if (!work) return;
    const plan = saving.planSave(work.saving, nowSecs());
    if (plan.kind === "wait") timer = setTimeout(pump, (plan.untilSecs - nowSecs()) * 1000);
    if (plan.kind === "send") send(work);
    if (plan.kind === "repeat") {
      change(saving.relaunch);
      void fly(hooks, pump);
    }
  }

  /** @param {Work} work */
  function send(work) {
    const saveKey = hooks.makeKey();
    const activeSecs = saving.unsentSecs(work.clock.activeSecs, work.saving.acknowledgedSecs);
    const body = hooks.pack(work, saveKey, activeSecs);
    const [objects, finish] = [objectsIn(work.editor), work.saving.order !== null];
    change((state) => saving.launch(state, { saveKey, body, objects, finish, activeSecs }));
    void fly(hooks, pump);
  }

  store.subscribe((model, before) => {
    if (model.work?.saving !== before.work?.saving) queueMicrotask(pump);
  });
  return {
    pump,
    flush() {
      const { work } = store.get();
      const state = work?.saving;
      const isFree = state?.hasDrafts && !state.flight && !state.trouble;
      if (work && isFree && state.changedAt !== null) send(work);
    },
    tryNow() {
      change((state) => saving.tryNow(state, nowSecs()));
      pump();
    },
  };
}

/** @param {Hooks} hooks @param {() => void} pump */
async function fly(hooks, pump) {
  const { store } = hooks;
  const { work } = store.get();
  const flight = work?.saving.flight;
  if (!work || !flight) return;
  const isHere = () => store.get().work?.saving.flight?.saveKey === flight.saveKey;
  try {
    const answer = await hooks.send(work.task.image_id, flight.body);
    if (!isHere()) return;
    store.update((model) =>
      changeSaving(model, (state) => saving.landed(state, answer.annotation.id)),
    );
    hooks.onLanded(answer, flight.finish);
  } catch (error) {
    if (isHere()) fail(hooks, error);
  }
  pump();
}

/** @param {Hooks} hooks @param {unknown} error */
function fail(hooks, error) {
  const { store } = hooks;
  const now = hooks.nowSecs();
  const change = (/** @type {(state: saving.Saving) => saving.Saving} */ step) =>
    store.update((model) => changeSaving(model, step));
  if (error instanceof NoAnswer) return change((state) => saving.lostTouch(state, now));
  if (!(error instanceof Refused)) throw error;
  if (error.status === 429) return change((state) => saving.lostTouch(state, now, error.pauseSecs));
  if (error.status === 401) {
    change(saving.signedOut);
    return hooks.onSignedOut();
  }
  const isConflict = error.code === "stale" || error.code === "lease_lost";
  const trouble = isConflict ? /** @type {"stale" | "lease_lost"} */ (error.code) : "refused";
  change((state) => saving.turnedDown(state, trouble, now, error.keptAs !== null));
  if (trouble === "stale") return hooks.onStale(error.head);
  return trouble === "lease_lost" ? hooks.onLeaseLost(error.keptAs) : hooks.onRefused(error);
}

/** @param {Model} model @param {(state: saving.Saving) => saving.Saving} step */
function changeSaving(model, step) {
  return changeWork(model, (work) => ({ ...work, saving: step(work.saving) }));
}
