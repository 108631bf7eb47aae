import type { Point } from "../geometry/types.js";
import type { Model, Pointer } from "../state/types.js";

export type Run = (command: string) => void;

/** What an element is made with; `test` becomes data-testid. */
export type Props = {
  class?: string;
  text?: string;
  id?: string;
  title?: string;
  type?: string;
  role?: string;
  tabindex?: number;
  hidden?: boolean;
  disabled?: boolean;
  for?: string;
  href?: string;
  placeholder?: string;
  name?: string;
  value?: string | number;
  rows?: number;
  maxlength?: number;
  min?: number;
  max?: number;
  step?: number;
  required?: boolean;
  checked?: boolean;
  selected?: boolean;
  src?: string;
  alt?: string;
  loading?: string;
  width?: number;
  height?: number;
  target?: string;
  rel?: string;
  test?: string;
  data?: Record<string, string>;
  aria?: Record<string, string>;
  on?: Record<string, (event: any) => void>;
};

/** An open question. */
export type Asking<T> = { element: HTMLDialogElement; close: (answer: T) => void; answer: Promise<T> };

/** Colours and the font. */
export type Inks = {
  hues: string[];
  ink: string;
  accent: string;
  danger: string;
  warn: string;
  font: string;
  /** How much larger than usual everything but the image is. */
  ui: number;
};
export type Easel = { ctx: CanvasRenderingContext2D; model: Model; inks: Inks };
/** What a frame is painted from. */
export type Scene = { model: Model; inks: Inks; image: HTMLImageElement | null };
export type Tag = { text: string; ground: string; ink: string; isBold: boolean };
export type Emphasis = { isSelected: boolean; isHovered: boolean };
/** Where which stand. */
export type Names = { isDense: boolean; places: ReadonlyMap<string, Point> };

export type KeyListener = {
  commandOf: (chord: string) => string | undefined;
  run: (command: string, press: { isRepeat: boolean; code: string }) => void;
  /** Hears of each sign of life; whether it is an input that counts. */
  touch: (isInput: boolean) => void;
};
/** Keys that are down while a button is pressed. */
export type HeldKeys = { isPicking: boolean; isGathering: boolean };
export type Keys = { isSpaceDown: () => boolean; spendSpace: () => void };
/** What the stage's listeners call, all in screen coordinates of the stage. */
export type PointerListener = {
  press: (at: Point, pointer: Pointer, held: HeldKeys) => void;
  move: (at: Point) => void;
  lift: (at: Point) => void;
  cancel: () => void;
  leave: () => void;
  pan: (dx: number, dy: number) => void;
  zoom: (factor: number, at: Point) => void;
  wantsPan: () => boolean;
  panned: () => void;
};

/** A button of the inspector. */
export type Chip = {
  command: string;
  text: string;
  isOn: boolean;
  /** Whether of several objects some have it. */
  isMixed?: boolean;
  isMaybe?: boolean;
  isDefault?: boolean;
  title?: string;
  isOff?: boolean;
};
