/** While a person works: keeps the lease, asks for a lost sign-in, shows messages of organisers. */

import { Refused } from "./api.js";
import { texts } from "./texts.js";
import { ask, choice, choices } from "./view/dialog.js";
import { el, syncList } from "./view/dom.js";

/** @import {Model} from "./state/types.js" */
/** @import {Api, Live, Remark, Workbench} from "./types.js" */
/** @import {Asking} from "./view/types.js" */

/**
 * Extends the lease while a person works: every quarter of its time, and at once when they come
 * back from a pause. `onLost` hears when another person holds the image.
 * @param {Workbench} bench
 * @param {Api} api
 * @param {{onLost: () => void, onSignedOut: () => void, onLive: (live: Live) => void}} then
 */
export function keepLease({ get, nowSecs }, api, { onLost, onSignedOut, onLive }) {
  const leaseSecs = get().party.lease_secs;
  let beatenAt = nowSecs();

  async function beat() {
    const { work, screen } = get();
    if (!work || screen !== "work") return;
    beatenAt = nowSecs();
    try {
      const { live } = await api.heartbeat(work.task.lease.id);
      onLive(live);
    } catch (error) {
      if (get().work?.task !== work.task || !(error instanceof Refused)) return;
      if (error.status === 401) onSignedOut();
      else if (error.code === "lease_lost") onLost();
    }
  }

  setInterval(
    () => {
      const touchedAt = get().work?.clock.touchedAt ?? null;
      if (touchedAt !== null && nowSecs() - touchedAt < leaseSecs / 2) void beat();
    },
    (leaseSecs * 1000) / 4,
  );
  for (const sign of ["pointerdown", "keydown"]) {
    document.addEventListener(sign, () => {
      if (nowSecs() - beatenAt > leaseSecs / 2) void beat();
    });
  }
}

const LOOK_EVERY_MS = 5_000;

/**
 * For when the server says that no one is signed in: one question, which closes by itself
 * as soon as the same person is signed in again. Another person's sign-in starts the page anew.
 * @param {Workbench} bench
 * @param {Api} api
 * @param {() => void} onBack
 * @returns {() => void}
 */
export function watchSignIn({ get }, api, onBack) {
  /** @type {Asking<boolean> | null} */
  let asking = null;

  async function look() {
    try {
      const { person } = await api.session();
      if (person.id !== get().person.id) location.reload();
      asking?.element.isConnected && asking.close(true);
      asking = null;
      onBack();
    } catch {
      if (asking && !asking.element.isConnected) open();
    }
  }

  function open() {
    const { title, lead, again } = texts.signedOut;
    const otherwise = /** @type {boolean | undefined} */ (undefined); // it stays until it is answered
    asking = ask({ test: "signed-out-dialog", title, otherwise, byItself: true }, (close) => [
      el("p", { text: lead }),
      choices(choice(again, () => close(true), { isMain: true, test: "signed-in-again" })),
    ]);
    void asking?.answer.then(() => asking && look());
  }

  addEventListener("focus", () => asking && void look());
  setInterval(() => asking && void look(), LOOK_EVERY_MS); // a window next to this one gives it no focus
  return () => {
    if (!asking) open();
  };
}

const EVERY_MS = 15_000;

/** @param {Pick<Api, "remarks" | "seeRemark">} api */
export function showRemarks(api) {
  const list = el("div", { class: "remarks", role: "status", test: "remarks" });
  document.body.append(list);
  /** Those that were seen, which an answer from before may still hold. @type {Set<number>} */
  const seen = new Set();
  const look = async () => {
    if (document.hidden) return;
    const answer = await api.remarks().catch(() => null);
    if (!answer) return;
    const unseen = answer.remarks.filter(({ id }) => !seen.has(id));
    // One that is there stays the same element, so that no click meets a new button.
    syncList(list, unseen, { keyOf: ({ id }) => String(id), make: card, fill: () => {} });
  };
  void look();
  setInterval(look, EVERY_MS);

  /** @param {Remark} remark */
  function card(remark) {
    const see = async () => {
      item.remove();
      seen.add(remark.id);
      await api.seeRemark(remark.id).catch(() => seen.delete(remark.id));
    };
    const said = [
      el("b", { text: texts.remark.from(remark.from) }),
      el("p", { class: "typed", text: remark.text }),
      el("small", { text: texts.remark.about(remark.image_id) }),
    ];
    const button = el("button", { text: texts.remark.button, test: "remark-seen", on: { click: see } });
    const picture = el("img", { src: remark.image_url, alt: "" });
    const item = el("div", { class: "remark" }, picture, el("div", {}, ...said), button);
    return item;
  }
}

const OTHER_WINDOW_EVERY_MS = 3_000;

/**
 * Both windows of a browser say so when they have the same image open, until one of them is closed or goes on.
 * @param {Workbench} bench
 */
export function watchOtherWindows({ store, tell }) {
  const channel = new BroadcastChannel("vocparty-open-image");
  let timer = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);
  let isSeen = false;
  const imageHere = () => store.get().work?.task.image_id;
  const say = (/** @type {boolean} */ isNew) => channel.postMessage({ image: imageHere(), isNew });

  channel.onmessage = ({ data }) => {
    const image = imageHere();
    if (image !== undefined && data.left === image) return lookAgain();
    if (data.image === undefined || data.image !== image) return;
    isSeen = true;
    if (timer === undefined) tell(texts.notices.otherWindow, "warn");
    timer ??= setInterval(look, OTHER_WINDOW_EVERY_MS);
    if (data.isNew) say(false);
  };

  /** A window that was killed says nothing: it no longer answers. */
  function look() {
    if (!isSeen) return forget();
    isSeen = false;
    say(true);
  }

  function lookAgain() {
    forget();
    say(true);
  }

  function forget() {
    clearInterval(timer);
    timer = undefined;
    isSeen = false;
    const isOver = (/** @type {Model} */ { notice }) => notice?.text === texts.notices.otherWindow;
    store.update((model) => (isOver(model) ? { ...model, notice: null } : model));
  }

  addEventListener("pagehide", () => channel.postMessage({ left: imageHere() }));
  store.subscribe(({ work }, before) => {
    const image = before.work?.task.image_id;
    if (work?.task.image_id === image) return;
    channel.postMessage({ left: image });
    queueMicrotask(lookAgain); // the store is telling of a change just now
  });
  say(true);
}
