/** The organisers' queue of disputes: the image as it was returned and as it is now, all that was said, the way in. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./texts.js";
import { el, fillOnce } from "./view/dom.js";
import { makeEmpty, wayTo } from "./view/empty.js";
import { listChanges, listRounds, nameObjects, sideBySide } from "./view/image_card.js";
import { dayAndClock } from "./view/words.js";

/** @import {Dispute, Disputes} from "./types.js" */

const EVERY_SECS = 10;
const words = texts.disputes;
const api = openApi(showStopped);
const party = await api.party();
const classes = nameClasses(party);
const waiting = el("p", { class: "live", test: "waiting" });
const lead = el("p", { class: "quiet" });
const { fill, follow } = openFrame("disputes", words, waiting, lead);
const list = el("div", { test: "disputes" });

fill(list);
await follow(api.disputes, show, EVERY_SECS);

/** @param {Disputes} answer */
function show({ most_returns, disputes }) {
  lead.textContent = words.lead(most_returns);
  waiting.textContent = words.waiting(disputes.filter((dispute) => dispute.may_settle).length);
  const nothing = () => makeEmpty("talk", words.none, wayTo(words.board, "/board"));
  fillOnce(list, disputes, () => (disputes.length ? disputes.map(makeDispute) : [nothing()]));
}

/** @param {Dispute} dispute */
function makeDispute(dispute) {
  const { image_id: id, may_settle, state, holder, changes, same, rounds } = dispute;
  const isAnswered = state === "annotated" || state === "checking";
  const where = state === "annotated" && !may_settle ? words.own : (words.state[state] ?? state);
  const marked = new Set(rounds.at(-1)?.objects.map(({ key }) => key));
  const captions = { before: words.before, after: changes.length > 0 ? words.after : null };
  const facts = [
    el("b", { class: `tag ${may_settle ? "returned" : ""}`, text: where, test: "where" }),
    holder && el("span", { text: words.holder(holder.name) }),
    el("span", { text: words.since(dayAndClock(dispute.since)) }),
    el("span", { text: words.drawn(dispute.author.name) }),
  ];
  const settle = {
    class: "main button",
    href: `/check?image=${id}&back=/disputes`,
    text: words.settle,
    test: "settle",
  };
  const changed = changes.length > 0 ? listChanges(changes, party) : el("p", { text: words.unchanged });
  const about = [
    el("h2", { text: words.image(id, nameObjects(dispute.objects, classes.display)) }),
    el("p", { class: "facts" }, ...facts),
    listRounds(rounds, classes.display),
    isAnswered ? changed : null,
    el(
      "p",
      { class: "acts" },
      may_settle ? el("a", settle) : null,
      el("a", { href: `/history?image=${id}`, text: words.all }),
    ),
  ];
  return el(
    "article",
    { class: "card case", test: `dispute:${id}` },
    sideBySide(dispute, { changes, same, marked }, classes, captions),
    el("div", { class: "told" }, ...about),
  );
}
