/**
 * The words that the modules share: what the interface sends (/api/v1/openapi.json), and what the page edits.
 * Only the type checker reads this file; the browser never loads it.
 */

import type { Point, Size, VocBox } from "./geometry/types.js";
import type {
  Agreement,
  BoxByHand,
  Board,
  ClusterPage,
  Editor,
  Entry,
  Filter,
  Left,
  Model,
  Notice,
  Order,
  Page,
  Plan,
  OutlineModel,
  Proposal,
  Screen,
  Shares,
  Store,
  Supply,
  Verifier,
  Work,
} from "./state/types.js";
import type { Workspace } from "./tools/types.js";

/** A part of an object; `part` is the id of what it is. */
export interface Part {
  part: string;
  box: VocBox;
}

/** An object as the interface sends it; class, view, actions and parts are ids of the party's words. */
export interface SentObject {
  key: string;
  class: string;
  box: VocBox;
  view: string;
  truncated: boolean;
  occluded: boolean;
  unsure: boolean;
  difficult: boolean;
  /** Whether it is one box around a group. */
  group_of?: boolean;
  actions: readonly string[];
  point: Point | null;
  parts: readonly Part[];
  drawn_secs: number;
  /** The suggestion that it was made of. */
  suggestion_id?: number;
  /** What became of it then, as the server compares. */
  suggested?: "accepted" | "corrected";
}

/** A box that a model suggests. */
export interface SentSuggestion {
  id: number;
  class: string;
  box: VocBox;
  confidence: number;
  /** Two people called its crop right, and nothing was drawn yet. */
  is_confirmed?: boolean;
  parts?: readonly Part[];
}

/**
 * An object as the page edits it. `truncatedBy` says who decided the flag last; it is never sent. Only a suggestion
 * that nobody accepted has a `confidence`, from 0 to 1.
 */
export type Annotated = Omit<SentObject, "drawn_secs" | "suggested"> & {
  truncatedBy: "border" | "person";
  laidAside?: LaidAside;
  confidence?: number;
} & Partial<Segment>;

/** What an object had that its present class cannot have: it comes back with the class, and is never sent. */
export type LaidAside = Pick<SentObject, "view" | "parts" | "actions" | "point">;

/**
 * What only the segmentation page knows of an object: its outlines, how far in front it is, the one that is not
 * closed yet, and whether it is a void region instead of an object.
 */
export interface Segment {
  rings: Rings;
  depth: number;
  open: OpenOutline | null;
  isVoid: boolean;
  /** Of the model whose outline a person accepted. */
  suggestion_set_id?: number | null;
  /** That outline as it was. */
  offered?: Rings | null;
}
/** An outline that is not closed yet; `stops` is how long it was before each click or line, for Escape. */
export type OpenOutline = { points: Ring; isHole: boolean; stops?: readonly number[] };
export type Ring = readonly number[];
export type Rings = readonly Ring[];

/** What is selected: an object, or one of its parts. */
export interface Target {
  key: string;
  part: number | null;
}

/** An image as every list shows it. */
export interface Picture {
  image_url: string;
  width: number;
  height: number;
}
export interface Boxed {
  key: string;
  class: string;
  box: readonly [number, number, number, number];
}

// The party and its people.

/** Rows and pages refer to a word by its `id`; what else it is called is for people. */
export interface Named {
  id: string;
  display: string;
}
export type WordKind = "class" | "group" | "view" | "part" | "action";
export interface ClassSpec extends Named {
  name: string;
  groups: string[];
  synonyms: string[];
  examples: string[];
  short_rule: string;
  has_views: boolean;
  has_parts: boolean;
  has_actions: boolean;
}
export interface PartSpec extends Named {
  most: number;
}
export interface ActionSpec extends Named {
  excludes_others: boolean;
}
export interface Party {
  name: string;
  classes: ClassSpec[];
  views: Named[];
  flags: string[];
  parts: PartSpec[];
  actions: ActionSpec[];
  discard_reasons: Named[];
  min_box_px: number;
  max_objects: number;
  lease_secs: number;
  images_ahead: number;
  judge_each_object: boolean;
  guidelines_html: string;
  guidelines_number: number;
  classes_number: number;
  /** What ids count as since they were merged or split. */
  moved: Record<WordKind, Record<string, string>>;
  /** How words are called that left the preset. */
  retired: Record<WordKind, Record<string, string>>;
}

export interface Who {
  id: number;
  name: string;
}
export interface Person extends Who {
  role: string;
}
export interface Session {
  person: Person;
  party_id: string;
  csrf_token: string;
  server_time: string;
}
export interface Member extends Person {
  version: string;
  seen_at: string | null;
  created_at: string | null;
  ended_at: string | null;
  trained_at: string | null;
  walked_in: boolean;
}
export interface Code {
  id: number;
  code: string;
  people: number;
  most_people: number;
  expires_at: string | null;
  url: string;
  qr: string;
}
export interface Members {
  people: Member[];
  imports: number[];
  codes: Code[];
}
export interface Invited {
  person: Member;
  link: { url: string; qr: string };
}

// An image that a person works on.

export interface Revision {
  id: number;
  parent_id: number | null;
  saved_at: string;
  finished: boolean;
  discard_reason: string | null;
  comment: string;
  unsure_classes: string[];
  objects: SentObject[];
  /** Suggestions that its author rejected. */
  rejected?: number[];
}
export interface Lease {
  id: number;
  expires_at: string;
}
export interface ObjectVerdict {
  key: string;
  verdict: string;
  comment: string;
}
/** Where an object stood in the files of another tool, and what these say of it that VOC has no field for. */
export interface Origin {
  form: string;
  place: string;
  attributes: Record<string, string>;
}
export interface Task extends Picture {
  image_id: number;
  kind: Page;
  photo: { title: string; owner_name: string; page_url: string } | null;
  lease: Lease;
  annotation: Revision | null;
  review: { comment: string; checker: string; objects: ObjectVerdict[] } | null;
  /** Of objects that were imported, by their keys. */
  origins?: Record<string, Origin>;
  shows?: string | null;
  suggestions?: SentSuggestion[];
  /** The classes of which somebody saw another object, on the verification page. */
  seen_more?: string[];
  /** The one task for which people are chosen and annotated on the image. */
  taster?: "layout" | "action" | null;
  campaigns?: { name: string; made_by: string; text: string }[];
  author?: Who;
  findings?: Found[];
  is_released?: boolean;
  rounds?: Round[];
  changes?: Change[];
  boxes_id?: number;
  void_width_px?: number;
  /** Whether masks show difficult objects as void. */
  is_difficult_void?: boolean;
}

/** What may have changed since the page was opened; with no wanted classes, all are. */
export interface Live {
  wanted_classes: string[];
  guidelines_number: number;
  classes_number: number;
}
export interface TaskAnswer {
  task: Task | null;
  ahead?: Task[];
  reason?: string;
  left: number;
  live: Live;
}
export interface Saved {
  annotation: Revision;
  state: string;
  lease: Lease | null;
  findings: Finding[];
  /** Objects that are suggestions as they were, of models that organisers switched off. */
  outdated?: number;
  feedback?: string[];
  training?: Trained;
}
export interface MineEntry {
  image_id: number;
  state: string;
  saved_at: string;
  image_url: string;
  objects: number;
}

// Checking.

export interface Finding {
  check: string;
  severity: string;
  object_key: string | null;
  message: string;
}
/** A finding that a checker may judge. */
export interface Found extends Finding {
  id: number;
  verdict: "right" | "wrong" | "fixed" | null;
  version: string;
}
/** What changes of a finding. */
export type Judged = Pick<Found, "verdict" | "version" | "message">;
/** A finding as it is now, and who judged it. */
export interface JudgedFinding extends Judged {
  judged_by: string | null;
  check: CheckRow;
}
export interface FindingRow extends Found {
  image_id: number | null;
  picture_url: string | null;
}
export interface CheckRow {
  name: string;
  display: string;
  severity: string;
  explanation: string;
  open: Record<string, number>;
  right: number;
  wrong: number;
  fixed: number;
  precision: Share | null;
  is_on: boolean;
}
export interface FindingsFilter {
  check: string | null;
  severity: string | null;
}
export interface FindingsAnswer {
  findings: FindingRow[];
  next: string | null;
  checks: CheckRow[];
  number: number;
}

/** What stays of two boxes that lie on one another. */
export type Keep = "both" | "first" | "second";
export interface PairDecided {
  kept: Keep | null;
  version: string;
}
interface PairBox {
  class_id: string;
  display: string;
  crop_url: string;
  width: number;
  height: number;
}
/** Two boxes that lie on one another; of one class, the `larger` one is named. */
export interface PairRow extends PairDecided {
  id: number;
  check: string;
  image_id: number;
  first: PairBox;
  second: PairBox;
  larger: "first" | "second" | null;
}
export interface PairsAnswer {
  pairs: PairRow[];
  next: string | null;
  waiting: number;
  elsewhere: number;
}
/** What became of pairs of boxes of two classes, and how many objects two people gave both. */
export interface PairRecord {
  first: string;
  second: string;
  waiting: number;
  removed: number;
  both: number;
  confused: number;
  wrong: Share | null;
}

/** A verdict on an image in an earlier round of checking. */
export interface Round {
  verdict: string;
  checker: string;
  at: string;
  comment: string;
  objects: { key: string; class: string; verdict: string; comment: string }[];
}
export interface Dispute extends Picture {
  image_id: number;
  state: string;
  since: string;
  may_settle: boolean;
  holder: Who | null;
  author: Who;
  objects: Boxed[];
  rounds: Round[];
  changes: Change[];
  same: SentObject[];
}
export interface Disputes {
  at: string;
  most_returns: number;
  disputes: Dispute[];
}

/** A class of which something waits; another person may hold it. */
export interface WaitingClass {
  id: string;
  name: string;
  display: string;
  synonyms: string[];
  waiting: number;
  holder?: string | null;
}
export interface CropRow {
  image_id: number;
  annotation_id: number;
  key: string;
  size: [number, number];
  difficult: boolean;
  changed: boolean;
  crop_url: string;
}
export interface Thumbnail extends Picture {
  image_id: number;
}
/** A question about a crop of a box, or about an image with the boxes that are known. */
export interface AskedRow extends Picture {
  id: number;
  version: string;
  kind: "box" | "more" | "draw";
  others: readonly SentObject["box"][];
}
/** `images` were drawn with boxes that the answers called right. */
export interface TakenBack {
  undone: number;
  images: number[];
}

/** A key of a judging page. */
export interface KeyRow {
  words: string;
  key: string;
  run: () => void;
  kind?: string;
  test?: string;
  repeats?: boolean;
}

/** What the page of findings holds: `said` are the verdicts of this visit, the last one last. */
export interface FindingsState {
  answer: FindingsAnswer;
  said: readonly { id: number; before: Found["verdict"] }[];
  place: number;
  filter: FindingsFilter;
}
export interface PairsState {
  pairs: readonly PairRow[];
  next: string | null;
  waiting: number;
  elsewhere: number;
  records: readonly PairRecord[];
  check: string | null;
  said: readonly number[];
  place: number;
}
/** What a page holds of which one takes a class at a time. */
interface ClassState {
  classes: readonly WaitingClass[];
  taken: string | null;
  place: number;
}
/** `objects` are those of the class that wait. */
export interface DifficultState extends ClassState {
  objects: readonly CropRow[];
  isOneByOne: boolean;
}
/**
 * `marked` says what each image was seen to show; `sent` are the answers of the pages of this visit, the newest page
 * last. `page` is a question of the party's plan; without it, the classes are chosen by the person.
 */
export interface PresenceState extends ClassState {
  images: readonly Thumbnail[];
  marked: ReadonlyMap<number, "asked" | "other">;
  question: "asked" | "other";
  sent: readonly (readonly number[])[];
  page: QuestionPage | null;
  isSaving: boolean;
}
/** A question about thumbnails; no `node` where nothing is left to ask. `waiting` images have an open question. */
export interface QuestionPage {
  plan: number;
  node: string | null;
  words: string;
  display: string;
  synonyms: string[];
  examples: string[];
  short_rule: string;
  includes: string[];
  not_named: number;
  images: Thumbnail[];
  waiting: number;
}
/** How far the questions of the plan are; only organisers are told of people. */
export interface QuestionStatus {
  images: number;
  done: number;
  answers: number;
  classes: { id: string; display: string; yes: number }[];
  people: Verifier[];
}
/**
 * Answers taken back, the images that wait again, those that are empty by the answers that are left, and those that
 * have boxes of a class that is open again.
 */
export interface PresenceTakenBack {
  undone: number;
  images: number[];
  discarded: number[];
  drawn: number[];
}
/** An answer about an image; `known` is what is known of a gold image. */
export interface ImageAnswer {
  id: number;
  words: string;
  is_yes: boolean;
  known: boolean | null;
  person: Who;
  judged_at: string;
  taken_back_at: string | null;
  taken_back_by: Who | null;
}
export interface ImageAnswers {
  version: string;
  answers: ImageAnswer[];
}
/**
 * Where the questions of the page Presence come from. `take` brings the images of the class or of the next question,
 * `showSide` says what it fills the side with and gives the title and what an empty page says.
 */
export interface PresenceSource {
  questions: readonly ("asked" | "other")[];
  open(): Promise<Partial<PresenceState>>;
  take(state: PresenceState, name: string | null): Promise<Partial<PresenceState>>;
  send(state: PresenceState, tookMs: number): Promise<{ kept: number[]; answerIds: number[]; gone: number }>;
  undo(answerIds: number[]): Promise<string>;
  showSide(
    state: PresenceState,
    take: (name: string) => Promise<void>,
  ): { title: string; empty: { title: string; lead: string } };
  keys: readonly KeyRow[];
}
/**
 * `answers` by question, `last` those of this visit that can be taken back; `examples` of the class are shown before
 * its first questions.
 */
export interface VerifyState extends ClassState {
  questions: readonly AskedRow[];
  answers: ReadonlyMap<number, string>;
  last: readonly { question: number; answer: number }[];
  examples: readonly (Picture & { objects: Boxed[] })[] | null;
  drawn: BoxByHand | null;
  isBusy: boolean;
}

// Revisions of an image, and a person's own work.

/** An object that differs between two revisions. */
export interface Change {
  key: string;
  kind: "added" | "removed" | "moved" | "changed";
  fields: string[];
  before: SentObject | null;
  after: SentObject | null;
}
export interface Said {
  checker: string;
  verdict: string;
  comment: string;
  reviewed_at: string;
  set_aside: boolean;
}
export interface RevisionRow {
  id: number;
  saved_at: string;
  person: { name: string };
  finished: boolean;
  beside: "conflict" | "blind" | "imported" | null;
  set_aside: boolean;
  head: boolean;
  discarded: string | null;
  comment: string;
  objects: number;
  corrects: Said | null;
  reviews: Said[];
  releases: string[];
}
export interface History extends Picture {
  image_id: number;
  may_restore: boolean;
  verdict_id: number | null;
  revisions: RevisionRow[];
}
export interface Outcome extends Picture, Said {
  review_id: number;
  image_id: number;
  after_id: number | null;
  may_correct: boolean;
  comments: { key: string; class: string; text: string }[];
  rejected: string[];
  changes: Change[];
  same: SentObject[];
}
export interface Feedback {
  returned: number;
  outcomes: Outcome[];
  next: number | null;
  weeks: { week: string; judged: number; accepted: number; gold_objects: number; gold_found: number }[];
  remarks: { id: number; image_id: number; from: string; text: string; written_at: string }[];
}

// The wall, and images that are looked up.

export interface WallItem extends Picture {
  annotation_id: number;
  image_id: number;
  author: Who;
  saved_at: string;
  discarded: string | null;
  state: string;
  version: string;
  may_return: boolean;
  objects: Boxed[];
  remarks: { text: string; is_seen: boolean }[];
}
export interface Wall {
  at: string;
  items: WallItem[];
}
export interface Remark {
  id: number;
  text: string;
  from: string;
  written_at: string;
  image_id: number;
  image_url: string;
  object_key: string | null;
}

/** An image as it was shown: its version is another one once it changed. */
export interface ShownImage {
  image_id: number;
  version: string;
}
export interface FoundImage extends ShownImage {
  image_url: string | null;
  width: number;
  height: number;
  state: string;
  state_at: string;
  reason: string | null;
  author: Who | null;
  title: string;
  objects: Boxed[];
}
export type Filters = Record<string, string>;
export interface Images {
  filters: Filters;
  total: number;
  is_more: boolean;
  images: FoundImage[];
  next: number | null;
}
/** Counts by filter over the newest images that were found, largest first. */
export interface FacetCounts {
  counted: number;
  facets: Record<string, { value: string; images: number }[]>;
}
/** A filter of a search: its name, how people read it, what it takes, and known values. */
export interface SearchField {
  name: string;
  label: string;
  hint: string;
  values: readonly { value: string; label: string }[];
}
/** How a search can go on: a filter, whose value is null then, or a value of it. */
export interface Suggestion {
  field: string;
  value: string | null;
  label: string;
  hint: string;
}
/** What to do with images; `words` are a comment or a reason. */
export interface BulkAction {
  action: string;
  text: string;
  words: string;
  campaign: Omit<CampaignWish, "images">;
}
/** The images with these numbers, or all that the filters find. */
export interface CampaignWish {
  images: readonly ShownImage[];
  name: string;
  fields: string[];
  guidelines: number | null;
  comment: string;
}

// Gold images and training.

/** A share and the ends of its interval. */
export type Share = [number, number, number];
export interface GoldAnswer {
  person: Who;
  annotation_id: number | null;
  reference_id: number | null;
  is_passed: boolean;
  matched: number;
  objects: number;
  drawn: number;
  mean_overlap: number | null;
}
export interface GoldWish {
  is_training: boolean;
  note: string;
}
export interface GoldRow extends Picture, GoldWish {
  version: string;
  image_id: number;
  annotation_id: number;
  chosen_by: string;
  chosen_at: string;
  is_changed: boolean;
  objects: Boxed[];
  answers: GoldAnswer[];
}
export interface GoldChoice extends Picture {
  image_id: number;
  annotation_id: number | null;
  objects: Boxed[];
  version: string;
  gold: GoldRow | null;
  warnings: string[];
}
export interface TraineeRow {
  version: string;
  person: Who;
  needed: number;
  passed: number;
  failed: number;
  is_stuck: boolean;
  seen_at: string | null;
}
export interface GoldRecord {
  person: Who;
  images: number;
  passed: number;
  recall: Share | null;
  precision: Share | null;
}
export interface GoldPage {
  shares: Shares;
  images: GoldRow[];
  people: GoldRecord[];
  trainees: TraineeRow[];
}

/** What a trainee is told after a training image. */
export interface Trained {
  is_passed: boolean;
  note: string;
  needed: number;
  passed: number;
  is_done: boolean;
}
export interface Example extends Picture {
  objects: Boxed[];
}
export interface Progress {
  needed: number;
  passed: number;
  is_done: boolean;
  trained_at: string | null;
  trials: { image_id: number; is_passed: boolean; says: string[]; note: string }[];
}
export interface Training extends Progress {
  examples: Record<string, Example[]>;
}

// The guidelines.

export interface Guidelines {
  number: number;
  markdown: string;
  html: string;
}
export interface GuidelineVersion {
  number: number;
  set_at: string;
  person: { name: string };
}

// What the modules of an editor's page give each other.

/** The one way to change the model. */
export interface Workbench {
  store: Store<Model>;
  get(): Model;
  /** Changes what is seen. */
  update(change: (model: Model) => Model): void;
  edit(change: (editor: Editor) => Editor): void;
  /** Changes the cursor and the objects, from the middle of what is seen and with a new key. */
  changeWorkspace(
    change: (workspace: Workspace, context: { middle: Point; newKey: string }) => Workspace,
  ): void;
  changeWork(change: (work: Work) => Work): void;
  /** Shows a sentence in the status bar. */
  tell(text: string, tone: Notice["tone"]): void;
  /** Shows the server's sentence, and selects the object that it means. */
  refuse(error: { message: string; field: string | null }): void;
  /** A sign of life. */
  /** A sign of life; whether it was an input that counts. */
  touch(isInput: boolean): void;
  focusFilter(): void;
  makeKey(): string;
  nowSecs(): number;
}

/** What was not acknowledged yet, kept in the browser. */
export interface Journal {
  isDurable: boolean;
  find(id: string): Promise<Entry | null>;
  list(personId: number): Promise<Entry[]>;
  keep(entry: Entry): Promise<void>;
  drop(id: string): Promise<void>;
}

export interface Queue {
  /** The next image, from those reserved where there is one. */
  next(): Promise<void>;
  /** The next image is asked for while the verdict on this one is on its way. */
  prepare(imageId: number): Promise<void>;
  /** A certain image; what was open before comes after it. What was entered goes up first. */
  reopen(imageId: number): Promise<void>;
  again(): void;
  /** The person is back: the server hears which image is open. */
  resume(): void;
  show(screen: Screen): void;
  follow(live: Live): void;
}

export interface Sender {
  pump(): Promise<void>;
  /** The draft of the open image goes now, not in a second. */
  flush(): void;
  tryNow(): Promise<void>;
  /** The finished images that an earlier visit left behind come first. */
  adoptFinished(): Promise<unknown>;
  /** Sends what else earlier visits left unsent: how many images went up. */
  sendEarlier(): Promise<number>;
  /** The open image ends with this order; the page may go on to the next at once. */
  leave(order: Order): Promise<void>;
  /** The entry of an image that is opened, which waits in line no more. */
  take(task: Task): Promise<Entry | null>;
  /** The images of which the end is on its way; none where anything else waits too. */
  listLeaving(): readonly number[];
  /** Resolves once the server has what it takes, and throws NoAnswer where it cannot be reached. */
  settle(): Promise<void>;
}

/** The calls of the interface, each with its answer; api.js makes them. */
export interface Api {
  /** The person and the party that the page was opened for. */
  openedFor: { person_id: number; party_id: string };
  session(): Promise<Session>;
  party(): Promise<Party>;
  preferences(): Promise<{ preferences: object }>;
  keepPreferences(preferences: object): Promise<unknown>;

  /**
   * `imageId` is one's own image to go back to, `ahead` how many images behind it shall be reserved, `leaving` those of
   * which the end is on its way; `isOpened` is false where the page does not show the image yet.
   */
  nextTask(
    kind: Page,
    wish?: { imageId?: number; ahead?: number; leaving?: readonly number[]; isOpened?: boolean },
  ): Promise<TaskAnswer>;
  heartbeat(leaseId: number): Promise<{ lease: Lease; live: Live }>;
  giveBack(leaseId: number): Promise<unknown>;
  saveRevision(imageId: number, body: object): Promise<Saved>;
  saveReview(
    imageId: number,
    body: object,
  ): Promise<{ review_id: number; state: string; annotation: Revision }>;
  saveSegmentation(imageId: number, body: object): Promise<any>;
  saveSegmentReview(segmentationId: number | null, body: object): Promise<any>;
  propose(imageId: number, wish: Proposal): Promise<{ rings: Rings; suggestion_set_id: number | null }>;
  suggestedOutlines(
    imageId: number,
  ): Promise<{ outlines: { object_key: string; rings: Rings; suggestion_set_id: number }[] }>;
  outlineModel(imageId: number): Promise<OutlineModel>;
  mine(): Promise<{ images: MineEntry[] }>;
  eventBoxes(imageId: number): Promise<{ image_id: number | null; annotation: Revision | null }>;
  remarks(): Promise<{ remarks: Remark[] }>;
  seeRemark(remarkId: number): Promise<unknown>;
  feedback(before: number | null): Promise<Feedback>;
  revisions(imageId: number): Promise<History>;
  compareRevisions(
    imageId: number,
    first: number,
    second: number,
  ): Promise<{ changes: Change[]; same: SentObject[] }>;
  restoreRevision(
    imageId: number,
    revisionId: number,
    body: { save_key: string; head_id: number | null; verdict_id: number | null },
  ): Promise<{ annotation: Revision; state: string }>;
  training(): Promise<Training>;
  finishTraining(): Promise<Progress>;

  /** `limit` counts clusters, the most doubtful first. */
  clusters(filter: Filter, limit: number): Promise<ClusterPage>;
  labelPair(body: {
    image_id: number;
    other_id: number;
    verdict: string;
    relation: string | null;
    label_id: number | null;
  }): Promise<Left & { label_id: number }>;
  keepInstead(body: {
    image_id: number;
    kept_id: number;
    label_id: number | null;
  }): Promise<Left & { label_id: number }>;
  undoPairLabel(labelId: number): Promise<Left & { undone: boolean }>;
  /** `past` is the `next` of the answer that this one goes on from. */
  findings(filter: FindingsFilter, past?: string | null): Promise<FindingsAnswer>;
  /** No verdict takes one back; `version` is that of the finding as the person sees it. */
  judgeFinding(findingId: number, verdict: "right" | "wrong" | null, version: string): Promise<JudgedFinding>;
  switchChecks(base: number, switchedOff: string[]): Promise<unknown>;
  pairs(check: string | null, past?: string | null): Promise<PairsAnswer>;
  confusedClasses(): Promise<{ records: PairRecord[] }>;
  /** No `keep` takes the decision back; `version` is that of the pair as the person sees it. */
  decidePair(pairId: number, keep: Keep | null, version: string, tookMs: number): Promise<PairDecided>;
  disputes(): Promise<Disputes>;
  difficultClasses(): Promise<{ classes: WaitingClass[] }>;
  takeClass(name: string): Promise<{ objects: CropRow[] }>;
  giveClassBack(name: string): Promise<unknown>;
  judgeDifficult(
    name: string,
    objects: { image_id: number; key: string; difficult: boolean }[],
  ): Promise<{ late: { image_id: number; key: string }[] }>;
  presenceClasses(): Promise<{ classes: WaitingClass[] }>;
  thumbnails(name: string): Promise<{ images: Thumbnail[] }>;
  sayPresence(
    name: string,
    answers: { image_id: number; shows: string }[],
  ): Promise<{ kept: number[]; answer_ids: number[] }>;
  undoPresence(answerIds: number[]): Promise<{ undone: number }>;
  presenceAnswers(imageId: number): Promise<ImageAnswers>;
  takePresenceBack(imageId: number, answerId: number, version: string): Promise<PresenceTakenBack>;
  takeQuestion(): Promise<QuestionPage>;
  questionStatus(): Promise<QuestionStatus>;
  takePersonsPresenceBack(personId: number, version: string): Promise<PresenceTakenBack>;
  answerQuestionPage(page: {
    plan: number;
    node: string;
    took_ms: number;
    answers: { image_id: number; is_yes: boolean }[];
  }): Promise<{ kept: number[]; answer_ids: number[]; discarded: number[] }>;
  undoQuestionPage(answerIds: number[]): Promise<PresenceTakenBack>;
  verifyClasses(): Promise<{ classes: WaitingClass[] }>;
  takeQuestions(name: string): Promise<{ questions: AskedRow[] }>;
  /** No answer is kept of a question that is not asked any more. */
  answerQuestion(asked: AskedRow, said: string, tookMs: number): Promise<{ answer_id: number | null }>;
  drawAnswer(asked: AskedRow, box: readonly number[], tookMs: number): Promise<{ answer_id: number | null }>;
  undoAnswers(answerIds: number[]): Promise<TakenBack>;
  takeAnswersBack(personId: number, version: string): Promise<TakenBack>;

  board(zone: string): Promise<Board>;
  agreement(): Promise<Agreement>;
  takeBack(hold: { person_id: number; lease_id: number; version: string }): Promise<unknown>;
  saveShares(shares: Shares): Promise<unknown>;
  queue(): Promise<Plan & { supply: Supply }>;
  /** Made from the version that the plan's number names. */
  saveQueue(plan: Plan): Promise<Plan>;
  /** `before` is where the page before ended. */
  images(filters: Filters, before: number | null): Promise<Images>;
  imageVersions(filters: Filters): Promise<{ images: ShownImage[] }>;
  imageFacets(filters: Filters): Promise<FacetCounts>;
  filterValues(): Promise<{ values: Record<string, string[]> }>;
  settle(imageId: number, state: string): Promise<{ state: string }>;
  actOnImages(body: {
    action: string;
    words: string;
    images: readonly ShownImage[];
  }): Promise<{ message: string; changed: number[]; changed_since: number[]; now: ShownImage[] }>;
  makeCampaign(body: CampaignWish): Promise<{ message: string }>;
  endCampaign(campaignId: number): Promise<{ message: string }>;
  gold(): Promise<GoldPage>;
  goldOf(imageId: number): Promise<GoldChoice>;
  chooseGold(
    imageId: number,
    choice: GoldWish & { annotation_id: number; version: string },
  ): Promise<{ gold: GoldRow }>;
  endGold(imageId: number, version: string): Promise<unknown>;
  wall(before?: number | null): Promise<Wall>;
  remarkOn(annotationId: number, text: string): Promise<unknown>;
  returnFromWall(annotationId: number, body: { comment: string; version: string }): Promise<unknown>;
  people(): Promise<Members>;
  invite(name: string, role: string): Promise<Invited>;
  renewLink(personId: number, version: string): Promise<Invited>;
  endLink(personId: number, version: string): Promise<unknown>;
  setRole(personId: number, role: string, version: string): Promise<unknown>;
  letBegin(personId: number, version: string): Promise<unknown>;
  planUndo(personId: number): Promise<{ lines: string[]; images: number[]; version: string }>;
  undoPerson(
    personId: number,
    version: string,
  ): Promise<{ lines: string[]; images: number[]; version: string }>;
  openCode(hours: number, mostPeople: number): Promise<unknown>;
  endCode(codeId: number): Promise<unknown>;
  guidelines(): Promise<Guidelines>;
  /** `base` is the version that the text was made from. */
  saveGuidelines(base: number, markdown: string): Promise<Guidelines>;
  previewGuidelines(markdown: string): Promise<{ html: string }>;
  guidelineVersions(): Promise<{ versions: GuidelineVersion[] }>;
  guidelineVersion(number: number): Promise<Guidelines>;
}
