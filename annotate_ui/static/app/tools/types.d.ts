/**
 * What a tool is: `down` starts a gesture, and the gesture answers to drag, up and cancel, all in
 * image coordinates. Gestures are values: each answer is the next gesture, the old one stays as it
 * was. What should happen comes back as an outcome; no tool changes anything itself.
 */

import type { Point, Side, VocBox } from "../geometry/types.js";
import type { Editor } from "../state/types.js";
import type { Rings, Target } from "../types.js";

/**
 * How a person draws: by dragging; by two clicks (a drag does as well); by four clicks on the
 * outermost points of the object (Papadopoulos et al., ICCV 2017).
 */
export type Drawing = "drag" | "clicks" | "extremes";

/**
 * How the cursor works. `reachPx` is how near to a handle is on it, `slackPx` how far a click may
 * wander before it is a drag; both in image pixels, so that tools know nothing of the zoom.
 * `isPicking` while the key is down that makes a click select, whatever it would draw; `isGathering` while the one is
 * that selects further boxes.
 */
export type PointerState = {
  reachPx: number;
  slackPx: number;
  drawing: Drawing;
  isPicking: boolean;
  isGathering?: boolean;
};

/** What a tool sees. */
export type Scene = PointerState & { editor: Editor };

export type Outcome =
  | { kind: "none" }
  | { kind: "draw"; box: VocBox }
  | { kind: "reshape"; target: Target; box: VocBox; sides: readonly Side[] }
  | { kind: "click"; at: Point }
  | { kind: "lay"; boxes: readonly VocBox[] }
  | { kind: "gather"; at: Point }
  | { kind: "band"; box: VocBox }
  | { kind: "edit"; change: (editor: Editor) => Editor }
  | { kind: "point"; pixel: Point };

/** The shape to show while the gesture lasts; `points` are those that were set on the way. */
export type Preview = {
  box: VocBox;
  /** The one that it stands for. */
  target: Target | null;
  points?: readonly Point[];
  /** Further boxes that come with it. */
  others?: readonly VocBox[];
  /** Whether it is no box, but selects what lies in it. */
  isBand?: boolean;
};

/** What to show of an outline: the rings as they would be, or the line that the pointer has drawn, so wide. */
export type Sketch = { rings?: Rings; trail?: readonly Point[]; widthPx?: number };

export type Step = { gesture: Gesture | null; outcome: Outcome };

export type Gesture = {
  preview: Preview | null;
  cssCursor: string;
  /** Whether the button must stay down; false between two clicks. */
  isHeld: boolean;
  sketch?: Sketch;
  drag: (at: Point) => Gesture;
  up: (at: Point) => Step;
  /** Takes back one click, or ends the gesture where there is none to take back. */
  cancel: () => Step;
};

export type Tool = { cssCursor: string; down: (scene: Scene, at: Point) => Gesture };
/** Which tool a press there begins. */
export type PickTool = (scene: Scene, at: Point) => Tool;

/**
 * Where the cursor is and what it does. `resumes` is the gesture as it was before the button went
 * down: between two clicks a press may turn out to be the first finger of a pinch.
 */
export type Cursor = {
  at: Point | null;
  gesture: Gesture | null;
  isByKeys: boolean;
  resumes: Gesture | null;
  /** What was selected and armed when the gesture began. */
  held?: Pick<Editor, "selection" | "armed">;
};
/** What the cursor works at. */
export type Workspace = { editor: Editor; cursor: Cursor };
