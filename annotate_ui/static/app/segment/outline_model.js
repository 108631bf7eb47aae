/** Whether the party's model is ready to outline what is clicked on in the open image; nothing waits for it. */

/** @import {Model, SegmentTool, Store} from "../state/types.js" */
/** @import {Api} from "../types.js" */

const AGAIN_MS = 2000;
/** After so many questions the machine is called slow. */
const MANY = 8;

/**
 * Asks the server again and again while the model looks at the open image, and keeps what it says with the tool.
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
   * Without an answer the person draws as ever.
   * @param {number} opened
   * @param {number} count
   */
  async function look(opened, count) {
    const told = await api.outlineModel(opened).catch(() => null);
    if (!told || imageId !== opened) return;
    changeTool((tool) => ({ ...tool, outlineModel: { ...told, isSlow: count >= MANY } }));
    if (told.state === "preparing") later(() => void (imageId === opened && look(opened, count + 1)));
  }
}
