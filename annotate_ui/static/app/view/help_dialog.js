/** All keys of the page, from the key map itself, and which of the maps to use. */

import { formatChord } from "../state/chords.js";
import { MAP_NAMES } from "../state/keymap.js";
import { texts } from "../texts.js";
import { labelOf } from "./controls.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("../state/keymap.js").MapName} MapName */

const GROUP_ORDER = ["draw", "object", "image", "class", "action", "part", "select", "mend", "see"];

/**
 * Shows the keys until closed; tells when another map is chosen.
 * @param {() => Model} getModel
 * @param {(mapName: MapName) => void} onChooseMap
 */
export function showHelp(getModel, onChooseMap) {
  const table = el("div", { class: "key-groups", test: "keys" });
  const fill = () => table.replaceChildren(...listGroups(getModel()));
  fill();
  const options = { test: "help-dialog", title: texts.help.title, className: "help" };
  const asking = ask({ ...options, otherwise: true }, (close) => [
    mapChoice(getModel().mapName, (mapName) => (onChooseMap(mapName), fill())),
    el("p", { class: "quiet", text: texts.help.pointer }),
    table,
    choices(choice(texts.help.close, () => close(true))),
  ]);
  asking.element.addEventListener("keydown", (event) => {
    if (event.key === "?") asking.close(true);
  });
}

/**
 * @param {MapName} current
 * @param {(mapName: MapName) => void} onChoose
 */
function mapChoice(current, onChoose) {
  const select = el("select", {
    class: "field",
    id: "key-map",
    test: "key-map",
    on: { change: () => onChoose(/** @type {MapName} */ (select.value)) },
  });
  select.append(...MAP_NAMES.map((name) => el("option", { value: name, text: texts.maps[name] })));
  select.value = current;
  return el("p", { class: "map-choice" }, el("label", { for: "key-map", text: texts.help.map }), select);
}

/** @param {Model} model */
function listGroups(model) {
  return GROUP_ORDER.map((group) => {
    const inGroup = model.keymap.rows.filter((row) => row.group === group && row.chords.length > 0);
    const rows = inGroup.filter((row) => !/\.(right|up|down)$/.test(row.command));
    if (rows.length === 0) return el("div", { hidden: true });
    return el(
      "section",
      { class: "key-group" },
      el("h3", { text: texts.groups[group] }),
      el("dl", {}, ...rows.flatMap((row) => describeRow(model, row))),
    );
  });
}

/**
 * The four arrow keys make one line.
 * @param {Model} model
 * @param {import("../state/keymap.js").Row} row
 */
function describeRow(model, { command, chords }) {
  const [family, direction] = command.split(".");
  if (direction === "left") {
    const modifiers = formatChord(chords[0]).slice(0, -1);
    const cap = el("kbd", { text: `${modifiers}← → ↑ ↓` });
    return [el("dt", {}, cap), el("dd", { text: texts.arrows[family] })];
  }
  const caps = chords.map((chord) => el("kbd", { text: formatChord(chord) }));
  return [el("dt", {}, ...caps), el("dd", { text: labelOf(model, command) })];
}
