/** The organiser's board: asks every few seconds, shows, takes leases back, sets the shares. */

import { explain, openApi } from "./api.js";
import { createNewest } from "./calls.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { mountBoard } from "./view/board_view.js";
import { byId } from "./view/dom.js";
import { zone } from "./view/words.js";

const EVERY_MS = 4000;
const AGREEMENT_EVERY = 15;

const api = openApi();
const view = mountBoard(byId("board"), {
  takeBack: (hold, name) =>
    act(() => api.takeBack(hold.person_id, hold.lease_id), texts.board.takenBack(hold.image_id, name)),
  endCampaign: ({ name }) => act(() => api.endCampaign(name), texts.board.campaigns.ended(name)),
  saveShares: (shares) =>
    act(() => api.saveShares(shares).finally(view.forgetShares), texts.board.sharesSaved),
  changePlan: (step) => act(async () => api.saveQueue(step(await api.queue())), texts.board.planSaved),
});
const newest = createNewest();
const turns = createStore(0);
await refresh();
setInterval(() => document.hidden || void refresh(), EVERY_MS);

async function refresh() {
  try {
    const isTurn = turns.get() % AGREEMENT_EVERY === 0;
    turns.update((count) => count + 1);
    const board = await newest(() => api.board(zone));
    if (board) view.show(board);
    if (isTurn) view.showAgreement(await api.agreement());
  } catch (error) {
    view.say(explain(error, texts.board.noServer));
    view.markOld();
  }
}

/** @param {() => Promise<unknown>} step @param {string} done */
async function act(step, done) {
  try {
    await step();
    view.say(done);
  } catch (error) {
    view.say(explain(error, texts.board.noServer));
  }
  await refresh();
}
