/** What the checks found on the image that is checked: shown, and judged by key or click. */

import { NoAnswer, Refused } from "./api.js";
import { revealSelection } from "./commands.js";
import { objectsIn, select, selectedKey } from "./state/editor.js";
import { currentFinding, listShown, nextWithFinding, setVerdict } from "./state/findings.js";
import { texts } from "./texts.js";
import { keyCap, yieldFocus } from "./view/controls.js";
import { byId, el } from "./view/dom.js";

/** @import {Api} from "./api.js" */
/** @import {FindingWord as Word, Model, Store} from "./state/types.js" */
/** @import {Found} from "./types.js" */
/** @import {Workbench} from "./workbench.js" */

/** @typedef {{onJudge: (found: Found, word: Word) => void, onElsewhere: () => void}} Listener */

/**
 * Shows the findings, and gives what a key says of the current one.
 * @param {{
 *   bench: Workbench, api: Api, inTurn: <T>(work: () => Promise<T>) => Promise<T>,
 *   onSignedOut: () => void,
 * }} parts
 * @returns {(word: Word) => void}
 */
export function mountFindings({ bench, api, inTurn, onSignedOut }) {
  const { store, tell } = bench;
  mountFoundList(byId("found"), store, {
    onJudge: (found, word) => void say(found, word),
    onElsewhere: goToFinding,
  });

  function goToFinding() {
    const { work } = store.get();
    if (!work) return;
    const key = nextWithFinding(work.found, objectsIn(work.editor), selectedKey(work.editor));
    if (key === null) return tell(texts.found.none, "plain");
    bench.edit((editor) => select(editor, { key, part: null }));
    store.update(revealSelection);
  }

  /**
   * Said at once; the same word again takes it back. A verdict that another person gave meanwhile stands.
   * @param {Found} found
   * @param {Word} word
   */
  async function say(found, word) {
    const verdict = found.verdict === word ? null : word;
    setFound(found.id, verdict);
    try {
      await inTurn(() => api.judgeFinding(found.id, verdict, found.verdict));
    } catch (error) {
      const isStale = error instanceof Refused && error.code === "stale";
      setFound(found.id, isStale ? error.body.verdict : found.verdict);
      if (isStale) return tell(texts.findings.meanwhile(error.body.by, error.body.verdict), "warn");
      if (error instanceof Refused && error.status === 401) return onSignedOut();
      if (error instanceof Refused) return tell(error.message, "danger");
      if (!(error instanceof NoAnswer)) throw error;
      tell(texts.found.unsaid, "warn");
    }
  }

  /** @param {number} id @param {Found["verdict"]} verdict */
  function setFound(id, verdict) {
    bench.changeWork((work) => ({ ...work, found: setVerdict(work.found, id, verdict) }));
  }

  return (word) => {
    const { work } = store.get();
    const found = work && currentFinding(work.found, selectedKey(work.editor));
    if (found) void say(found, word);
    else goToFinding();
  };
}

/** @param {HTMLElement} section @param {Store<Model>} store @param {Listener} listener */
function mountFoundList(section, store, listener) {
  const show = (/** @type {Model} */ model) => {
    const { work } = model;
    const key = work?.editor.selection?.key ?? null;
    const found = listStanding(model);
    const shown = listShown(found, key);
    const current = currentFinding(found, key);
    const rest = found.filter((one) => one.verdict === null && !shown.includes(one)).length;
    section.hidden = found.length === 0;
    section.replaceChildren(
      ...shown.map((one) => makeLine(model, one, one === current, listener)),
      ...(rest > 0 ? [elsewhere(rest, listener)] : []),
    );
  };
  store.follow(show, seen);
}

/**
 * The findings whose object is still there: one that was removed says no more.
 * @param {Model} model
 * @returns {readonly Found[]}
 */
function listStanding({ work }) {
  if (!work) return [];
  const keys = new Set(objectsIn(work.editor).map(({ key }) => key));
  return work.found.filter((one) => one.object_key === null || keys.has(one.object_key));
}

/** @param {Model} model */
function seen({ work, keymap }) {
  return [work?.found, work?.editor.selection?.key, work && objectsIn(work.editor), keymap];
}

/** @param {Model} model @param {Found} found @param {boolean} isCurrent @param {Listener} listener */
function makeLine(model, found, isCurrent, { onJudge }) {
  const button = (/** @type {Word} */ word) =>
    el(
      "button",
      {
        class: `button small ${word}`,
        test: `found-${word}`,
        title: texts.found.title[word],
        aria: { pressed: String(found.verdict === word) },
        on: { click: (/** @type {MouseEvent} */ event) => (yieldFocus(event), onJudge(found, word)) },
      },
      el("span", { text: texts.found[word] }),
      isCurrent ? keyCap(model, `finding.${word}`) : null,
    );
  return el(
    "div",
    {
      class: isCurrent ? "found-line current" : "found-line",
      test: "found",
      data: { severity: found.severity, verdict: found.verdict ?? "", check: found.check },
    },
    el("p", {}, el("b", { text: `${texts.found.severity[found.severity]} ` }), found.message),
    button("right"),
    button("wrong"),
  );
}

/** @param {number} number @param {Listener} listener */
function elsewhere(number, { onElsewhere }) {
  return el("button", {
    class: "found-elsewhere",
    text: texts.found.elsewhere(number),
    test: "found-elsewhere",
    on: { click: (/** @type {MouseEvent} */ event) => (yieldFocus(event), onElsewhere()) },
  });
}
