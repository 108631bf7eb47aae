/** The page of a submission that waits: loads anew once its place in the queue or its state is another. */

import { follow } from "./progress.js";

const state = /** @type {HTMLElement} */ (document.getElementById("state"));
let shown = "";

follow(Number(state.dataset.number), state.dataset.state ?? "", ({ place, is_running }) => {
  const now = `${place} ${is_running}`;
  if (shown && now !== shown) location.reload();
  shown = now;
});
