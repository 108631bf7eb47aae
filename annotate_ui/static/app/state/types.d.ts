import type { Point, Size, Viewport } from "../geometry/types.js";
import type { Cursor, Drawing } from "../tools/types.js";
import type { Annotated, Finding, Found, Party, Person, Rings, Target, Task } from "../types.js";

// The editor

export type Objects = readonly Annotated[];
/** The image, and the party's flags. */
export type ImageFrame = { size: Size; flags: readonly string[] };
export type Flag = "truncated" | "occluded" | "unsure" | "group_of";

/** What is undone as one: the objects, and the suggestions that were rejected, by their ids. */
export type Sheet = { objects: Objects; rejected: readonly number[] };
/** What was, what is, what could be again. */
export type History<T> = { past: readonly T[]; present: T; future: readonly T[] };

export type Armed =
  | { kind: "box" }
  | { kind: "repeat" }
  | { kind: "part"; id: string }
  | { kind: "point" }
  | { kind: "piece" }
  | { kind: "hole" };
/** Moved by Alt and an arrow. */
export type ActiveSides = { x: "xmin" | "xmax"; y: "ymin" | "ymax" };
export type Refusal =
  | "too_small"
  | "too_many"
  | "all_there"
  | "none_suggested"
  | "none_to_repeat"
  | "parts_full"
  | "none_selected"
  | "class_has_none"
  | "flag_unknown"
  | "few_corners"
  | "no_outline"
  | "many_segments"
  | "in_front"
  | "behind_all";

export type Editor = {
  party: Party;
  size: Size;
  history: History<Sheet>;
  /** All that models suggest for the image, decided or not. */
  suggestions: Objects;
  showsSuggestions: boolean;
  selection: Target | null;
  /** The keys of further objects that are selected with the one of `selection`. */
  also: readonly string[];
  lastClass: string;
  armed: Armed | null;
  sides: ActiveSides;
  /** The classes whose boxes are out of sight while this image is open. */
  hidden: ReadonlySet<string>;
  /** The place whose boxes are being gone through one after the other. */
  pile: Point | null;
  refusal: Refusal | null;
};

// The page

export type Screen =
  | "loading"
  | "work"
  | "empty"
  | "untrained"
  | "too_fast"
  | "nothing_of_others"
  | "nothing_to_segment"
  | "nothing_drawn"
  | "broken"
  | "lease_lost"
  | "taken"
  | "no_server"
  | "signed_out"
  | "ending";
export type Notice = { text: string; tone: "plain" | "warn" | "danger" | "ok" };
/** What the image was touched with last. */
export type Pointer = "mouse" | "pen" | "touch";

/** The open image. */
export type Work = {
  task: Task;
  editor: Editor;
  /** What it held when it was opened. */
  original: Objects;
  cursor: Cursor;
  saving: Saving;
  judgements: Judgements;
  findings: readonly Finding[];
  found: readonly Found[];
  unsureClasses: readonly string[];
  clock: Clock;
  stints: Stints;
  /** When the cursor's gesture began, in active seconds. */
  pressedAt: number;
};

export type Model = {
  page: Page;
  person: Person;
  party: Party;
  classOrder: readonly string[];
  looks: ReadonlyMap<string, Look>;
  preferences: Preferences;
  keymap: Keymap;
  screen: Screen;
  work: Work | null;
  left: number;
  lastClass: string;
  /** Of a party with many classes: those used last, the last one first. */
  recent: readonly Recent[];
  viewport: Viewport;
  stage: Size;
  isPainted: boolean;
  showsBoxes: boolean;
  showsLabels: boolean;
  showsGuide: boolean;
  showsLight: boolean;
  light: Light;
  pointer: Pointer;
  uiScale: number;
  hovered: string | null;
  copied: Annotated | null;
  notice: Notice | null;
  line: Line;
  wanted: readonly string[];
  aheadHere: number;
  segmentTool: SegmentTool;
};

/** What draws on the segmentation page, how wide the brush is, and the outline that is proposed for an object. */
export type SegmentTool = {
  kind: "outline" | "wire" | "click" | "brush" | "eraser";
  widthPx: number;
  proposal: Proposal | null;
  /** What the server says of the party's model for the open image; null before it said anything. */
  outlineModel: (OutlineModel & { isSlow: boolean }) | null;
};
/** Whether a click gets an outline of the party's model; `reason` is why it failed. */
export type OutlineModel = {
  state: "none" | "preparing" | "ready" | "failed";
  name: string;
  reason: string;
};
/** A point on the object or beside it, in pixels of the image from its corner. */
export type ModelClick = { x: number; y: number; is_inside: boolean };
export type Proposal = {
  key: string;
  rings: Rings;
  add: Rings;
  remove: Rings;
  isRemoving: boolean;
  /** Whether it came with the suggestion that the object was made of; else the server computed it from the box. */
  isSuggested?: boolean;
  /** Where the party's model was clicked for. */
  clicks?: readonly ModelClick[];
  /** The set of the model that outlined it. */
  suggestionSetId?: number | null;
};

export type Store<T> = {
  get: () => T;
  update: (change: (value: T) => T) => void;
  subscribe: (listener: (value: T, before: T) => void) => () => void;
  /** Shows the value now, and again where something that is `seen` differs. */
  follow: (show: (value: T) => void, seen?: (value: T) => readonly unknown[]) => void;
};

/** In per cent. */
export type Light = { brightness: number; contrast: number };
export type Look = { hue: number; dash: number };
/** Where `isStale`, the layer below must be painted again, with `below`; `above` is painted in every frame. */
export type Layers = { isStale: boolean; below: Objects; above: Objects };

// Keys and preferences

/** A class with its place among the keys of classes. */
export type Recent = { id: string; key: number };

export type MapName = "labelimg" | "cvat";
export type Page = "annotate" | "check" | "segment" | "check-segment";
/** One row of the table: what it does, its chords, where the overview lists it. */
export type Row = { command: string; chords: string[]; group: string; label: string | null };
export type Keymap = { rows: Row[]; commandOf: ReadonlyMap<string, string> };
/** Chords by command. */
export type Changes = Readonly<Record<string, string[]>>;
export type Rows = readonly (readonly [command: string, chords: string[], group: string])[];

/** The part of a keyboard event that names a chord. */
export type KeyPress = {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  getModifierState?: (key: string) => boolean;
};
export type Obstacle = "reserved" | "deletes" | "taken";

export type Magnifier = "auto" | "on" | "off";
export type Preferences = {
  map: MapName;
  /** Single keys that were changed, by the map in which they were. */
  keys: Readonly<Partial<Record<MapName, Changes>>>;
  drawing: Drawing;
  magnifier: Magnifier;
  colours: "class" | "object";
};

// Time and saving

/** `inputs` are presses of keys and buttons. */
export type Clock = { activeSecs: number; touchedAt: number | null; inputs: number };
/**
 * Seconds from the first press to the last edit of each object, without the time in which another
 * object was worked on. `key` and `since` are the stint under way.
 */
export type Stints = { secs: ReadonlyMap<string, number>; key: string | null; since: number };

/** How the work shall end; `isComplete` is a checker's answer, null in annotating. */
export type Order = {
  finish: true;
  discardReason: string | null;
  comment: string;
  isComplete: boolean | null;
};
/** A save on its way; `activeSecs` and `inputs` are the seconds at work and the presses that its body reports. */
export type Flight = {
  saveKey: string;
  body: object;
  objects: Objects;
  rejected?: readonly number[];
  finish: boolean;
  activeSecs: number;
  inputs?: number;
};
/** What the server has against the work. */
export type Trouble = "stale" | "lease_lost" | "refused";

/** The saves of one image. */
export type Saving = {
  /** False where only the end is sent, as in checking. */
  hasDrafts: boolean;
  /** True once the image waits in line behind the open one. */
  isLeft: boolean;
  parentId: number | null;
  acknowledged: Objects;
  /** The seconds of the visit that revisions hold already; the next one reports only what came after. */
  acknowledgedSecs: number;
  acknowledgedInputs?: number;
  changedAt: number | null;
  order: Order | null;
  flight: Flight | null;
  trouble: Trouble | null;
};

/** The page's way to the server, and how many images that were left wait for it. */
export type Line = {
  count: number;
  trouble: "offline" | "busy" | "signed_out" | null;
  failures: number;
  retryAt: number;
};
export type SaveStatus = "saved" | "unsaved" | "saving" | "offline" | "busy" | "signed_out" | Trouble;

/** The work on one image by one person, as the journal keeps it. */
export type Entry = {
  id: string;
  personId: number;
  kind: Task["kind"];
  imageId: number;
  objects: Objects;
  rejected?: readonly number[];
  suggestionsShown?: number;
  unsureClasses: readonly string[];
  /** As the task that the person was shown. */
  taster?: Task["taster"];
  judgements: [string, Judgement][];
  drawnSecs: [string, number][];
  /** All seconds at work of the visit, and all presses of keys and buttons. */
  activeSecs: number;
  inputs?: number;
  saving: Saving;
  boxesId?: number;
};

// Checking

export type Judgement = { verdict: "accept" | "reject"; comment: string };
/** By the key of the object. */
export type Judgements = ReadonlyMap<string, Judgement>;
export type Verdict = "accept" | "fixed" | "returned";
export type FindingWord = "right" | "wrong";
/** A hint with its object's place, from 1. */
export type Numbered = { hint: Finding; object: Annotated | undefined; number: number };
export type ChecklistLine = { id: string; display: string; count: number };

// Near-duplicates

export type Relation = "duplicate" | "same_event" | "collage";
export type PairVerdict = Relation | "different";
export type Mode = "side" | "flicker" | "difference" | "cluster";
export type Show = "waiting" | "seen" | "split" | "all";
export type Filter = { show: Show; relation: Relation | "any" };
export type ShownPhoto = {
  source: string;
  title: string;
  owner_name: string;
  licence_name: string;
  licence_url: string | null;
  page_url: string | null;
  taken: string | null;
  uploaded: string | null;
};
export type ShownImage = {
  id: number;
  url: string;
  width: number;
  height: number;
  state: string;
  photo: ShownPhoto | null;
  photos: number;
};
export type FrameMap = { from: number; to: number; numbers: number[] };
export type Pair = {
  image: ShownImage;
  relation: Relation;
  doubt: number;
  similarity: number | null;
  distance_64_bits: number | null;
  distance_256_bits: number | null;
  decided_how: string;
  gap_secs: number | null;
  drawn: number;
  /** Left, top, right and bottom in the image that `map` is from. */
  drawn_boxes: [number, number, number, number][];
  beyond: number;
  margin: number;
  features: number;
  decided_by_person: boolean;
  map: FrameMap | null;
  label: PairVerdict | null;
  label_id: number | null;
};
export type Cluster = { relation: Relation; kept: ShownImage; pairs: Pair[]; more: number };
export type Precision = {
  relation: string;
  confirmed: number;
  looked_at: number;
  precision: number;
  low: number;
  high: number;
};
export type Counts = Readonly<Record<Show, Readonly<Partial<Record<Relation, number>>>>>;
export type ClusterPage = { clusters: Cluster[]; counts: Counts; precision: Precision[] };
export type Left = { counts: Counts; precision: Precision[] };
export type Spot = { kept: ShownImage; pair: Pair; cluster: number; more: number };
export type Said = { key: string; labelId: number; place: number; turn: number };
export type Review = {
  spots: readonly Spot[];
  place: number;
  mode: Mode;
  verdicts: Readonly<Record<string, PairVerdict>>;
  said: readonly Said[];
  precision: readonly Precision[];
  counts: Counts;
  filter: Filter;
};

// The board and the queue

export type Interval = { value: number; low: number; high: number; count: number };
export type Forecast = { hours: number | null; low_hours: number | null; high_hours: number | null };
export type ClassProgress = {
  id: string;
  name: string;
  display: string;
  synonyms: readonly string[];
  images: number;
  objects: number;
  target: number;
  forecast: Forecast;
};
export type PersonProgress = {
  id: number;
  name: string;
  role: string;
  images: number;
  checked: number;
  active_secs: number;
  per_hour: number | null;
  fixed: Interval | null;
  seen_at: string | null;
  is_ended: boolean;
  slowed_at: string | null;
};
export type Hold = {
  version: string;
  lease_id: number;
  image_id: number;
  person_id: number;
  kind: string;
  is_opened: boolean;
  since: string;
  last_sign_at: string;
};
type Done = { annotated: number; discarded: number; checked: number; returned: number };
export type Hour = Done & { hour: string };
export type Bin = Done & { start_at: string };
export type Progress = { bin_secs: number; zone: string; bins: Bin[] };
export type ClassSecs = {
  class: string;
  display: string;
  objects: number;
  quarter_secs: number;
  median_secs: number;
  three_quarter_secs: number;
};
export type Shares = { number: number; double_share: number; gold_share: number; training_images: number };
export type Jobs = {
  photos: Record<string, number>;
  imported: number;
  usable: number;
  target_images: number;
  images: number;
  fetching: number;
  searched_at: string | null;
  fetched_at: string | null;
  to_hash: number;
  to_compare: number;
  duplicates: number;
  compared_at: string | null;
  pauses: { host: string; until: string }[];
};
export type Campaign = {
  id: number;
  name: string;
  made_by: string;
  at: string;
  text: string;
  images: number;
  stages: Record<string, number>;
};
/** An image that no queue gives out, and why. */
export type Stuck = { image_id: number; state: string; reason: string };
export type Board = {
  at: string;
  images: Record<string, number>;
  discarded: { reason: string; display: string; images: number }[];
  classes: ClassProgress[];
  per_hour: number;
  checks_per_hour: number;
  people: PersonProgress[];
  holds: Hold[];
  hours: Hour[];
  progress: Progress;
  class_secs: ClassSecs[];
  campaigns: Campaign[];
  stuck: Stuck[];
  findings: Record<string, number>;
  jobs: Jobs;
  shares: Shares;
  first: FirstSet[];
  wanted_classes: string[];
};
export type Cell = {
  first_id: number;
  first: string;
  second_id: number;
  second: string;
  images: number;
  both: Interval;
  mean_overlap: number | null;
};
export type Agreement = {
  people: { id: number; name: string; both: Interval }[];
  classes: { id: string; display: string; both: Interval }[];
  cells: Cell[];
  suggestions: SuggestionEffect | null;
  verification: Verification | null;
};
/** A person's answers about boxes; `passed` of wrong gold crops called right, `refused` of right ones. */
export type Verifier = {
  id: number;
  name: string;
  answers: number;
  secs: number;
  passed: Interval | null;
  refused: Interval | null;
  is_suspect: boolean;
  version: string;
};
export type Verification = { confirmed: number; refused: number; people: Verifier[] };
/** Images that showed suggestions, or withheld them; seconds and inputs are those of an object. */
export type SuggestionArm = {
  images: number;
  objects: number;
  compared: number;
} & Record<"secs" | "inputs" | "missed" | "extra" | "wrong_class" | "overlap", Interval | null>;
export type SuggestionEffect = {
  shown: SuggestionArm;
  withheld: SuggestionArm;
  saved: Interval | null;
  missed_more: Interval | null;
  extra_more: Interval | null;
  advice: "wait" | "keep" | "too_slow" | "misses_more" | "extra_more";
  more_shown: number;
  more_withheld: number;
  anchoring: { id: number; name: string; images: number; wrong: number; accepted: Interval }[];
};
export type FirstSet = { kind: "returned" | "class" | "query"; class?: string; query_id?: number };
export type Plan = { number: number; first: FirstSet[]; wanted_classes: string[] };
export type ClassSupply = { id: string; objects: number; waiting: number };
export type QuerySupply = { id: number; class: string; keyword: string; waiting: number };
export type Supply = { classes: ClassSupply[]; queries: QuerySupply[] };
/** A box and its last corner, both ends inside, in pixels from 1. */
export type Xyxy = [number, number, number, number];
/** A box in the making: the cursor, and the first corner once it is set. */
export interface BoxByHand {
  readonly width: number;
  readonly height: number;
  readonly at: readonly [number, number];
  readonly from: readonly [number, number] | null;
  readonly isDone: boolean;
}
