/** The slim column of tools at the left. */

import { texts } from "../texts.js";
import { iconButton } from "./controls.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";

/** @typedef {import("../state/model.js").Model} Model */
/** @typedef {import("./icons.js").IconName} IconName */

/** @type {readonly (readonly (readonly [command: string, icon: IconName])[])[]} */
const GROUPS = [
  [
    ["box.new", "box"],
    ["undo", "undo"],
    ["redo", "redo"],
    ["box.remove", "trash"],
  ],
  [
    ["zoom.in", "zoomIn"],
    ["zoom.out", "zoomOut"],
    ["zoom.fit", "fit"],
    ["zoom.actual", "actual"],
    ["zoom.object", "target"],
  ],
  [
    ["show.boxes", "boxes"],
    ["show.labels", "labels"],
  ],
  [
    ["image.previous", "back"],
    ["guidelines", "guide"],
    ["help", "help"],
  ],
];

/**
 * @param {HTMLElement} rail
 * @param {import("../state/store.js").Store<Model>} store
 * @param {import("./controls.js").Run} run
 */
export function mountRail(rail, store, run) {
  const fill = () => rail.replaceChildren(homeLink(), ...groups(store.get(), run));
  fill();
  showState(rail, store.get());
  store.subscribe((model, before) => {
    if (model.keymap !== before.keymap) fill();
    showState(rail, model);
  });
}

/**
 * @param {Model} model
 * @param {import("./controls.js").Run} run
 */
function groups(model, run) {
  const known = new Set(model.keymap.rows.map((row) => row.command));
  return GROUPS.map((group) =>
    el(
      "div",
      { class: "rail-group", role: "group" },
      ...group
        .filter(([command]) => known.has(command))
        .map(([command, name]) => iconButton(model, command, name, run)),
    ),
  );
}

function homeLink() {
  const label = texts.rail.home;
  return el("a", { class: "icon-button", href: "/", title: label, aria: { label } }, icon("home"));
}

/**
 * @param {HTMLElement} rail
 * @param {Model} model
 */
function showState(rail, model) {
  const history = model.work?.editor.history;
  const enabled = {
    undo: Boolean(history?.past.length),
    redo: Boolean(history?.future.length),
    "box.remove": Boolean(model.work?.editor.selection),
    "zoom.object": Boolean(model.work?.editor.selection),
  };
  for (const [command, isEnabled] of Object.entries(enabled)) {
    const button = rail.querySelector(`[data-testid="${command}"]`);
    if (button instanceof HTMLButtonElement) button.disabled = !isEnabled;
  }
  const pressed = {
    "box.new": model.work?.editor.armed?.kind === "box",
    "show.boxes": model.showsBoxes,
    "show.labels": model.showsLabels,
    guidelines: model.showsGuide,
  };
  for (const [command, isPressed] of Object.entries(pressed)) {
    const button = rail.querySelector(`[data-testid="${command}"]`);
    button?.setAttribute("aria-pressed", String(isPressed));
  }
}
