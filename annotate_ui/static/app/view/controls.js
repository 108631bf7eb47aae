/** Buttons that run commands and show their keys, and the pages' icons. */

import { chordFor } from "../state/keymap.js";
import { texts } from "../texts.js";
import { el, svg } from "./dom.js";
import { sayChord } from "./words.js";

/** @import {Model} from "../state/types.js" */
/** @import {Props, Run} from "./types.js" */

/**
 * What a command is called: the page's words, or the party's.
 * @param {Model} model
 * @param {string} command
 */
export function labelOf(model, command) {
  const row = model.keymap.rows.find((row) => row.command === command);
  if (row?.label && command.startsWith("view:")) return texts.ofView(row.label);
  return row?.label ?? texts.commands[command] ?? command;
}

/**
 * The key cap of a command, or null where it has no key.
 * @param {Model} model
 * @param {string} command
 */
export function keyCap(model, command) {
  const chord = chordFor(model.keymap, command);
  return chord === null ? null : el("kbd", { text: sayChord(chord), aria: { hidden: "true" } });
}

/**
 * A square button with an icon; its name and key are its label and its tooltip.
 * @type {(model: Model, command: string, iconName: IconName, run: Run) => HTMLButtonElement}
 */
export function iconButton(model, command, iconName, run) {
  const chord = chordFor(model.keymap, command);
  const label = labelOf(model, command);
  const title = chord ? `${label}  [${sayChord(chord)}]` : label;
  const aria = { label, ...(chord && { keyshortcuts: ariaChord(chord) }) };
  return stageButton(
    { class: "icon-button", title, test: command, aria },
    () => run(command),
    icon(iconName),
  );
}

/**
 * A button with the words and the key of a command.
 * @type {(model: Model, command: string, text: string, run: Run, props?: Props) => HTMLButtonElement}
 */
export function commandButton(model, command, text, run, props) {
  const looks = { class: "button", test: command, ...props };
  return stageButton(looks, () => run(command), el("span", { text }), keyCap(model, command));
}

/**
 * A button after which the keys go to the image again.
 * @type {(props: Props, act: (event: MouseEvent) => void, ...children: (Node | null)[]) => HTMLButtonElement}
 */
export function stageButton(props, act, ...children) {
  const click = (/** @type {MouseEvent} */ event) => {
    act(event);
    yieldFocus(event);
  };
  return el("button", { ...props, on: { click } }, ...children);
}

/** To the image after a click by pointer; after one by key the focus stays. @param {MouseEvent} event */
export function yieldFocus(event) {
  if (event.detail > 0) focusStage();
}

/** Keys and screen readers are on the image. */
export function focusStage() {
  document.getElementById("stage")?.focus({ preventScroll: true });
}

/** @type {(label: string, test: string, on: Props["on"]) => HTMLInputElement} */
export function searchField(label, test, on) {
  return el("input", { class: "field", type: "search", placeholder: label, test, aria: { label }, on });
}

/** @param {string} chord as aria-keyshortcuts wants it */
export function ariaChord(chord) {
  return chord.replace("Ctrl", "Control");
}

const PATHS = {
  home: "M3 9.5 10 3.5l7 6M5 8.5V16h3.5v-4h3v4H15V8.5",
  repeat: "M3.5 5.5h6v6h-6zM10.5 8.5h6v6h-6zM6 15.5h2M7 14.5v2",
  box: "M3.5 6.5v-3h3M13.5 3.5h3v3M16.5 13.5v3h-3M6.5 16.5h-3v-3M10 7v6M7 10h6",
  drag: "M4 4h12v12H4ZM4 4v.01M16 16v.01M8 8l4 4M12 9v3H9",
  clicks:
    "M5 5h10v10H5ZM3.5 5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0M13.5 15a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0",
  extremes:
    "M10 3.2c3.5 0 6.8 3 6.8 6.8S13.5 16.8 10 16.8 3.2 13.5 3.2 10 6.5 3.2 10 3.2M8.5 3.2a1.5 1.5 0 1 0 3 0M15.3 10a1.5 1.5 0 1 0 3 0M8.5 16.8a1.5 1.5 0 1 0 3 0M1.7 10a1.5 1.5 0 1 0 3 0",
  light:
    "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1 1M14.7 14.7l1 1M4.3 15.7l1-1M14.7 5.3l1-1",
  magnifier: "M8.5 14A5.5 5.5 0 1 0 8.5 3a5.5 5.5 0 0 0 0 11ZM12.5 12.5 17 17M6.5 6.5h4v4h-4Z",
  undo: "M7.5 4.5 4 8l3.5 3.5M4.5 8H12a4 4 0 0 1 0 8H8",
  redo: "M12.5 4.5 16 8l-3.5 3.5M15.5 8H8a4 4 0 0 0 0 8h4",
  zoomIn: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12ZM13.5 13.5 17 17M9 6.5v5M6.5 9h5",
  zoomOut: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12ZM13.5 13.5 17 17M6.5 9h5",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4M7 7.5h6v5H7Z",
  actual: "M5 6l2-1.5V15M13 6l2-1.5V15M10 8v.01M10 12v.01",
  target: "M10 3v3M10 14v3M3 10h3M14 10h3M7.5 7.5h5v5h-5Z",
  boxes:
    "M2.5 10S5.5 5 10 5s7.5 5 7.5 5-3 5-7.5 5-7.5-5-7.5-5ZM10 12.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6Z",
  labels: "M3 10V4h6l8 7-6 6ZM6.5 7v.01",
  guide: "M10 5.5C8 4 5.5 3.8 3 4v11.5c2.5-.2 5 0 7 1.5 2-1.5 4.5-1.7 7-1.5V4c-2.5-.2-5 0-7 1.5ZM10 5.5V17",
  help: "M7 7.5a3 3 0 1 1 4.2 2.8c-.8.4-1.2.9-1.2 1.7v.5M10 15.5v.01",
  history: "M4 4v4h4M4.5 8a6.5 6.5 0 1 1-.8 4M10 6.5V10l2.5 2",
  back: "M16 10H4M9 5l-5 5 5 5",
  trash: "M3.5 5.5h13M8 5.5V3.5h4v2M5 5.5l.8 11h8.4l.8-11M8.5 8.5v5M11.5 8.5v5",
  wire: "M4 16.5v-3c0-3 3-2.5 5-4s.5-4 3.5-4.5 4-.5 4-.5M2.5 16.5h3v2h-3ZM15 2.5h3v3h-3Z",
  piece: "M3 12.5 6 4l6 2 1 6-5 4ZM15 3v6M12 6h6",
  hole: "M3 10 6 3.5l9 1L17 12l-6 5ZM8 8h4.5v4H8Z",
  brush: "M16.5 3.5 9 11M8 10.5c-2 0-3 1.5-3 3 0 1-1 2-2 2 3 2 7 .5 7-3Z",
  eraser: "M8.5 16.5H16M4 12l7-7.5 5 5-6.5 7H7Z",
  forward: "M3.5 8.5v8h8M7 3.5h9.5V13H7Z",
  close: "M5 5l10 10M15 5 5 15",
};

/** @typedef {keyof typeof PATHS} IconName */

/**
 * @param {IconName} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const looks = { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" };
  return /** @type {SVGSVGElement} */ (svg("svg", looks, svg("path", { d: PATHS[name] })));
}
