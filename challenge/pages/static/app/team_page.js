/** The page of a team: sends a file in pieces with its progress, and follows what is being scored. */

import { beginUpload, cancelUpload, checkUpload, Refused, sendPiece } from "./api.js";
import { follow } from "./progress.js";

// Arrives within the two minutes after which the server takes an upload for given up, also at 100 kbit/s.
const PIECE_BYTES = 1_000_000;

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("send"));
const told = /** @type {HTMLElement} */ (document.getElementById("told"));

/** @param {HTMLFormElement} shown */
function prepare(shown) {
  const file = /** @type {HTMLInputElement} */ (document.getElementById("file"));
  const method = /** @type {HTMLSelectElement} */ (document.getElementById("method"));
  const stop = /** @type {HTMLButtonElement} */ (document.getElementById("stop"));
  const progress = /** @type {HTMLProgressElement} */ (document.getElementById("progress"));
  const row = /** @type {HTMLElement} */ (progress.parentElement);
  const button = /** @type {HTMLButtonElement} */ (shown.querySelector("button"));

  shown.onsubmit = async (event) => {
    event.preventDefault();
    const chosen = file.files?.[0];
    if (!chosen) return;
    if (chosen.size > Number(shown.dataset.most)) return tell(told.dataset.large);
    const stopping = new AbortController();
    stop.onclick = () => stopping.abort();
    button.disabled = true;
    row.hidden = false;
    let number = 0;
    try {
      number = (await beginUpload(Number(method.value), chosen.name)).id;
      await sendAll(number, chosen, progress, stopping.signal);
      tell(told.dataset.checking);
      row.hidden = true;
      location.assign((await checkUpload(number)).page);
    } catch (error) {
      if (number) await cancelUpload(number).catch(() => undefined);
      tell(explain(error, stopping.signal));
      row.hidden = true;
      button.disabled = false;
    }
  };
  shown.hidden = false; // sent before it is listened to, it would only load the page again
}

/**
 * @param {number} number
 * @param {File} file
 * @param {HTMLProgressElement} progress
 * @param {AbortSignal} signal
 */
async function sendAll(number, file, progress, signal) {
  for (let sent = 0; sent < file.size; progress.value = sent / file.size) {
    tell(told.dataset.sending);
    const piece = file.slice(sent, sent + PIECE_BYTES);
    sent = await sendPiece(number, sent, piece, { signal, onBroken: () => tell(told.dataset.again) });
  }
}

/** @param {unknown} error @param {AbortSignal} signal */
function explain(error, signal) {
  if (signal.aborted) return told.dataset.stopped;
  return error instanceof Refused ? error.message : told.dataset.unread;
}

/** @param {string | undefined} words */
function tell(words) {
  told.textContent = words ?? "";
}

if (form) prepare(form);
for (const cell of document.querySelectorAll("td.waiting")) {
  follow(Number(/** @type {HTMLElement} */ (cell).dataset.number), "queued");
}
