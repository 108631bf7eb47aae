/** The organisers' queue of disputes: the image, who drew it, all that was said, and the way in. */

import { explain, openApi } from "./api.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { boxed, listRounds, nameObjects } from "./view/image_card.js";

/** @import {Dispute} from "./state/organiser.js" */

const EVERY_MS = 10_000;
const words = texts.disputes;
const api = openApi();
const { classes } = await api.party();
const names = classes.map((one) => one.name);
const display = (/** @type {string} */ name) => classes.find((one) => one.name === name)?.display ?? name;
const lead = el("p", { class: "quiet" });
const said = el("p", { class: "said", role: "status", test: "said" });
const list = el("div", { test: "disputes" });
const shown = createStore("");

byId("disputes").replaceChildren(
  el("header", { class: "board-head" }, el("h1", { text: words.title }), lead, said),
  list,
);
await refresh();
setInterval(() => document.hidden || void refresh(), EVERY_MS);

async function refresh() {
  try {
    const { most_returns, disputes } = await api.disputes();
    said.textContent = "";
    lead.textContent = words.lead(most_returns);
    const now = JSON.stringify(disputes);
    if (now === shown.get()) return;
    shown.update(() => now);
    list.replaceChildren(...(disputes.length ? disputes.map(makeDispute) : [nothing()]));
    byId("disputes").dataset.ready = "true";
  } catch (error) {
    said.textContent = explain(error, words.noServer);
  }
}

/** @param {Dispute} dispute */
function makeDispute(dispute) {
  const { image_id, may_settle, state, holder } = dispute;
  const isOwn = state === "annotated" && !may_settle;
  const where = isOwn ? words.own : (words.state[state] ?? state);
  return el(
    "article",
    { class: "card settle", test: `dispute:${image_id}` },
    boxed(dispute, names, new Set(dispute.rounds.at(-1)?.objects.map(({ key }) => key))),
    el(
      "div",
      {},
      el(
        "div",
        { class: "facts" },
        el("h2", { text: nameObjects(dispute.objects, display) }),
        el("span", { text: words.drawn(dispute.author.name) }),
        el("span", { class: may_settle ? "waits" : "", text: where, test: "where" }),
        holder ? el("span", { text: words.holder(holder.name) }) : null,
      ),
      listRounds(dispute.rounds, display),
      may_settle
        ? el(
            "p",
            { class: "acts" },
            el("a", { class: "main button", href: `/check?image=${image_id}&back=/disputes`, text: words.settle, test: "settle" }),
          )
        : null,
    ),
  );
}

function nothing() {
  const { title, lead: text } = words.none;
  return el("div", { class: "nothing", test: "empty" }, el("h2", { text: title }), el("p", { text }));
}
