/** Attributes of the selected object: view, flags, parts and actions, each with its key. */

import { selectedIn } from "../state/model.js";
import { hasRoomForPart, UNSPECIFIED } from "../state/objects.js";
import { findClass } from "../state/party.js";
import { texts } from "../texts.js";
import { keyCap, stageButton } from "./controls.js";
import { el, refill } from "./dom.js";
import { swatch } from "./palette.js";

/** @import {Model, Store} from "../state/types.js" */
/** @import {Annotated} from "../types.js" */
/** @import {Chip, Run} from "./types.js" */

/**
 * @param {HTMLElement} section
 * @param {Store<Model>} store
 * @param {Run} run
 */
export function mountInspector(section, store, run) {
  store.follow(
    (model) => refill(section, ...describe(model, run)),
    (model) => [
      selectedIn(model),
      model.work?.editor.armed,
      model.keymap,
      model.lastClass,
      model.work === null,
    ],
  );
}

/**
 * @param {Model} model
 * @param {Run} run
 */
function describe(model, run) {
  const object = selectedIn(model);
  if (!object) return [hint(model)];
  const spec = findClass(model.party, object.class);
  return [
    heading(model, object),
    spec?.has_views ? chipRow(model, "view", viewChips(model, object), run) : null,
    chipRow(model, "flags", flagChips(model, object), run),
    spec?.has_parts ? chipRow(model, "parts", partChips(model, object), run) : null,
    spec?.has_actions ? chipRow(model, "actions", actionChips(model, object), run) : null,
  ].filter((part) => part !== null);
}

/** @param {Model} model */
function hint(model) {
  const spec = findClass(model.party, model.lastClass);
  const { nothing, nothingCheck } = texts.inspector;
  const isCheck = model.page === "check";
  const rule = el("p", { class: "rule", text: isCheck ? "" : (spec?.short_rule ?? "") });
  return el(
    "div",
    { class: "hint" },
    el("p", { text: isCheck ? nothingCheck : nothing(spec?.display ?? "") }),
    rule,
  );
}

/**
 * @param {Model} model
 * @param {Annotated} object
 */
function heading(model, object) {
  const spec = findClass(model.party, object.class);
  const rule = el("p", { class: "rule", text: spec?.short_rule ?? "" });
  const title = el("h2", { text: spec?.display ?? object.class });
  return el("div", { class: "inspector-head" }, swatch(model, object.class), title, rule);
}

/**
 * @param {Model} model
 * @param {"view" | "flags" | "parts" | "actions"} row
 * @param {Chip[]} chips
 * @param {Run} run
 */
function chipRow(model, row, chips, run) {
  const looks = { class: `chips ${row}`, role: "group", aria: { label: texts.inspector[row] } };
  return el("div", looks, ...chips.map((chip) => makeChip(model, chip, run)));
}

/**
 * @param {Model} model
 * @param {Chip} chip
 * @param {Run} run
 */
function makeChip(model, { command, text, isOn, isMaybe, isDefault, title, isOff }, run) {
  const looks = ["chip", isMaybe ? "maybe" : "", isDefault ? "default" : ""].filter(Boolean).join(" ");
  return stageButton(
    { class: looks, title: title ?? text, disabled: isOff, test: command, aria: { pressed: String(isOn) } },
    () => run(command),
    el("span", { text: isMaybe ? `${text}?` : text }),
    isOff ? null : keyCap(model, command),
  );
}

/**
 * Unspecified comes last: it is the default.
 * @param {Model} model
 * @param {Annotated} object
 * @returns {Chip[]}
 */
function viewChips({ party }, object) {
  const isDefault = (/** @type {{name: string}} */ view) => view.name === UNSPECIFIED;
  return [...party.views]
    .sort((first, second) => Number(isDefault(first)) - Number(isDefault(second)))
    .map(({ name, display }) => ({
      command: `view:${name}`,
      text: display,
      isOn: object.view === name,
      isDefault: name === UNSPECIFIED,
    }));
}

/** Difficult is shown where it is set; it cannot be set here. @type {(model: Model, object: Annotated) => Chip[]} */
function flagChips({ party }, object) {
  const names = /** @type {const} */ (["truncated", "occluded", "unsure", "difficult"]);
  const { proposed, difficultHelp } = texts.inspector;
  return names
    .filter((name) => name === "unsure" || party.flags.includes(name))
    .filter((name) => name !== "difficult" || object.difficult)
    .map((name) => {
      const isMaybe = name === "truncated" && object.truncated && object.truncatedBy === "border";
      const isOff = name === "difficult";
      const title = isMaybe ? proposed : isOff ? difficultHelp : undefined;
      const text = texts.inspector[name];
      return { command: `flag:${name}`, text, isOn: object[name], isMaybe, isOff, title };
    });
}

/**
 * @param {Model} model
 * @param {Annotated} object
 * @returns {Chip[]}
 */
function partChips({ party, work }, object) {
  const armed = work?.editor.armed;
  return party.parts.map((spec) => {
    const marked = object.parts.filter((part) => part.name === spec.name).length;
    return {
      command: `part:${spec.name}`,
      text: `${spec.display} ${marked}/${spec.most}`,
      isOn: armed?.kind === "part" && armed.name === spec.name,
      isOff: !hasRoomForPart(object, spec),
    };
  });
}

/**
 * @param {Model} model
 * @param {Annotated} object
 * @returns {Chip[]}
 */
function actionChips({ party, work }, object) {
  const actions = party.actions.map(({ name, display }) => ({
    command: `action:${name}`,
    text: display,
    isOn: object.actions.includes(name),
  }));
  const isOn = object.point !== null || work?.editor.armed?.kind === "point";
  return [...actions, { command: "point.set", text: texts.inspector.point, isOn }];
}
