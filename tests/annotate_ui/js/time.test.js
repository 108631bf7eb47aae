/** However a visit goes, the seconds of its revisions add up to the time at work, once. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { NoAnswer, Refused } from "#app/api.js";
import { createSender } from "#app/sender.js";
import { IDLE_SECS, roundSecs } from "#app/state/clock.js";
import { objectsIn, select } from "#app/state/editor.js";
import * as edits from "#app/state/edits.js";
import { changeEditor, changeWork, createStore, trackChange, trackLife } from "#app/state/model.js";
import { openRevision, openWork, packEntry, packReview } from "#app/state/revision.js";
import { giveOrder, settle, statusOf } from "#app/state/saving.js";
import { DONE, makeJournal, makeModel, makeObject, makeTask, PARTY } from "./fixtures.js";
import { testProperty } from "./random.js";

/** @import {Model} from "#app/state/types.js" */
/** @import {SentObject} from "#app/types.js" */

/** @typedef {{id: number, secs: number, objects: SentObject[], isStale: boolean}} Row */
/** @typedef {"took" | "took, unheard" | "unheard" | "signed_out" | "stale" | "invalid"} Luck */

/** A server that saves as told, and remembers each save by its key. */
function makeServer() {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  /** @type {Row | null} */
  let head = null;
  /** @type {Map<string, string>} */
  const bodies = new Map();

  /**
   * @param {any} body
   * @param {boolean} isStale
   */
  function keep(body, isStale) {
    const known = rows.get(body.save_key);
    const text = JSON.stringify(body);
    assert.equal(bodies.get(body.save_key) ?? text, text, "the same key with another body");
    bodies.set(body.save_key, text);
    if (known) return known;
    const objects = body.objects.map((/** @type {object} */ object) => ({ ...object, difficult: false }));
    const row = { id: rows.size + 50, secs: body.active_secs, objects, isStale };
    rows.set(body.save_key, row);
    if (!isStale) head = row;
    return row;
  }

  /**
   * @param {any} body
   * @param {Luck} luck
   */
  function save(body, luck) {
    if (luck === "unheard") throw new NoAnswer("no network");
    if (luck === "signed_out") throw refusal(401, luck, null);
    if (luck === "invalid" && !rows.has(body.save_key)) throw refusal(422, luck, null);
    const row = keep(body, luck === "stale");
    if (row.isStale) throw refusal(409, "stale", row.id);
    if (luck === "took, unheard") throw new NoAnswer("no network");
    return { annotation: /** @type {any} */ ({ id: row.id }) };
  }

  const sum = () => roundSecs([...rows.values()].reduce((secs, row) => secs + row.secs, 0));
  return { save, sum, head: () => /** @type {Row | null} */ (head), count: () => rows.size };
}

/**
 * @param {number} status
 * @param {string} code
 * @param {number | null} kept_as
 */
const refusal = (status, code, kept_as) => new Refused(status, { code, message: code }, { kept_as }, 0);

/** One person's visit of one image, over reloads. */
function makeVisit() {
  const server = makeServer();
  const { kept, ...journal } = makeJournal();
  let now = 1000;
  let atWork = 0;
  let keys = 0;
  let pages = 0;
  /** @type {number | null} */
  let touchedAt = null;
  /** @type {() => Luck} */
  let luck = () => "took";
  let hasEnded = false;
  const makeKey = () => `key-${(keys += 1)}`;
  let kill = () => {};
  let page = open();

  function open() {
    const model = makeModel();
    const head = server.head();
    const task = makeTask(head?.objects ?? null, head?.id);
    const entry = kept.get("3:annotate:12") ?? null;
    return start({ ...model, work: openWork(model, task, entry, now).work });
  }

  /** @param {Model} model */
  function start(model) {
    kill();
    const store = createStore(model);
    kill = () => store.update((model) => ({ ...model, line: { ...model.line, trouble: "signed_out" } }));
    const number = (pages += 1);
    const sender = createSender({
      store,
      journal,
      nowSecs: () => now,
      makeKey,
      pack: packEntry,
      // A page that is gone hears nothing any more.
      send: async (_entry, { body }) => (number < pages ? new Promise(() => {}) : server.save(body, luck())),
      onLanded: (_answer, isEnd) => void (hasEnded = hasEnded || isEnd),
      onProblem: () => {},
      onSignedOut: () => {},
      onFleeting: () => assert(false),
    });
    return { store, sender };
  }

  function touch() {
    const gap = touchedAt === null ? 0 : now - touchedAt;
    if (gap <= IDLE_SECS) atWork += gap;
    touchedAt = now;
  }

  return {
    server,
    kept,
    atWork: () => atWork,
    hasEnded: () => hasEnded,
    /** @param {() => Luck} fate */
    setLuck: (fate) => void (luck = fate),
    /** @param {number} secs */
    pass: (secs) => void (now += secs),
    /** @param {string} key */
    draw(key) {
      touch();
      page.store.update((model) =>
        trackChange(
          model,
          changeEditor(model, (editor) => edits.draw(editor, [5, 5, 50, 50], key)),
          now,
        ),
      );
    },
    look() {
      touch();
      page.store.update((model) => trackLife(model, now));
    },
    reload() {
      touchedAt = null;
      page = open();
    },
    finish() {
      page.store.update((model) =>
        changeWork(model, (work) => ({ ...work, saving: giveOrder(work.saving, DONE) })),
      );
    },
    /** Whatever stands in the way is answered as a person would. */
    async goOn() {
      const { work } = page.store.get();
      if (work && statusOf(work.saving) === "stale") settleConflict();
      void page.sender.tryNow();
      for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
    },
    /** The tab is killed; the next one, on another image, sends what it left. */
    sendLater: () => (page = start(makeModel())).sender.sendEarlier(),
  };

  function settleConflict() {
    const head = server.head();
    const theirs = openRevision(PARTY, /** @type {any} */ (head && { objects: head.objects }));
    page.store.update((model) =>
      changeWork(model, (work) => {
        const mine = objectsIn(work.editor);
        return { ...work, saving: settle(work.saving, head?.id ?? null, theirs, mine, now) };
      }),
    );
  }
}

test("a draft reports the seconds since the draft before", async () => {
  const visit = makeVisit();
  visit.draw("a");
  for (const key of ["b", "c"]) {
    visit.pass(4);
    visit.draw(key);
    visit.pass(2);
    await visit.goOn();
  }
  visit.pass(3);
  visit.look();
  visit.finish();
  await visit.goOn();
  assert.equal(visit.server.count(), 3);
  assert.equal(visit.server.sum(), 4 + 6 + 5);
});

testProperty(
  "drafts, lost answers, conflicts, reloads and a finish add up to the visit, once",
  150,
  async (random) => {
    const visit = makeVisit();
    /** @type {Luck[]} */
    const lucks = ["took", "took", "took", "took, unheard", "unheard", "signed_out", "stale", "invalid"];
    visit.setLuck(() => random.pick(lucks));
    for (let step = 0; step < 40; step += 1) {
      visit.pass(random.next() < 0.1 ? IDLE_SECS + 20 : random.between(0, 9));
      if (random.next() < 0.3) visit.look();
      else visit.draw(`k${step}`);
      if (random.next() < 0.6) await visit.goOn();
      if (random.next() < 0.2) {
        visit.draw(`r${step}`); // what the journal knows of time is as new as the last edit
        visit.reload();
      }
    }
    visit.setLuck(() => "took");
    visit.draw("last");
    for (let round = 0; round < 9 && !visit.hasEnded(); round += 1) {
      visit.finish();
      await visit.goOn();
    }
    assert(visit.hasEnded(), "never ended");
    const sum = visit.server.sum();
    const spent = visit.atWork();
    assert(Math.abs(sum - spent) < 0.051, `${sum} saved, ${spent} spent`);
  },
);

test("work of a killed tab is sent later with its unsent seconds", async () => {
  for (const luck of /** @type {Luck[]} */ (["took", "took, unheard", "unheard", "stale"])) {
    const visit = makeVisit();
    visit.draw("a");
    visit.pass(2);
    await visit.goOn();
    visit.pass(5);
    visit.draw("b");
    visit.setLuck(() => luck);
    visit.pass(2);
    await visit.goOn();
    visit.pass(4);
    visit.draw("c");
    visit.setLuck(() => "took");
    await visit.sendLater();
    assert.equal(visit.server.sum(), roundSecs(visit.atWork()), luck);
    assert.equal(visit.kept.size, 0, luck);
  }
});

test("a checker's seconds are counted once: those of corrections with the revision", () => {
  const { truncatedBy, ...sent } = { ...makeObject("a", [10, 10, 60, 60]), view: "Left", drawn_secs: 9 };
  const task = { ...makeTask([sent]), kind: /** @type {const} */ ("check") };
  /** @type {Model} */
  let model = { ...makeModel(), page: "check" };
  model = trackLife({ ...model, work: openWork(model, task, null, 0).work }, 100);
  model = trackLife(model, 110);
  model = trackChange(
    model,
    changeEditor(model, (editor) => select(editor, { key: "a", part: null })),
    111,
  );
  model = trackChange(
    model,
    changeEditor(model, (editor) => edits.nudge(editor, 1, 0)),
    114,
  );
  model = trackLife(model, 120);
  const complete = { ...DONE, isComplete: true };
  model = changeWork(model, (work) => ({ ...work, saving: giveOrder(work.saving, complete) }));
  assert(model.work);
  const body = packReview(model.work, "key-1", model.work.clock.activeSecs);
  assert.equal(body.verdict, "fixed");
  assert.equal(body.fixed?.active_secs, 3);
  assert.equal(body.active_secs, 20 - 3);
});
