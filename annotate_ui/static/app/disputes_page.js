/** The organisers' queue of disputes: the image, who drew it, all that was said, and the way in. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./texts.js";
import { el, fillOnce } from "./view/dom.js";
import { boxed, listRounds, nameObjects } from "./view/image_card.js";

/** @import {Dispute, Disputes} from "./types.js" */

const EVERY_SECS = 10;
const words = texts.disputes;
const api = openApi(showStopped);
const { ids, display } = nameClasses(await api.party());
const lead = el("p", { class: "quiet" });
const { fill, follow } = openFrame("disputes", words, lead);
const list = el("div", { test: "disputes" });

fill(list);
await follow(api.disputes, show, EVERY_SECS);

/** @param {Disputes} answer */
function show({ most_returns, disputes }) {
  lead.textContent = words.lead(most_returns);
  const { title, lead: text } = words.none;
  const nothing = () =>
    el("div", { class: "nothing", test: "empty" }, el("h2", { text: title }), el("p", { text }));
  fillOnce(list, disputes, () => (disputes.length ? disputes.map(makeDispute) : [nothing()]));
}

/** @param {Dispute} dispute */
function makeDispute({ image_id, may_settle, state, holder, ...dispute }) {
  const isOwn = state === "annotated" && !may_settle;
  const where = isOwn ? words.own : (words.state[state] ?? state);
  const href = `/check?image=${image_id}&back=/disputes`;
  const settle = el("a", { class: "main button", href, text: words.settle, test: "settle" });
  const picture = boxed(dispute, ids, new Set(dispute.rounds.at(-1)?.objects.map(({ key }) => key)));
  const facts = [
    el("h2", { text: nameObjects(dispute.objects, display) }),
    el("span", { text: words.drawn(dispute.author.name) }),
    el("span", { class: may_settle ? "waits" : "", text: where, test: "where" }),
    holder && el("span", { text: words.holder(holder.name) }),
  ];
  const acts = may_settle ? el("p", { class: "acts" }, settle) : null;
  const about = el(
    "div",
    {},
    el("div", { class: "facts" }, ...facts),
    listRounds(dispute.rounds, display),
    acts,
  );
  return el("article", { class: "card settle", test: `dispute:${image_id}` }, picture, about);
}
