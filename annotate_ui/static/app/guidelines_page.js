/** The organiser's editor of the guidelines: Markdown and its preview, every version kept. */

import { createNewest, createSequence, explain, openApi, Refused } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { texts } from "./texts.js";
import { listConfused } from "./view/confused.js";
import { askSure } from "./view/dialog.js";
import { byId, el, readRichText } from "./view/dom.js";
import { dayAndClock } from "./view/words.js";

/** @import {Guidelines} from "./types.js" */

const PREVIEW_AFTER_MS = 400;

const api = openApi(showStopped);
const words = texts.editor;
const newest = createNewest();
const inSequence = createSequence();
let saved = await api.guidelines();
const [text, theirs] = ["markdown", "theirs"].map((id) => /** @type {HTMLTextAreaElement} */ (byId(id)));
const [state, conflict] = ["state", "conflict"].map(byId);

text.value = saved.markdown;
text.oninput = onInput;
byId("save").onclick = () => void inSequence(keep); // each save is of the version that the one before made
const twice = el("p", { class: "warn", role: "status", test: "editor-twice", hidden: true });
state.after(twice);
/** What the page itself put into the field last: anything else was typed. */
let placed = saved.markdown;
byId("take").onclick = async () => {
  if (await replaceText(theirs.value)) conflict.hidden = true;
};
showPreview(saved.html);
byId("guidelines").hidden = false;
addEventListener("beforeunload", (event) => {
  if (text.value !== saved.markdown) event.preventDefault();
});
await listVersions();
await showConfused();

/** Whether another text took the place of the typed one, which is asked first. @param {string} markdown */
async function replaceText(markdown) {
  const isTyped = ![placed, saved.markdown, markdown].includes(text.value);
  if (isTyped && !(await askSure(words.replace, words.replaceYes))) return false;
  placed = markdown;
  text.value = markdown;
  onInput();
  return true;
}

function onInput() {
  state.textContent = text.value === saved.markdown ? "" : words.unsaved;
  const typed = text.value;
  setTimeout(async () => {
    if (text.value !== typed) return;
    const answer = await api.previewGuidelines(typed).catch(() => null);
    if (answer && text.value === typed) showPreview(answer.html);
  }, PREVIEW_AFTER_MS);
}

/** @param {string} html made by the server from Markdown */
function showPreview(html) {
  byId("preview").replaceChildren(readRichText(html));
  const headings = [...byId("preview").querySelectorAll("h1, h2, h3, h4, h5, h6")];
  const name = findTwice(headings.map((heading) => (heading.textContent ?? "").trim()));
  twice.hidden = name === null;
  twice.textContent = name === null ? "" : words.twice(name);
}

/**
 * The first heading that an earlier one has already, as the image's page compares them; null where all differ.
 * @param {readonly string[]} headings
 */
function findTwice(headings) {
  const seen = new Set();
  return headings.find((heading) => seen.size === seen.add(heading.toLowerCase()).size) ?? null;
}

/** Pressed twice, it is saved once. */
async function keep() {
  if (text.value === saved.markdown) {
    conflict.hidden = true;
    state.textContent = words.saved;
    return;
  }
  try {
    const kept = await api.saveGuidelines(saved.number, text.value);
    saved = kept;
    placed = kept.markdown;
    conflict.hidden = true;
    state.textContent = text.value === kept.markdown ? words.saved : words.unsaved;
    await listVersions();
  } catch (error) {
    if (error instanceof Refused && error.code === "stale") settle(error.body.head);
    else state.textContent = explain(error, words.noServer);
  }
}

/** Another person's text is shown too; saving again makes a version after it. @param {Guidelines} newest */
function settle(newest) {
  saved = newest;
  state.textContent = words.conflict;
  theirs.value = newest.markdown;
  conflict.hidden = false;
  conflict.scrollIntoView({ block: "nearest" });
}

async function listVersions() {
  const answer = await api.guidelineVersions().catch(() => null);
  if (!answer) return;
  const rows = answer.versions.map(({ number, set_at, person }) =>
    makeVersion(number, words.version(number, person.name, dayAndClock(set_at))),
  );
  byId("versions").replaceChildren(...rows, makeVersion(0, words.preset));
}

/** The classes that the guidelines may explain better. */
async function showConfused() {
  const answer = await api.confusedClasses().catch(() => null);
  const section = answer && listConfused(answer.records);
  if (section) byId("conflict").before(section);
}

/**
 * @param {number} number
 * @param {string} label
 */
function makeVersion(number, label) {
  const open = async () => {
    try {
      const version = await newest(() => api.guidelineVersion(number));
      if (version) await replaceText(version.markdown);
    } catch {
      state.textContent = words.noServer;
    }
  };
  const button = el("button", { text: words.open, test: `version:${number}`, on: { click: open } });
  return el("li", {}, el("span", { text: label }), button);
}
