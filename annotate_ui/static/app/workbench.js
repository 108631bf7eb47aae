/** The one way in which a person changes the model: edits are tracked, and stop when the work ends. */

import { toImage } from "./geometry/viewport.js";
import { objectsIn, select } from "./state/editor.js";
import {
  changeEditor,
  changeWork,
  isEnding,
  trackChange,
  trackInput,
  trackLife,
  withNotice,
} from "./state/model.js";
import { keyOfField } from "./state/revision.js";

/** @import {Editor, Model, Notice, Store} from "./state/types.js" */
/** @import {Workbench} from "./types.js" */

/**
 * @param {Store<Model>} store
 * @param {Pick<Workbench, "nowSecs" | "makeKey" | "focusFilter">} parts
 * @returns {Workbench}
 */
export function createWorkbench(store, { nowSecs, makeKey, focusFilter }) {
  const byPerson = (/** @type {(model: Model) => Model} */ change) => {
    const { work, screen } = store.get();
    if (!work || screen !== "work" || isEnding(work)) return;
    store.update((before) => {
      // The notice goes when the work goes on.
      const isOver = before.notice !== null && before.work?.cursor.gesture != null;
      return trackChange(before, change(isOver ? { ...before, notice: null } : before), nowSecs());
    });
  };
  const edit = (/** @type {(editor: Editor) => Editor} */ change) =>
    byPerson((model) => changeEditor(model, change));
  const tell = (/** @type {string} */ text, /** @type {Notice["tone"]} */ tone) =>
    store.update((model) => withNotice(model, text, tone));
  return {
    store,
    get: store.get,
    update: store.update,
    edit,
    changeWorkspace: (change) =>
      byPerson((model) => {
        const { stage, viewport } = model;
        const context = { middle: toImage(viewport, [stage[0] / 2, stage[1] / 2]), newKey: makeKey() };
        const changed = changeWork(model, (work) => {
          const { cursor, editor } = change({ cursor: work.cursor, editor: work.editor }, context);
          // The object's time counts from the beginning of the gesture.
          const isBeginning = cursor.gesture !== null && work.cursor.gesture === null;
          return { ...work, cursor, editor, pressedAt: isBeginning ? work.clock.activeSecs : work.pressedAt };
        });
        return changeEditor(changed, (editor) => editor);
      }),
    changeWork: (change) => byPerson((model) => changeWork(model, change)),
    tell,
    refuse({ message, field }) {
      const { work } = store.get();
      const key = work && keyOfField(field, objectsIn(work.editor));
      if (key) edit((editor) => select(editor, { key, part: null }));
      tell(message, "danger");
    },
    touch: (isInput) =>
      store.update((model) => {
        const living = trackLife(model, nowSecs());
        return isInput && model.screen === "work" ? trackInput(living) : living;
      }),
    focusFilter,
    makeKey,
    nowSecs,
  };
}
