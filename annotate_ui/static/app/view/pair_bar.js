/** What was measured of a pair, and the keys to say what it is. */

import { choicesFor, isAside, keyOf, MODES, openHere, spotsHere } from "../state/cluster_review.js";
import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/** @import {Review, Spot} from "../state/cluster_review.js" */

/** @typedef {(command: string) => void} Run */

/** @param {HTMLElement} place @param {Review} review @param {Spot | null} spot @param {Run} run */
export function fillFacts(place, review, spot, run) {
  if (!spot) return place.replaceChildren();
  const { pair } = spot;
  const isAll = review.mode === "cluster";
  const measures = [
    texts.clusters.doubt(pair.doubt),
    pair.similarity === null ? null : texts.clusters.similarity(pair.similarity),
    pair.gap_secs === null ? null : texts.clusters.gap(pair.gap_secs),
    texts.clusters.how(pair.decided_by_person),
  ];
  const shown = isAll ? [texts.clusters.members(spotsHere(review).length + 1, spot.more)] : measures;
  place.replaceChildren(
    el("h2", { test: "relation", text: texts.clusters.relations[pair.relation] }),
    el("ul", { class: "measures" }, ...shown.filter((it) => it !== null).map((text) => el("li", { text }))),
    el(
      "div",
      { class: "modes", role: "group", aria: { label: texts.clusters.view } },
      ...MODES.map((mode, index) =>
        keyButton(texts.clusters.modes[mode], String(index + 1), () => run(`mode:${mode}`), {
          isPressed: review.mode === mode,
          test: `mode-${mode}`,
        }),
      ),
    ),
  );
}

/** @param {HTMLElement} place @param {Review} review @param {Spot | null} spot @param {Run} run */
export function fillVerdicts(place, review, spot, run) {
  if (!spot) return place.replaceChildren();
  const choices = choicesFor(spot);
  const verdict = review.verdicts[keyOf(spot)];
  const open = openHere(review).length;
  const button = (/** @type {keyof choices} */ choice, /** @type {string} */ key) =>
    keyButton(texts.clusters.say[choices[choice]], key, () => run(`say:${choice}`), {
      test: `say-${choices[choice]}`,
      kind: choice,
      isPressed: verdict === choices[choice],
    });
  const all = [
    button("confirm", "C"),
    button("split", "S"),
    button("other", "E"),
    isAside(spot) ? keyButton(texts.clusters.keepOther, "X", () => run("keep"), { test: "keep" }) : null,
    open > 1
      ? keyButton(texts.clusters.confirmAll(open), "⇧C", () => run("confirm.all"), { test: "confirm-all" })
      : null,
    el("span", { class: "gap" }),
    keyButton(texts.clusters.back, "←", () => run("pair.previous"), {}),
    keyButton(texts.clusters.on, "→", () => run("pair.next"), {}),
    keyButton(texts.clusters.undo, "Z", () => run("undo"), {
      test: "undo",
      isDisabled: review.said.length === 0,
    }),
    keyButton("", "?", () => run("help"), { test: "help", label: texts.clusters.keys }),
  ];
  place.replaceChildren(...all.filter((it) => it !== null));
}

/**
 * @param {string} words
 * @param {string} key
 * @param {() => void} onClick
 * @param {{test?: string, kind?: string, isPressed?: boolean, isDisabled?: boolean,
 *   label?: string}} looks
 */
function keyButton(words, key, onClick, { test, kind, isPressed, isDisabled, label }) {
  return el(
    "button",
    {
      test,
      class: kind ?? "",
      disabled: isDisabled ?? false,
      title: label,
      aria: {
        ...(isPressed === undefined ? {} : { pressed: String(isPressed) }),
        ...(label === undefined ? {} : { label }),
      },
      on: { click: onClick },
    },
    words ? el("span", { text: words }) : null,
    el("kbd", { text: key }),
  );
}

/** Shows the keys until closed. */
export function showClusterHelp() {
  const { help } = texts.clusters;
  const rows = help.keys.map(([keys, words]) =>
    el(
      "div",
      {},
      el("dt", {}, ...keys.split(" ").map((key) => el("kbd", { text: key }))),
      el("dd", { text: words }),
    ),
  );
  const asking = ask({ test: "help-dialog", title: help.title, otherwise: true }, (close) => [
    el("dl", { class: "keys" }, ...rows),
    choices(choice(help.close, () => close(true), { isMain: true })),
  ]);
  asking.element.addEventListener("keydown", (event) => {
    if (event.key === "?") asking.close(true);
  });
}
