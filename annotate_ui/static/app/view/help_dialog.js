/** All keys of the page, from the key map itself; the map and every single key can be changed. */

import { chordOf, findObstacle, HALVES, isChangeable } from "../state/chords.js";
import { changeKey, changesOf, resetKeys } from "../state/preferences.js";
import { texts } from "../texts.js";
import { labelOf } from "./controls.js";
import { ask, choice, choices } from "./dialog.js";
import { el, makeOptions } from "./dom.js";
import { sayChord } from "./words.js";

/** @import {MapName, Model, Preferences, Row} from "../state/types.js" */

/** @typedef {(preferences: Preferences) => Preferences} Change */

const GROUP_ORDER = [
  "draw",
  "suggest",
  "object",
  "image",
  "class",
  "action",
  "part",
  "select",
  "correct",
  "see",
];

/**
 * Shows the keys until closed; `prefer` hears of changes.
 * @type {(getModel: () => Model, prefer: (change: Change) => void) => void}
 */
export function showHelp(getModel, prefer) {
  const table = el("div", { class: "key-groups", test: "keys" });
  const news = el("p", { class: "key-news", role: "alert", test: "key-news", text: texts.help.hint });
  const reset = choice(texts.help.reset, () => change(resetKeys), { test: "keys-reset" });
  const change = (/** @type {Change} */ how) => {
    prefer(how);
    news.textContent = texts.help.hint;
    fill();
  };
  const isOfBoxes = ["annotate", "check"].includes(getModel().page);
  const options = { test: "help-dialog", title: texts.help.title, className: "help" };
  const asking = ask({ ...options, otherwise: true }, (close) => [
    isOfBoxes
      ? mapChoice(getModel().preferences.map, (map) => change((preferences) => ({ ...preferences, map })))
      : null,
    el("p", { class: "quiet", text: isOfBoxes ? texts.help.pointer : texts.segment.pointer }),
    news,
    table,
    choices(
      reset,
      choice(texts.help.close, () => close(true), { isMain: true }),
    ),
  ]);
  fill();
  asking.element.addEventListener("keydown", (event) => {
    if (event.key === "?") asking.close(true);
  });

  /** @param {string} [focused] the command whose key has the focus */
  function fill(focused) {
    const model = getModel();
    table.replaceChildren(...GROUP_ORDER.map((group) => describeGroup(model, group)));
    reset.disabled = Object.keys(changesOf(model.preferences)).length === 0;
    const button = focused && table.querySelector(`[data-command="${CSS.escape(focused)}"]`);
    if (button instanceof HTMLElement) button.focus();
  }

  /**
   * @param {Model} model
   * @param {string} group
   */
  function describeGroup(model, group) {
    const inGroup = model.keymap.rows.filter((row) => row.group === group);
    const rows = inGroup.filter((row) => !/\.(right|up|down)$/.test(row.command));
    if (rows.length === 0) return el("div", { hidden: true });
    const lines = rows.flatMap((row) => describeRow(model, row));
    return el(
      "section",
      { class: "key-group" },
      el("h3", { text: texts.groups[group] }),
      el("dl", {}, ...lines),
    );
  }

  /**
   * The four arrow keys make one line.
   * @param {Model} model
   * @param {Row} row
   */
  function describeRow(model, { command, chords }) {
    const [family, direction] = command.split(".");
    if (direction === "left") {
      const modifiers = sayChord(chords[0]).slice(0, -1);
      const cap = el("kbd", { text: `${modifiers}← → ↑ ↓` });
      return [el("dt", {}, cap), el("dd", { text: texts.arrows[family] })];
    }
    const label = labelOf(model, command);
    const caps = chords.length > 0 ? chords.map(sayChord) : ["–"];
    const kbds = caps.map((text) => el("kbd", { text }));
    const keys = isChangeable(command) ? [keyButton(command, label, kbds)] : kbds;
    return [el("dt", {}, ...keys), el("dd", { text: label })];
  }

  /**
   * The key caps as a button: after a click, the next key becomes the command's.
   * @param {string} command
   * @param {string} label
   * @param {readonly HTMLElement[]} caps
   */
  function keyButton(command, label, caps) {
    const listen = () => {
      button.replaceChildren(el("kbd", { text: texts.help.press }));
      button.dataset.listens = "true";
    };
    const keydown = (/** @type {KeyboardEvent} */ event) => {
      if (button.dataset.listens !== "true" || event.key === "Tab") return;
      event.preventDefault();
      event.stopPropagation();
      if (!HALVES.includes(event.key)) take(command, label, event);
    };
    const blur = () => button.dataset.listens === "true" && fill();
    const looks = { class: "key-button", data: { command }, title: texts.help.change(label) };
    const button = el("button", { ...looks, on: { click: listen, keydown, blur } }, ...caps);
    return button;
  }

  /**
   * Gives the pressed key to the command, or says why not; Escape changes nothing.
   * @param {string} command
   * @param {string} label
   * @param {KeyboardEvent} event
   */
  function take(command, label, event) {
    const model = getModel();
    const chord = chordOf(event, (sign) => model.keymap.commandOf.has(sign));
    const key = sayChord(chord);
    const obstacle = findObstacle(model.keymap, command, chord);
    if (chord === "Escape") return fill(command);
    const holder = obstacle?.by ? labelOf(model, obstacle.by) : "";
    if (!obstacle) prefer((preferences) => changeKey(preferences, command, chord));
    news.textContent = obstacle
      ? texts.help.obstacles[obstacle.why](key, holder)
      : texts.help.changed(label, key);
    fill(command);
  }
}

/**
 * @param {MapName} current
 * @param {(mapName: MapName) => void} onChoose
 */
function mapChoice(current, onChoose) {
  const change = () => onChoose(/** @type {MapName} */ (select.value));
  const looks = { class: "field", id: "key-map", test: "key-map", on: { change } };
  const select = el("select", looks, ...makeOptions(texts.maps, current));
  return el("p", { class: "map-choice" }, el("label", { for: "key-map", text: texts.help.map }), select);
}
