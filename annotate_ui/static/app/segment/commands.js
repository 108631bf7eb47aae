/** What the keys of the segmentation pages do, and proposals: a preview that Enter accepts. */

import { explain } from "../api.js";
import { DIRECTIONS, FAR_PX, revealCursor, showObject } from "../commands.js";
import { distance, nearestCorner } from "../geometry/pixels.js";
import { objectsIn, refuse, select, selectedKey, selectedObject, stepBack } from "../state/editor.js";
import { selectedIn } from "../state/model.js";
import { texts } from "../texts.js";
import { clickByKey, stepCursor, takeBack } from "../tools/cursor.js";
import { watchOutlineModel } from "./outline_model.js";
import { cornersOf, ringsOf, simplify } from "./corners.js";
import * as outline from "./outline.js";
import { isBrush, makePicker, proposalFor, resizeBrush, takesClicks } from "./tools.js";

/** @import {Command} from "../commands.js" */
/** @import {Point} from "../geometry/types.js" */
/** @import {Proposal, SegmentTool} from "../state/types.js" */
/** @import {Annotated, Api, Rings, Workbench} from "../types.js" */
/** @import {LiveWire} from "./live_wire.js" */

const EDGE_PX = 24;
/** A shorter stroke over a suggested outline was meant as a click. */
const LEAST_STROKE_PX = 3;

/**
 * The commands by name, and what a press on the image begins; `onAllDrawn` hears Enter when nothing is left to draw.
 * @param {Workbench} bench
 * @param {Api} api
 * @param {LiveWire} wire
 * @param {() => void} onAllDrawn
 */
export function makeSegmentCommands(bench, api, wire, onAllDrawn) {
  const { get, update, edit, changeWorkspace, makeKey, tell } = bench;
  const changeTool = (/** @type {(tool: SegmentTool) => SegmentTool} */ change) =>
    update((model) => ({ ...model, segmentTool: change(model.segmentTool) }));
  const { askAgain } = watchOutlineModel(bench.store, api, changeTool);
  const proposals = createProposals(bench, api, changeTool, askAgain);
  const pick = makePicker(
    () => get().segmentTool,
    (trail) => void proposals.correct(trail),
    wire,
    (at, isRemoving) => void proposals.click(at, isRemoving),
  );
  const isWire = () => get().segmentTool.kind === "wire";

  /** Enter: accepts what is proposed, closes what is open, else goes on to what is not drawn yet. */
  function confirm() {
    const proposal = proposals.current();
    const object = selectedIn(get());
    if (proposal) edit((editor) => outline.setRings(editor, proposal.rings, proposal.suggestionSetId));
    if (proposal) return proposals.show(null);
    if (object?.open) return edit(isWire() ? wire.close : (editor) => outline.closeOutline(editor));
    goOn(onAllDrawn);
  }

  /** Selects the next object without an outline; where all have one, the first, or calls `whenAllDrawn`. @param {() => void} [whenAllDrawn] */
  function goOn(whenAllDrawn) {
    const { work } = get();
    if (!work) return;
    const objects = objectsIn(work.editor);
    const undrawn = outline.nextUndrawn(objects, selectedKey(work.editor));
    if (undrawn === null && whenAllDrawn) return whenAllDrawn();
    if (objects.length > 0) showObject(bench, undrawn ?? objects[0].key);
  }

  /** Escape: one step back at a time; the object stays selected. */
  function back() {
    const { work } = get();
    if (work?.cursor.gesture) return changeWorkspace(takeBack);
    if (proposals.isAsked() || proposals.current()) return proposals.drop();
    if (work?.editor.armed || work?.editor.selection?.part != null) return edit(stepBack);
    if (selectedIn(get())?.open) return edit(isWire() ? outline.dropPiece : outline.dropOutline);
    changeTool((tool) => ({ ...tool, kind: "outline" }));
  }

  /** @param {"piece" | "hole"} kind */
  const arm = (kind) => {
    changeTool((tool) => ({ ...tool, kind: isBrush(tool.kind) ? "outline" : tool.kind, proposal: null }));
    const isNothingThere = ringsOf(selectedIn(get()) ?? {}).length === 0;
    edit((editor) =>
      kind === "hole" && isNothingThere
        ? refuse(editor, "no_outline")
        : { ...editor, armed: { kind }, refusal: null },
    );
  };
  const take = (/** @type {"wire" | "click" | "brush" | "eraser"} */ kind) =>
    changeTool((tool) => ({ ...tool, proposal: null, kind: tool.kind === kind ? "outline" : kind }));

  /** The next corner of the object is selected. @param {1 | -1} step */
  const stepCorner = (step) =>
    edit((editor) => {
      const object = selectedObject(editor);
      const count = object ? cornersOf(ringsOf(object)).length : 0;
      if (!object || count === 0) return editor;
      const at = editor.selection?.part ?? (step > 0 ? -1 : count);
      return select(editor, { key: object.key, part: (at + step + count) % count });
    });

  /**
   * Arrow keys move the selected corner, else the cross that sets corners.
   * @param {number} dx
   * @param {number} dy
   * @param {boolean} isHeld
   */
  function step(dx, dy, isHeld) {
    const object = selectedIn(get());
    const part = get().work?.editor.selection?.part ?? null;
    const corner = object && part !== null ? cornersOf(ringsOf(object))[part] : undefined;
    if (corner && part !== null)
      return edit((editor) => outline.editCorner(editor, part, [corner[0] + dx, corner[1] + dy], { isHeld }));
    changeWorkspace((workspace, { middle }) => stepCursor(workspace, dx, dy, middle));
    update((model) => revealCursor(model, EDGE_PX));
  }

  const arrows = Object.entries(DIRECTIONS).flatMap(([side, [dx, dy]]) => [
    [`cross.${side}`, (/** @type {{isRepeat: boolean}} */ { isRepeat }) => step(dx, dy, isRepeat)],
    [
      `cross10.${side}`,
      (/** @type {{isRepeat: boolean}} */ { isRepeat }) => step(dx * FAR_PX, dy * FAR_PX, isRepeat),
    ],
  ]);
  /** @type {Record<string, Command>} */
  const commands = {
    ...Object.fromEntries(arrows),
    "outline.close": confirm,
    "outline.corner": () =>
      changeWorkspace((workspace, { middle, newKey }) => clickByKey(workspace, middle, newKey, pick)),
    wire: () => take("wire"),
    "piece.add": () => arm("piece"),
    "hole.cut": () => arm("hole"),
    brush: () => take("brush"),
    eraser: () => take("eraser"),
    "brush.smaller": () => changeTool((tool) => resizeBrush(tool, -1)),
    "brush.larger": () => changeTool((tool) => resizeBrush(tool, 1)),
    "void.new": () => edit((editor) => outline.addVoidRegion(editor, makeKey())),
    propose: () => {
      const object = selectedIn(get());
      if (!object || object.isVoid) return tell(texts.segment.proposeFirst, "warn");
      if (outline.isDrawnOn(object)) return tell(texts.segment.proposeOnDrawn, "warn");
      void proposals.ask({ key: object.key, rings: [], add: [], remove: [], isRemoving: false });
    },
    // The next strokes remove instead of adding, or the reverse.
    "propose.switch": () =>
      changeTool(({ proposal: shown, ...tool }) => ({
        ...tool,
        proposal: shown && { ...shown, isRemoving: !shown.isRemoving },
      })),
    "model.click": () => {
      const { state = "none", name = "", reason = "" } = get().segmentTool.outlineModel ?? {};
      if (state === "none") return tell(texts.segment.model.none, "warn");
      if (state === "failed") return tell(texts.segment.model.failed(name, reason), "warn");
      take("click");
    },
    "corner.remove": () => edit(outline.removeSome),
    "corner.next": () => stepCorner(1),
    "corner.previous": () => stepCorner(-1),
    "depth.forward": () => edit((editor) => outline.moveInDepth(editor, 1)),
    "depth.back": () => edit((editor) => outline.moveInDepth(editor, -1)),
    "step.back": back,
  };
  return { commands, pick, goOn };
}

/**
 * The outlines that the server proposes, and those that came with suggestions, which are shown by themselves: one is
 * shown for the selected object, corrected by strokes, and accepted or dropped. What a person draws on the object drops it too, so that it does not come back with an undo.
 * @param {Workbench} bench
 * @param {Api} api
 * @param {(change: (tool: SegmentTool) => SegmentTool) => void} changeTool
 * @param {() => void} onNoOutline hears that the model did not answer to a click
 */
function createProposals({ store, get, update, edit, tell }, api, changeTool, onNoOutline) {
  /** What the server was asked and has not answered yet; what is dropped meanwhile stays dropped. @type {Proposal | null} */
  let asked = null;
  const current = () => proposalFor(get().segmentTool, selectedIn(get()));
  const offers = createOffers(store, api, () => offer());
  store.follow(offer, (model) => [selectedIn(model), model.segmentTool.proposal]);
  store.follow(
    ({ work, segmentTool }) => {
      const drawn = work ? objectsIn(work.editor).filter(outline.isDrawnOn) : [];
      const isOver = drawn.some(({ key }) => key === asked?.key || key === segmentTool.proposal?.key);
      if (isOver) show(null);
    },
    ({ work }) => [work && objectsIn(work.editor)],
  );

  /** @param {Proposal | null} proposal null drops it, and the one that was asked for */
  function show(proposal) {
    asked = null;
    changeTool((tool) => ({ ...tool, proposal }));
  }

  /** Shows what came with the suggestion that the selected object was made of, unless something is shown. */
  function offer() {
    const object = selectedIn(get());
    const offer = object && !asked && !current() ? offers.find(object) : null;
    if (object && offer) show({ ...offered(object.key), ...offer });
  }

  /** What is proposed is dropped, and not offered again while the image is open. */
  function drop() {
    const proposal = current();
    if (proposal) offers.reject(proposal.key);
    show(null);
  }

  /**
   * A click says what belongs to the object, or what does not; the party's model outlines it anew with all of them.
   * @param {Point} at
   * @param {boolean} isRemoving
   */
  async function click([x, y], isRemoving) {
    const object = selectedIn(get());
    const { outlineModel } = get().segmentTool;
    if (!object || !takesClicks(object) || asked) return;
    if (outlineModel?.state !== "ready") return tell(texts.segment.model.notReady, "warn");
    const before = current();
    const isInside = !(isRemoving || before?.isRemoving);
    const clicks = [...(before?.clicks ?? []), { x, y, is_inside: isInside }];
    await ask({ ...offered(object.key), rings: [], isRemoving: before?.isRemoving ?? false, clicks });
  }

  /** The rings that the server proposes go where the object still is. @param {Proposal} wish */
  async function ask(wish) {
    const { work } = get();
    if (!work) return;
    asked = wish;
    const isWanted = () => asked === wish && get().work?.task.image_id === work.task.image_id;
    if (!wish.clicks) tell(texts.segment.proposing, "plain");
    try {
      const answer = await api.propose(work.task.image_id, wish);
      if (!isWanted()) return;
      const { rings, suggestion_set_id: suggestionSetId } = answer;
      if (rings.length === 0) {
        asked = null;
        return tell(texts.segment.model.nothing, "warn");
      }
      show({ ...wish, rings, suggestionSetId });
      update((model) => ({ ...model, notice: null }));
    } catch (error) {
      if (!isWanted()) return;
      if (wish.clicks) {
        asked = null;
        onNoOutline();
      }
      tell(explain(error, texts.segment.noProposal), "warn");
    }
  }

  /** A stroke over the proposal says what belongs to the object, or what does not. @param {readonly Point[]} trail */
  async function correct(trail) {
    const proposal = current();
    if (!proposal) return;
    if (proposal.isSuggested) return void queueMicrotask(() => paintOver(proposal, trail));
    const kind = proposal.isRemoving ? "remove" : "add";
    const size = get().work?.editor.size ?? [0, 0];
    const stroke = simplify(trail).flatMap((point) => nearestCorner(point, size));
    const wish = { ...proposal, [kind]: [...proposal[kind], stroke] };
    show(wish);
    await ask(wish);
  }

  /**
   * A stroke over a suggested outline accepts it and adds or removes pixels, once the gesture itself has ended.
   * @param {Proposal} proposal
   * @param {readonly Point[]} trail
   */
  function paintOver({ rings, isRemoving, suggestionSetId }, trail) {
    if (!trail.some((point) => distance(point, trail[0]) > LEAST_STROKE_PX)) return; // a click
    const { widthPx } = get().segmentTool;
    edit((editor) =>
      outline.brush(outline.setRings(editor, rings, suggestionSetId), trail, widthPx, isRemoving),
    );
  }

  return { current, show, drop, ask, correct, click, isAsked: () => asked !== null };
}

/** An outline of a model, as a proposal. @type {(key: string) => Omit<Proposal, "rings">} */
const offered = (key) => ({ key, add: [], remove: [], isRemoving: false, isSuggested: true });

/**
 * The outlines that came with the suggestions of which objects of the open image were made, asked for once an image.
 * One that was put aside, by Escape or by another tool, is not offered again.
 * @param {Workbench["store"]} store
 * @param {Pick<Api, "suggestedOutlines">} api
 * @param {() => void} onLoaded
 */
function createOffers(store, api, onLoaded) {
  let imageId = /** @type {number | null} */ (null);
  let offers = /** @type {ReadonlyMap<string, {rings: Rings, suggestionSetId: number}>} */ (new Map());
  let shown = /** @type {string | null} */ (null);
  const rejected = new Set();
  store.follow(
    ({ page, work }) => {
      const { image_id: opened = null } = work?.task ?? {};
      if (page !== "segment" || opened === imageId) return;
      [imageId, offers, shown] = [opened, new Map(), null];
      rejected.clear();
      if (opened !== null) void load(opened);
    },
    ({ work }) => [work?.task.image_id],
  );
  store.follow(
    ({ work, segmentTool: { proposal } }) => {
      const object = work && objectsIn(work.editor).find(({ key }) => key === shown);
      if (object && !proposal && !outline.isDrawnOn(object)) rejected.add(object.key);
      shown = proposal?.isSuggested ? proposal.key : null;
    },
    ({ segmentTool }) => [segmentTool.proposal],
  );

  /** Without an answer the person draws as ever. @param {number} opened */
  async function load(opened) {
    const answer = await api.suggestedOutlines(opened).catch(() => null);
    if (!answer || imageId !== opened) return;
    offers = new Map(
      answer.outlines.map(({ object_key: key, rings, suggestion_set_id: suggestionSetId }) => [
        key,
        { rings, suggestionSetId },
      ]),
    );
    onLoaded();
  }

  return {
    find: (/** @type {Annotated} */ object) =>
      rejected.has(object.key) || outline.isDrawnOn(object) ? null : (offers.get(object.key) ?? null),
    reject: (/** @type {string} */ key) => rejected.add(key),
  };
}
