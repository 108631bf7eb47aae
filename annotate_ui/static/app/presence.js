/** Being here: the lease is kept while the page is in use, and a lost sign-in is found again. */

import { Refused } from "./api.js";
import { openSignedOut } from "./view/signed_out_dialog.js";

/** @typedef {import("./workbench.js").Workbench} Workbench */
/** @typedef {import("./api.js").Api} Api */

/**
 * Extends the lease while somebody works: every quarter of its time, and at once when they come
 * back from a pause. `onLost` hears when another person holds the image.
 * @param {Workbench} bench
 * @param {Api} api
 * @param {{
 *   onLost: () => void, onSignedOut: () => void,
 *   onLive?: (live: import("./types.js").Live) => void,
 * }} then
 */
export function keepLease({ get, nowSecs }, api, { onLost, onSignedOut, onLive = () => {} }) {
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

/**
 * What to do when the server says that nobody is signed in: one question, which closes by itself
 * as soon as the same person is signed in again. Somebody else's sign-in starts the page anew.
 * @param {Workbench} bench
 * @param {Api} api
 * @param {() => void} onBack
 * @returns {() => void}
 */
export function watchSignIn({ get }, api, onBack) {
  /** @type {import("./view/dialog.js").Asking<boolean> | null} */
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
    asking = openSignedOut();
    void asking.answer.then(() => asking && look());
  }

  addEventListener("focus", () => asking && void look());
  return () => {
    if (!asking) open();
  };
}
