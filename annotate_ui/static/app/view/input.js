/** Keyboard, pointer and wheel: chords as commands, and mouse, pen and fingers over the stage. */

import { distance } from "../geometry/pixels.js";
import { chordOf, findCommand, HALVES } from "../state/chords.js";
import { mayRepeat } from "../state/keymap.js";
import { allowRepeats } from "./keys.js";

/** @import {Point} from "../geometry/types.js" */
/** @import {Pointer} from "../state/types.js" */
/** @import {HeldKeys, KeyListener, Keys, PointerListener} from "./types.js" */

/** A shorter press of the space bar that moved nothing is a tap. */
const TAP_WITHIN_MS = 350;
/** Keys that a focused control needs for itself. */
const CONTROL_CHORDS = ["Enter", "Space"];
const LIST_CHORDS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"];

/**
 * @param {KeyListener} listener
 * @returns {Keys}
 */
export function listenToKeys(listener) {
  let spaceDownAt = /** @type {number | null} */ (null);
  let isSpaceSpent = false;

  allowRepeats((press) => mayRepeat(findCommand(press, listener.commandOf) ?? ""));
  for (const sign of ["keydown", "pointerdown", "wheel"]) {
    document.addEventListener(sign, (event) => listener.touch(isInput(event)), {
      capture: true,
      passive: true,
    });
  }
  document.addEventListener("keydown", (event) => {
    const chord = chordOf(event);
    if (isElsewhere(event, chord)) return;
    if (chord === "Space") {
      event.preventDefault();
      if (!event.repeat) {
        spaceDownAt = event.timeStamp;
        isSpaceSpent = false;
      }
      return;
    }
    const command = findCommand(event, listener.commandOf);
    if (!command) return;
    event.preventDefault();
    listener.run(command, { isRepeat: event.repeat, code: event.code });
  });

  document.addEventListener("keyup", (event) => {
    if (event.code !== "Space" || spaceDownAt === null) return;
    const isTap = !isSpaceSpent && event.timeStamp - spaceDownAt < TAP_WITHIN_MS;
    spaceDownAt = null;
    const command = listener.commandOf("Space");
    if (isTap && command) listener.run(command, { isRepeat: false, code: "Space" });
  });

  addEventListener("blur", () => (spaceDownAt = null));
  return { isSpaceDown: () => spaceDownAt !== null, spendSpace: () => (isSpaceSpent = true) };
}

/**
 * Whether it counts as one input: a key or a button that goes down. The wheel and what is held down do not.
 * @param {Event} event
 */
function isInput(event) {
  if (!(event instanceof KeyboardEvent)) return event.type === "pointerdown";
  return !event.repeat && !HALVES.includes(event.key);
}

/**
 * Whether the key belongs to a dialog, a field, or a control that has the focus.
 * @type {(event: KeyboardEvent, chord: string) => boolean}
 */
function isElsewhere(event, chord) {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) {
    return true;
  }
  if (!(event.target instanceof HTMLElement)) return false;
  if (event.target.closest("input, textarea, select")) return true;
  const isControl = event.target.closest("button, a, summary, [role=option], [role=radio]");
  if (isControl && CONTROL_CHORDS.includes(chord)) return true;
  const list = event.target.closest("[role=listbox], [role=radiogroup], .guide");
  return list !== null && LIST_CHORDS.includes(chord);
}

/** A hand rests next to its pen this long after the pen was seen last. */
const PALM_MS = 1000;
/** A notch of the wheel is 100 units and zooms by about a fifth. */
const ZOOM_PER_UNIT = 0.0018;
const UNITS_PER_LINE = 33;

/**
 * @param {HTMLElement} stage
 * @param {PointerListener} listener
 */
export function listenToPointer(stage, listener) {
  /** @type {Map<number, Point>} fingers and buttons that are down */
  const down = new Map();
  let mode = /** @type {"idle" | "cursor" | "pan" | "pinch"} */ ("idle");
  let kind = /** @type {Pointer} */ ("mouse");
  let penSeenAt = -Infinity;
  const place = makePlacer(stage);

  stage.addEventListener("pointerdown", (event) => {
    if (event.button === 2 || !isStage(event, stage)) return;
    event.preventDefault();
    if (isPalm(event)) return;
    stage.focus({ preventScroll: true });
    stage.setPointerCapture(event.pointerId);
    if (kindOf(event) === "pen" && kind === "touch") takeOver();
    down.set(event.pointerId, place(event));
    if (down.size === 2 && event.pointerType === "touch") {
      listener.cancel();
      mode = "pinch";
    } else if (down.size === 1) {
      mode = event.button === 1 || listener.wantsPan() ? "pan" : "cursor";
      kind = kindOf(event);
      if (mode === "cursor") listener.press(place(event), kind, heldIn(event));
    }
  });

  stage.addEventListener("pointermove", (event) => {
    if (isPalm(event)) return;
    const before = down.get(event.pointerId);
    const at = place(event);
    if (mode === "pan" && before) {
      listener.pan(at[0] - before[0], at[1] - before[1]);
      listener.panned();
    }
    if (mode === "pinch" && before) pinch(down, event.pointerId, at, listener);
    if (before) down.set(event.pointerId, at);
    const isAnother = down.size > 0 && !before;
    if (mode === "idle" || (mode === "cursor" && !isAnother)) listener.move(at);
  });

  stage.addEventListener("pointerup", (event) => {
    if (mode === "cursor" && down.has(event.pointerId)) listener.lift(place(event));
    release(event);
  });
  stage.addEventListener("pointercancel", (event) => {
    if (down.has(event.pointerId)) listener.cancel();
    release(event);
  });
  stage.addEventListener("pointerleave", () => {
    if (down.size === 0) listener.leave();
  });
  stage.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const units = event.deltaY * (event.deltaMode === 0 ? 1 : UNITS_PER_LINE);
      const speed = event.ctrlKey ? 5 : 1;
      listener.zoom(Math.exp(-units * ZOOM_PER_UNIT * speed), place(event));
    },
    { passive: false },
  );
  // The browser takes a fast stroke for a fling, and would then ignore the next tap.
  stage.addEventListener("touchstart", (event) => isStage(event, stage) && event.preventDefault(), {
    passive: false,
  });
  stage.addEventListener("contextmenu", (event) => event.preventDefault());

  /**
   * Whether it is the hand that holds a pen: the pen is down, or was seen a moment ago.
   * @param {PointerEvent} event
   */
  function isPalm(event) {
    if (kindOf(event) === "pen") penSeenAt = event.timeStamp;
    if (kindOf(event) !== "touch" || down.has(event.pointerId)) return false;
    const isPenDown = kind === "pen" && down.size > 0;
    return isPenDown || event.timeStamp - penSeenAt < PALM_MS;
  }

  /** A pen takes the place of the fingers that are down: they were the palm, which came first. */
  function takeOver() {
    if (down.size > 0) listener.cancel();
    down.clear();
  }

  /** @param {PointerEvent} event */
  function release(event) {
    down.delete(event.pointerId);
    if (down.size === 0) mode = "idle";
  }
}

/** @type {(event: PointerEvent) => HeldKeys} */
function heldIn({ ctrlKey, metaKey, shiftKey }) {
  return { isPicking: ctrlKey || metaKey, isGathering: shiftKey };
}

/** @type {(event: PointerEvent) => Pointer} */
function kindOf({ pointerType }) {
  return pointerType === "touch" || pointerType === "pen" ? pointerType : "mouse";
}

/**
 * Two fingers: their distance zooms, their middle pans.
 * @type {(down: Map<number, Point>, moved: number, at: Point, listener: PointerListener) => void}
 */
function pinch(down, moved, at, listener) {
  const before = /** @type {Point} */ (down.get(moved));
  const other = [...down].find(([id]) => id !== moved)?.[1];
  if (!other) return;
  const middle = /** @type {Point} */ ([(at[0] + other[0]) / 2, (at[1] + other[1]) / 2]);
  listener.pan((at[0] - before[0]) / 2, (at[1] - before[1]) / 2);
  listener.zoom(distance(at, other) / Math.max(distance(before, other), 1), middle);
}

/**
 * The place of an event on the stage. The stage is measured again only when it may have moved, because
 * measuring makes the browser lay the page out.
 * @type {(stage: HTMLElement) => (event: MouseEvent) => Point}
 */
function makePlacer(stage) {
  let frame = /** @type {DOMRect | null} */ (null);
  const forget = () => (frame = null);
  new ResizeObserver(forget).observe(stage);
  addEventListener("resize", forget);
  return ({ clientX, clientY, type }) => {
    if (type === "pointerdown") forget();
    frame ??= stage.getBoundingClientRect();
    return [clientX - frame.left, clientY - frame.top];
  };
}

/**
 * Whether the press was on the image, not on something that lies on the stage.
 * @type {(event: Event, stage: HTMLElement) => boolean}
 */
function isStage(event, stage) {
  return event.target === stage || event.target instanceof HTMLCanvasElement;
}
