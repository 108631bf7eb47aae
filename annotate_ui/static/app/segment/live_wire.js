/** The live-wire on the page: the edges of the open picture, found when the tool is first taken, in short slices. */

import { texts } from "../texts.js";
import { loadImage, setAttribute } from "../view/dom.js";
import { findEdges } from "./edges.js";
import { closeAlong, createTracer, fixPiece, leadTo } from "./wire.js";

/** @import {Point, Size} from "../geometry/types.js" */
/** @import {Editor, Work} from "../state/types.js" */
/** @import {Workbench} from "../types.js" */
/** @import {Trace} from "./wire.js" */

/** A larger picture is searched in a smaller copy, so that a move of the pointer stays fast. */
const MOST_PIXELS = 400_000;
const SLICE_MS = 8;

/** @typedef {ReturnType<typeof createLiveWire>} LiveWire */

/**
 * Lines are straight until the edges are known.
 * @param {Pick<Workbench, "store" | "tell">} bench
 */
export function createLiveWire({ store, tell }) {
  let trace = /** @type {Trace | null} */ (null);
  let imageId = /** @type {number | null} */ (null);

  store.follow(
    ({ work, segmentTool }) => {
      if (work && segmentTool.kind === "wire" && work.task.image_id !== imageId) void prepare(work);
    },
    ({ work, segmentTool }) => [work?.task.image_id, segmentTool.kind],
  );

  /** @param {Work} work */
  async function prepare({ task, editor }) {
    imageId = task.image_id;
    trace = null;
    const isWanted = () => imageId === task.image_id;
    setAttribute(document.body, "data-edges", "");
    try {
      const found = await readTrace(task.image_url, editor.size, isWanted);
      if (!isWanted()) return;
      trace = found;
      setAttribute(document.body, "data-edges", "found");
      store.update((model) => ({ ...model }));
    } catch {
      if (isWanted()) tell(texts.segment.noEdges, "warn");
    }
  }

  return {
    leadTo: (/** @type {Editor} */ editor, /** @type {Point} */ at) => leadTo(trace, editor, at),
    fix: (/** @type {Editor} */ editor, /** @type {Point} */ at) => fixPiece(trace, editor, at),
    close: (/** @type {Editor} */ editor) => closeAlong(trace, editor),
  };
}

/**
 * Traces the edges of the picture at an address; between slices, the page answers to its person.
 * @type {(url: string, size: Size, isWanted: () => boolean) => Promise<Trace | null>}
 */
async function readTrace(url, size, isWanted) {
  const shrink = Math.ceil(Math.sqrt((size[0] * size[1]) / MOST_PIXELS));
  const seen = /** @type {const} */ ([Math.ceil(size[0] / shrink), Math.ceil(size[1] / shrink)]);
  const canvas = new OffscreenCanvas(...seen);
  const ctx = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(await loadImage(url), 0, 0, ...seen);
  const slices = findEdges(ctx.getImageData(0, 0, ...seen).data, seen);
  for (let until = performance.now() + SLICE_MS; isWanted();) {
    const { value } = slices.next();
    if (value) return createTracer(value, size);
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    until = performance.now() + SLICE_MS;
  }
  return null;
}
