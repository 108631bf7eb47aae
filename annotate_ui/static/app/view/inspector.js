/** Attributes of the selected object: view, flags, parts and actions, each with its key. */

import { isOfMany, selectedObjects } from "../state/editor.js";
import { selectedIn } from "../state/model.js";
import { hasRoomForPart, UNSPECIFIED } from "../state/objects.js";
import { displayOf, displayOfClass, findClass } from "../state/party.js";
import { texts } from "../texts.js";
import { keyCap, stageButton } from "./controls.js";
import { el, refill } from "./dom.js";
import { swatch } from "./class_chips.js";

/** @import {Model, Objects, Store} from "../state/types.js" */
/** @import {Annotated, Named} from "../types.js" */
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
      model.work?.editor.also,
      model.work?.editor.history,
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
  if (model.work && isOfMany(model.work.editor))
    return describeMany(model, selectedObjects(model.work.editor), run);
  const object = selectedIn(model);
  if (!object) return [hint(model)];
  const spec = findClass(model.party, object.class);
  return [
    heading(model, object),
    ...chipRows(model, "view", viewChips(model, object), spec?.has_views, run),
    chipRow(model, "flags", flagChips(model, object), run),
    ...chipRows(model, "parts", partChips(model, object), spec?.has_parts, run),
    ...chipRows(model, "actions", actionChips(model, object), spec?.has_actions, run),
    ...originOf(model, object),
  ];
}

/**
 * What several objects have: a chip is on where all have it, and mixed where some do. Parts and points are of one.
 * @type {(model: Model, objects: Objects, run: Run) => HTMLElement[]}
 */
function describeMany(model, objects, run) {
  const has = (/** @type {"has_views" | "has_actions"} */ what) =>
    objects.some(({ class: name }) => findClass(model.party, name)?.[what]);
  const title = el("h2", { text: texts.inspector.many(objects.length), test: "many-selected" });
  const rule = el("p", { class: "rule", text: texts.inspector.manyHelp });
  const rows = /** @type {const} */ ([
    ["view", viewChips, has("has_views")],
    ["flags", flagChips, true],
    ["actions", actionChips, has("has_actions")],
  ]);
  const shown = rows.flatMap(([row, chipsOf, hasAny]) => {
    const chips = joinChips(objects.map((object) => chipsOf(model, object)));
    return hasAny
      ? [
          chipRow(
            model,
            row,
            chips.filter(({ command }) => command !== "point.set"),
            run,
          ),
        ]
      : [];
  });
  return [el("div", { class: "inspector-head" }, title, rule), ...shown];
}

/**
 * The chips of all objects as one row.
 * @param {readonly Chip[][]} chipsOfEach
 * @returns {Chip[]}
 */
function joinChips(chipsOfEach) {
  const all = chipsOfEach.flat();
  const byCommand = new Map(all.map((chip) => [chip.command, chip]));
  return [...byCommand.values()].map((chip) => {
    const on = all.filter(({ command, isOn }) => command === chip.command && isOn);
    const isOn = on.length === chipsOfEach.length;
    const isMixed = on.length > 0 && !isOn;
    const isMaybe = isOn && on.some(({ isMaybe }) => isMaybe);
    return { ...chip, isOn, isMixed, isMaybe, title: isMixed ? texts.inspector.mixed : chip.title };
  });
}

/**
 * What the files of another tool say of an imported object; nobody changes it here.
 * @param {Model} model
 * @param {Annotated} object
 */
function originOf({ work }, { key }) {
  const origin = work?.task.origins?.[key];
  if (!origin) return [];
  const attributes = Object.entries(origin.attributes).flatMap(([name, value]) => [
    el("dt", { text: name }),
    el("dd", { text: value }),
  ]);
  return [
    el(
      "div",
      { class: "origin", test: "origin" },
      el("dl", {}, ...attributes),
      el("p", { class: "quiet", text: texts.inspector.origin(origin.form, origin.place) }),
    ),
  ];
}

/**
 * All chips where the class has such, else those that the object has all the same.
 * @type {(model: Model, row: "view" | "parts" | "actions", chips: Chip[], hasAll: boolean | undefined, run: Run) => HTMLElement[]}
 */
function chipRows(model, row, chips, hasAll, run) {
  const shown = hasAll ? chips : chips.filter(({ isOn, isDefault }) => isOn && !isDefault);
  return shown.length > 0 ? [chipRow(model, row, shown, run)] : [];
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
  const title = el("h2", { text: displayOfClass(model.party, object.class) });
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
function makeChip(model, { command, text, isOn, isMixed, isMaybe, isDefault, title, isOff }, run) {
  const pressed = isMixed ? "mixed" : String(isOn);
  const looks = ["chip", isMaybe ? "maybe" : "", isDefault ? "default" : ""].filter(Boolean).join(" ");
  return stageButton(
    { class: looks, title: title ?? text, disabled: isOff, test: command, aria: { pressed } },
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
  const isDefault = (/** @type {string} */ id) => id === UNSPECIFIED;
  return withRetired(party.views, [object.view])
    .sort((first, second) => Number(isDefault(first)) - Number(isDefault(second)))
    .map((id) => ({
      command: `view:${id}`,
      text: displayOf(party, "view", id),
      isOn: object.view === id,
      isDefault: isDefault(id),
    }));
}

/**
 * The ids of the party's words, and of those that an object has and the party no longer.
 * @type {(specs: readonly Named[], had: readonly string[]) => string[]}
 */
function withRetired(specs, had) {
  return [...new Set([...specs.map(({ id }) => id), ...had])];
}

/** Difficult is shown where it is set; it cannot be set here. @type {(model: Model, object: Annotated) => Chip[]} */
function flagChips({ party }, object) {
  const names = /** @type {const} */ (["truncated", "occluded", "unsure", "group_of", "difficult"]);
  const { proposed, difficultHelp, groupHelp } = texts.inspector;
  return names
    .filter(
      (name) => name === "unsure" || party.flags.includes(name) || (name === "group_of" && object[name]),
    )
    .filter((name) => name !== "difficult" || object.difficult)
    .map((name) => {
      const isMaybe = name === "truncated" && object.truncated && object.truncatedBy === "border";
      const isOff = name === "difficult";
      const help = {
        difficult: difficultHelp,
        group_of: groupHelp,
        truncated: isMaybe ? proposed : undefined,
      };
      const title = name === "occluded" || name === "unsure" ? undefined : help[name];
      const text = texts.inspector[name];
      return { command: `flag:${name}`, text, isOn: Boolean(object[name]), isMaybe, isOff, title };
    });
}

/**
 * @param {Model} model
 * @param {Annotated} object
 * @returns {Chip[]}
 */
function partChips({ party, work }, object) {
  const armed = work?.editor.armed;
  const had = object.parts.map(({ part }) => part);
  return withRetired(party.parts, had).map((id) => {
    const spec = party.parts.find((part) => part.id === id);
    const marked = had.filter((part) => part === id).length;
    return {
      command: `part:${id}`,
      text: `${displayOf(party, "part", id)} ${marked}/${spec?.most ?? marked}`,
      isOn: spec ? armed?.kind === "part" && armed.id === id : true,
      isOff: !spec || !hasRoomForPart(object, spec),
    };
  });
}

/**
 * @param {Model} model
 * @param {Annotated} object
 * @returns {Chip[]}
 */
function actionChips({ party, work }, object) {
  const actions = withRetired(party.actions, object.actions).map((id) => ({
    command: `action:${id}`,
    text: displayOf(party, "action", id),
    isOn: object.actions.includes(id),
  }));
  const isOn = object.point !== null || work?.editor.armed?.kind === "point";
  return [...actions, { command: "point.set", text: texts.inspector.point, isOn }];
}
