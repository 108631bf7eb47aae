/** Whether the party's model is ready to outline what is clicked on in the open image; nothing waits for it. */

import { Refused } from "../api.js";

/** @import {Model, SegmentTool, Store} from "../state/types.js" */
/** @import {Api} from "../types.js" */

const AGAIN_MS = 2000;
/** After so many questions the machine is called slow. */
const MANY = 8;

/**
 * Asks the server again and again while the model looks at the open image, and keeps what it says with the tool.
 * `askAgain` is for a model that did not answer to a click: it may have to look at the image once more.
 * @param {Pick<Store<Model>, "follow">} store
 * @param {Pick<Api, "outlineModel">} api
 * @param {(change: (tool: SegmentTool) => SegmentTool) => void} changeTool
 * @param {(act: () => void) => unknown} [later]
 */
export function watchOutlineModel(store, api, changeTool, later = (act) => setTimeout(act, AGAIN_MS)) {
  let imageId = /** @type {number | null} */ (null);
  store.follow(
    ({ page, work }) => {
      const { image_id: opened = null } = work?.task ?? {};
      if (page !== "segment" || opened === imageId) return;
      imageId = opened;
      if (opened !== null) void look(opened, 1);
    },
    ({ work }) => [work?.task.image_id],
  );

  /**
   * Without an answer the person draws as ever, and the server is asked again unless it refused to say.
   * @param {number} opened
   * @param {number} count
   */
  async function look(opened, count) {
    const told = await api
      .outlineModel(opened)
      .catch((error) => (error instanceof Refused ? "refused" : null));
    if (told === "refused" || imageId !== opened) return;
    if (told) changeTool((tool) => hear(tool, { ...told, isSlow: count >= MANY }));
    if (!told || told.state === "preparing") {
      later(() => void (imageId === opened && look(opened, count + 1)));
    }
  }

  return { askAgain: () => void (imageId !== null && look(imageId, 1)) };
}

/**
 * Where the model gives no outlines, clicks set corners again.
 * @type {(tool: SegmentTool, told: NonNullable<SegmentTool["outlineModel"]>) => SegmentTool}
 */
function hear(tool, told) {
  const isOver = told.state === "none" || told.state === "failed";
  const kind = isOver && tool.kind === "click" ? "outline" : tool.kind;
  return { ...tool, kind, outlineModel: told };
}
