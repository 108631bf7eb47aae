/** The organiser's board: asks every few seconds, shows, takes leases back, sets the shares. */

import { openApi } from "./api.js";
import { openFrame } from "./organising.js";
import { texts } from "./texts.js";
import { mountBoard } from "./view/board_view.js";
import { el } from "./view/dom.js";
import { zone } from "./view/words.js";

const EVERY_SECS = 4;
const AGREEMENT_EVERY_MS = 60_000;

const words = texts.board;
const api = openApi();
const live = el("p", { class: "live", test: "live" });
const { fill, attempt, act, follow } = openFrame("board", words, live);
const view = mountBoard(live, {
  takeBack: (hold, name) =>
    act(() => api.takeBack(hold.person_id, hold.lease_id), words.takenBack(hold.image_id, name)),
  endCampaign: ({ name }) => act(() => api.endCampaign(name), words.campaigns.ended(name)),
  saveShares: (shares) => act(() => api.saveShares(shares).finally(view.forgetShares), words.sharesSaved),
  changePlan: (step) => act(async () => api.saveQueue(step(await api.queue())), words.planSaved),
});
const showAgreement = () => attempt(async () => view.showAgreement(await api.agreement()));

fill(...view.elements);
await follow(() => api.board(zone), view.show, EVERY_SECS);
await showAgreement();
setInterval(() => document.hidden || void showAgreement(), AGREEMENT_EVERY_MS);
