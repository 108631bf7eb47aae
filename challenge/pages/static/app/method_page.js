/** The page of a method: sends the file of hashes of its own images. */

import { Refused, sendHashes } from "./api.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("hashes"));
const file = /** @type {HTMLInputElement} */ (document.getElementById("hash-file"));
const told = /** @type {HTMLElement} */ (document.getElementById("told"));
const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void send();
});
form.hidden = false; // sent before it is listened to, it would only load the page again

async function send() {
  const chosen = file.files?.[0];
  if (!chosen) return;
  if (chosen.size > Number(form.dataset.most)) return tell(told.dataset.large);
  button.disabled = true;
  tell(told.dataset.sending);
  try {
    location.assign((await sendHashes(Number(form.dataset.method), chosen)).page);
  } catch (error) {
    tell(error instanceof Refused ? error.message : told.dataset.unread);
    button.disabled = false;
  }
}

/** @param {string | undefined} words */
function tell(words) {
  told.textContent = words ?? "";
}
