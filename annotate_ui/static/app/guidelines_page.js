/** The organiser's editor of the guidelines: Markdown and its preview, every version kept. */

import { openApi, Refused } from "./api.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { byId, el, readRichText } from "./view/dom.js";
import { dayAndClock } from "./view/words.js";

/** @typedef {{number: number, markdown: string, html: string}} Version */

const PREVIEW_AFTER_MS = 400;

const api = openApi();
const words = texts.editor;
const saved = createStore(/** @type {Version} */ (await api.guidelines()));

const text = el("textarea", {
  class: "markdown",
  test: "markdown",
  maxlength: 200_000,
  aria: { label: words.label },
  on: { input: onInput },
});
const preview = el("article", { class: "guidelines preview", tabindex: 0, test: "preview", aria: { label: words.preview } });
const state = el("p", { class: "quiet", role: "status", test: "editor-state" });
const conflict = el("section", { class: "conflict", test: "editor-conflict", hidden: true });
const versions = el("ol", { class: "versions", test: "versions" });
const save = el("button", {
  class: "main",
  text: words.save,
  test: "editor-save",
  on: { click: () => void keep() },
});

byId("guidelines").append(
  el("h1", { text: words.title }),
  el("p", { text: words.lead }),
  el("div", { class: "two" }, text, preview),
  conflict,
  el("div", { class: "foot" }, save, state),
  el("section", {}, el("h2", { text: words.versions }), versions),
);
text.value = saved.get().markdown;
showPreview(saved.get().html);
addEventListener("beforeunload", (event) => {
  if (text.value !== saved.get().markdown) event.preventDefault();
});
await listVersions();

function onInput() {
  state.textContent = text.value === saved.get().markdown ? "" : words.unsaved;
  const typed = text.value;
  setTimeout(() => text.value === typed && void refresh(), PREVIEW_AFTER_MS);
}

async function refresh() {
  const asked = text.value;
  const answer = await api.previewGuidelines(asked).catch(() => null);
  if (answer && text.value === asked) showPreview(answer.html);
}

/** @param {string} html made by the server from Markdown */
function showPreview(html) {
  preview.replaceChildren(readRichText(html));
}

async function keep() {
  try {
    const kept = await api.saveGuidelines(saved.get().number, text.value);
    saved.update(() => kept);
    conflict.hidden = true;
    state.textContent = text.value === kept.markdown ? words.saved : words.unsaved;
    await listVersions();
  } catch (error) {
    if (!(error instanceof Refused)) state.textContent = words.noServer;
    else if (error.code !== "stale") state.textContent = error.message;
    else settle(/** @type {Version} */ (/** @type {unknown} */ (error.head)));
  }
}

/**
 * Another person saved in between: their text is shown too, and saving once more goes on top of
 * it; both stay on record.
 * @param {Version} newest
 */
function settle(newest) {
  saved.update(() => newest);
  state.textContent = words.conflict;
  const theirs = el("textarea", { class: "markdown", test: "theirs", aria: { label: words.theirs } });
  theirs.value = newest.markdown;
  theirs.readOnly = true;
  const take = () => {
    text.value = newest.markdown;
    conflict.hidden = true;
    onInput();
  };
  conflict.replaceChildren(
    el("h2", { text: words.theirs }),
    theirs,
    el("button", { text: words.take, test: "editor-take", on: { click: take } }),
  );
  conflict.hidden = false;
  conflict.scrollIntoView({ block: "nearest" });
}

async function listVersions() {
  const answer = await api.guidelineVersions().catch(() => null);
  if (!answer) return;
  const all = [
    ...answer.versions.map(({ number, set_at, person }) => ({
      number,
      label: words.version(number, person.name, dayAndClock(set_at)),
    })),
    { number: 0, label: words.preset },
  ];
  versions.replaceChildren(...all.map(versionRow));
}

/** @param {{number: number, label: string}} version */
function versionRow({ number, label }) {
  const open = async () => {
    const found = await api.guidelineVersion(number).catch(() => null);
    if (!found) return void (state.textContent = words.noServer);
    text.value = found.markdown;
    onInput();
  };
  const button = el("button", {
    text: words.open,
    test: `version:${number}`,
    on: { click: () => void open() },
  });
  return el("li", {}, el("span", { text: label }), button);
}
