import assert from "node:assert/strict";
import { test } from "node:test";
import * as saving from "#app/state/saving.js";
import { makeObject } from "./fixtures.js";
import { forAll } from "./random.js";

/** @import {Objects} from "#app/state/objects.js" */
/** @import {Order, Saving} from "#app/state/saving.js" */

/** @type {Objects} */
const NONE = [];
const ONE = [makeObject("a", [10, 10, 50, 50])];
const TWO = [...ONE, makeObject("b", [60, 60, 90, 90])];
/** @type {Order} */
const DONE = { finish: true, discardReason: null, comment: "", isComplete: null };

/** @param {Saving} state @param {Objects} objects @param {string} [saveKey] */
function launch(state, objects, saveKey = "key-1") {
  const finish = state.order?.finish ?? false;
  return saving.launch(state, { saveKey, body: {}, objects, finish, activeSecs: 1.5 });
}

const clean = saving.startSaving(7, NONE);
const dirty = saving.noteChange(clean, ONE, 10);
const flying = launch(dirty, ONE);

test("nothing changed, nothing is sent", () => {
  assert.deepEqual(saving.planSave(clean, 99), { kind: "nothing" });
  assert.equal(saving.statusOf(clean), "saved");
});

test("a draft goes up within two seconds of the first edit that it holds", () => {
  const later = saving.noteChange(dirty, TWO, 10.9);
  assert.deepEqual(saving.planSave(later, 10.9), { kind: "wait", untilSecs: 11 });
  assert.deepEqual(saving.planSave(later, 11), { kind: "send" });
  assert(saving.DRAFT_AFTER_SECS < 2);
});

test("an edit that is undone before it was sent leaves nothing to send", () => {
  assert.equal(saving.statusOf(saving.noteChange(dirty, NONE, 10.5)), "saved");
});

test("one save is on its way at a time", () => {
  const edited = saving.noteChange(flying, TWO, 12);
  assert.deepEqual(saving.planSave(edited, 99), { kind: "nothing" });
  const after = saving.landed(edited, 8);
  assert.equal(after.parentId, 8);
  assert.deepEqual(saving.planSave(after, 99), { kind: "send" });
});

test("the next save starts from the revision that the last one became", () => {
  assert.equal(flying.parentId, 7);
  assert.equal(saving.landed(flying, 31).parentId, 31);
  assert.equal(saving.statusOf(saving.landed(flying, 31)), "saved");
});

test("a save without an answer is repeated under its old key, after a growing pause", () => {
  let state = saving.lostTouch(flying, 20);
  assert.equal(saving.statusOf(state), "offline");
  assert.deepEqual(saving.planSave(state, 20.5), { kind: "wait", untilSecs: 21 });
  assert.deepEqual(saving.planSave(state, 21), { kind: "repeat" });
  state = saving.lostTouch(saving.relaunch(state), 21);
  assert.equal(state.retryAt, 23);
  for (let times = 0; times < 9; times += 1) state = saving.lostTouch(state, 100);
  assert.equal(state.retryAt, 115);
  assert.equal(state.flight?.saveKey, "key-1");
});

test("a repeated save is on its way once, and the page still says offline until it is answered", () => {
  const again = saving.relaunch(saving.lostTouch(flying, 20));
  assert.deepEqual(saving.planSave(again, 99), { kind: "nothing" });
  assert.equal(saving.statusOf(again), "offline");
  assert.equal(saving.statusOf(saving.landed(again, 8)), "saved");
});

test("a server that asks for a pause gets it", () => {
  assert.equal(saving.lostTouch(flying, 20, 40).retryAt, 60);
});

test("the network is back: what waits goes at once", () => {
  const state = saving.tryNow(saving.lostTouch(flying, 20), 20.1);
  assert.deepEqual(saving.planSave(state, 20.1), { kind: "repeat" });
});

test("signed out, the save waits for the person and then goes under its old key", () => {
  const state = saving.signedOut(flying);
  assert.deepEqual(saving.planSave(state, 99), { kind: "nothing" });
  assert.equal(saving.statusOf(state), "signed_out");
  assert.deepEqual(saving.planSave(saving.tryNow(state, 99), 99), { kind: "repeat" });
});

test("a stale save waits for the person to decide, and nothing is sent meanwhile", () => {
  const state = saving.turnedDown(flying, "stale", 20, true);
  assert.deepEqual(saving.planSave(saving.noteChange(state, TWO, 21), 99), { kind: "nothing" });
  assert.equal(saving.statusOf(state), "stale");
});

test("keeping one's own after a conflict saves on top of the newest revision", () => {
  const state = saving.settle(saving.turnedDown(flying, "stale", 20, true), 40, TWO, ONE, 21);
  assert.equal(state.parentId, 40);
  assert.deepEqual(saving.planSave(state, 22), { kind: "send" });
});

test("taking theirs after a conflict leaves nothing to send", () => {
  const state = saving.settle(saving.turnedDown(flying, "stale", 20, true), 40, TWO, TWO, 21);
  assert.equal(saving.statusOf(state), "saved");
});

test("a refused save is not sent again as it is, but the next edit is", () => {
  const state = saving.turnedDown(flying, "refused", 20, false);
  assert.deepEqual(saving.planSave(state, 99), { kind: "nothing" });
  assert.deepEqual(saving.planSave(saving.noteChange(state, TWO, 30), 99), { kind: "send" });
});

test("a lost lease ends the sending", () => {
  const state = saving.turnedDown(flying, "lease_lost", 20, true);
  assert.deepEqual(saving.planSave(saving.noteChange(state, TWO, 30), 99), { kind: "nothing" });
});

test("checking sends no drafts, only the end", () => {
  const state = saving.noteChange(saving.startSaving(7, NONE, false), ONE, 10);
  assert.deepEqual(saving.planSave(state, 99), { kind: "nothing" });
  assert.deepEqual(saving.planSave(saving.giveOrder(state, DONE), 99), { kind: "send" });
});

test("the order to finish goes up after what is on its way, without a pause", () => {
  const ordered = saving.giveOrder(flying, DONE);
  assert.deepEqual(saving.planSave(ordered, 12), { kind: "nothing" });
  const landed = saving.landed(ordered, 8);
  assert.deepEqual(saving.planSave(landed, 12), { kind: "send" });
  const done = saving.landed(launch(landed, ONE, "key-2"), 9);
  assert.equal(done.order, null);
  assert.equal(saving.statusOf(done), "saved");
});

test("a refused finish gives the work back to the person", () => {
  const state = saving.turnedDown(launch(saving.giveOrder(clean, DONE), ONE), "refused", 20, false);
  assert.equal(state.order, null);
});

test("whatever the network does, the server ends with the newest work, each save once", () => {
  forAll(300, (random) => {
    /** @type {Map<string, {parentId: number | null, objects: Objects, id: number}>} */
    const server = new Map();
    let state = saving.startSaving(null, NONE);
    let [objects, now, saves] = [NONE, 0, 0];
    for (let step = 0; step < 60 || saving.statusOf(state) !== "saved"; step += 1) {
      assert(step < 600);
      now += random.between(0, 2);
      if (step < 40 && random.next() < 0.5) {
        objects = [...objects, makeObject(`k${step}`, [1, 1, 9, 9])];
        state = saving.noteChange(state, objects, now);
      }
      const plan = saving.planSave(state, now);
      if (plan.kind === "send") {
        saves += 1;
        const save = { saveKey: `key-${saves}`, body: {}, objects, finish: false, activeSecs: 0 };
        state = saving.launch(state, save);
      }
      if (plan.kind === "repeat") state = saving.relaunch(state);
      const flight = state.flight;
      if (!flight?.isUnderWay) continue;
      const luck = step < 50 ? random.next() : 1;
      if (luck < 0.25) {
        state = saving.lostTouch(state, now);
        continue;
      }
      const known = server.get(flight.saveKey);
      const head = Math.max(0, ...[...server.values()].map((row) => row.id)) || null;
      if (!known) assert.equal(state.parentId, head, "a save that another one overtook");
      const row = known ?? { parentId: state.parentId, objects: flight.objects, id: server.size + 1 };
      server.set(flight.saveKey, row);
      state = luck < 0.5 ? saving.lostTouch(state, now) : saving.landed(state, row.id);
    }
    const rows = [...server.values()];
    assert.equal(rows.length, saves);
    if (rows.length > 0) assert.equal(rows[rows.length - 1].objects, objects);
  });
});
