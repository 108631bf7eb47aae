/** The calls of the pages, each for the team that the page was opened for; the only module with addresses and fetch. */

const ROOT = "/api/v1";
const TRIES = 6;
const PAUSE_MS = 2000;

/** What the server refused, in words for people. */
export class Refused extends Error {}

/** @param {string} name */
function readMeta(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
}

/**
 * The server's answer; throws Refused with its words, or a TypeError without any answer.
 * @param {string} path
 * @param {RequestInit} options
 */
async function call(path, options = {}) {
  const headers = { "X-CSRFToken": readMeta("csrf-token"), ...options.headers };
  const answer = await fetch(ROOT + path, { ...options, headers });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(body.error?.message ?? String(answer.status));
  return body;
}

/**
 * @param {string} path
 * @param {object} content
 */
function post(path, content = {}) {
  const body = JSON.stringify({ opened_for: JSON.parse(readMeta("opened-for")), ...content });
  return call(path, { method: "POST", body, headers: { "Content-Type": "application/json" } });
}

/** A new upload: its number. @param {number} methodId @param {string} fileName @returns {Promise<{id: number}>} */
export const beginUpload = (methodId, fileName) =>
  post("/submissions", { method_id: methodId, file_name: fileName });

/** Checks a whole upload; its page has the verdict. @param {number} number @returns {Promise<{page: string}>} */
export const checkUpload = (number) => post(`/submissions/${number}/check`);

/**
 * Sends the file of hashes of a method's own images; its page says what is found.
 * @param {number} methodId
 * @param {Blob} file
 * @returns {Promise<{images: number, page: string}>}
 */
export function sendHashes(methodId, file) {
  const headers = { "X-Opened-For": readMeta("opened-for"), "Content-Type": "application/octet-stream" };
  return call(`/hashes?method=${methodId}`, { method: "POST", body: file, headers });
}

/** Drops an upload. @param {number} number */
export const cancelUpload = (number) => post(`/submissions/${number}/cancel`);

/**
 * How far a submission is.
 * @param {number} number
 * @returns {Promise<{state: string, words: string, place: number, is_running: boolean, bytes: number}>}
 */
export const askProgress = (number) => call(`/submissions/${number}`);

/**
 * Adds a piece at its offset, again after a broken connection; how many bytes the server has then.
 * @param {number} number
 * @param {number} offset
 * @param {Blob} piece
 * @param {{signal: AbortSignal, onBroken: () => void}} options
 */
export async function sendPiece(number, offset, piece, { signal, onBroken }) {
  const path = `/submissions/${number}/pieces?offset=${offset}`;
  const headers = { "X-Opened-For": readMeta("opened-for"), "Content-Type": "application/octet-stream" };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await call(path, { method: "POST", body: piece, headers, signal });
      return answer.bytes;
    } catch (error) {
      if (signal.aborted || error instanceof Refused || attempt === TRIES) throw error;
      onBroken();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
      const there = (await askProgress(number).catch(() => null))?.bytes;
      if (there !== undefined && there > offset) return there;
    }
  }
}
